// Owns every connection: its life, the bytes waiting in either direction, and the order of service.

import HubCore
import HubEngine
import HubSystem

/// All of a connection's changes happen here, and `move` alone changes the stage of its life. It executes no request;
/// it reports to the engine which connections accept nothing. Reading, sending and closing have their own files in this
/// folder.
///
/// Invariants (see `brokenInvariants`): the bytes that sessions keep are charged to `budget`; an ended session is in
/// `ended` once and keeps no bytes; a ready session is in `ready`, a leaving one in `leaving`.
struct Connections: ~Copyable {
  /// Watches descriptors. Each session's `flow` says whether writability is an event.
  let poller: Poller
  /// Not private because the gate changes `waiting`.
  var slots: SessionSlots
  var budget: MemoryBudget
  var sendBuffers: SendBuffers
  var ready = ReadyList()
  /// Sessions to be closed. Bounded by the number of descriptors, like the next.
  var ended: [Int32] = []
  /// Sessions that wait for events until the next turn, and those that spent their budget in this one: they are served later.
  var yielding: [Int32] = []
  var satisfied: [Int32] = []
  /// There are some of either kind. Every turn asks.
  var hasYielding = false
  /// Sessions that have not said hello, or have done so since.
  var greetings: SessionDeadlines
  /// Connections that got the reason for their end: at most `mostLeaving`.
  var leaving: SessionDeadlines
  /// How many are connected, and how many of them beyond the limit.
  var admission: Admission
  /// How much of a turn each user gets.
  var shares = UserShares()
  /// How many connections each user may have.
  private var userLimits: UserLimits
  let inbox = Inbox()
  /// The beginning of this turn, in CLOCK_BOOTTIME nanoseconds.
  var turnStart: UInt64 = 0
  /// The hub does not wait for clients to close.
  var isHurried = false

  /// - Parameters:
  ///   - descriptors: all descriptors are below this number.
  ///   - bufferBytes: how much kernel memory large send buffers may take.
  init(
    _ poller: consuming Poller, descriptors: Int, maxClients: Int, heldBytes: Int, bufferBytes: Int,
    _ userLimits: UserLimits
  ) throws(ServerError) {
    let slots = try SessionSlots(descriptors: descriptors)
    let greetings = try SessionDeadlines(descriptors: descriptors)
    let leaving = try SessionDeadlines(descriptors: descriptors)
    admission = Admission(maxClients: maxClients, descriptors: slots.capacity)
    budget = MemoryBudget(limit: heldBytes)
    sendBuffers = SendBuffers(memory: bufferBytes)
    self.userLimits = userLimits
    self.poller = poller
    self.slots = slots
    self.greetings = greetings
    self.leaving = leaving
  }

  subscript(descriptor: Int32) -> Session {
    @inline(__always) unsafeAddress { UnsafePointer(slots.address(of: descriptor)) }
  }

  /// Every session's descriptor is below this.
  var limit: Int32 { slots.limit }
  /// How many sessions there are.
  @inline(__always) var count: Int { admission.count }
  /// Whether the descriptor has, or had, a session.
  @inline(__always) func contains(_ descriptor: Int32) -> Bool { slots.contains(descriptor) }

  /// Whether the next turn has work, whatever happens.
  @inline(__always) var hasWork: Bool {
    !ready.isEmpty || !ended.isEmpty || hasYielding
  }

  /// The limits on connections, and how much of them is used.
  var limits: [LimitUse] {
    [
      LimitUse("maxClients", admission.maxClients, use: admission.clients),
      LimitUse(
        "maxUserClients", userLimits.mostClients,
        use: shares.mostSessions { userLimits.limit(of: $0) != nil }),
      LimitUse("maxHeldBytes", budget.limit, use: budget.used),
      LimitUse("largeSendBuffers", sendBuffers.limit, use: sendBuffers.count),
      LimitUse("descriptors", slots.capacity, use: Int(admission.count)),
    ]
  }

  /// The next deadline of any session; `.max`: none.
  @inline(__always)
  var nextDeadline: UInt64 { min(greetings.nextDeadline, leaving.nextDeadline) }

  /// Moves a session to another stage of its life, with everything that implies.
  mutating func move(_ descriptor: Int32, to next: SessionLife) {
    let life = slots[descriptor].life
    slots[descriptor].move(to: next)
    switch next {
    case .ended:
      slots[descriptor].input.clear(budget: &budget)
      clearOutput(of: descriptor)
      ended.append(descriptor)
    case .free:
      admission.remove(slots[descriptor].isExtra, wasSession: life.isSession)
      if slots[descriptor].hasLargeBuffer { sendBuffers.remove(slots[descriptor].user) }
      if slots[descriptor].user >= 0 { shares.close(slots[descriptor].user) }
      slots[descriptor] = Session()
    case .open, .finishing, .dismissed, .leaving: break
    }
  }

  mutating func setFlow(_ flow: SessionLife.Flow, of descriptor: Int32) {
    move(descriptor, to: slots[descriptor].life.with(flow))
  }

  /// Applies other limits. Sessions beyond them stay.
  mutating func changeLimits(to options: ServerOptions) {
    admission.maxClients = options.maxClients
    budget.limit = options.heldBytes
    sendBuffers.changeLimit(memory: options.sendBufferBytes)
    userLimits.change(to: options)
  }

  // MARK: Beginning

  /// Whether the user may have another connection.
  mutating func checkLimits(of uid: UInt32, isFurther: Bool, now: Instant) throws(UserLimits.Refusal) {
    try userLimits.admit(uid, having: shares.sessions(of: uid), isFurther: isFurther, now: now.boot)
  }

  /// A client has connected, and must send hello before the deadline.
  mutating func open(_ descriptor: Int32, of uid: UInt32, isExtra: Bool, helloBefore deadline: UInt64) {
    slots.reach(descriptor)
    move(descriptor, to: .open(.open))
    slots[descriptor].user = shares.open(uid)
    slots[descriptor].isExtra = isExtra
    admission.add(isExtra: isExtra)
    greetings.insert(descriptor, deadline: deadline)
    Socket.setSendBuffer(SendBuffers.small, of: descriptor)
  }

  /// There is now room for a session that was admitted beyond the limit.
  mutating func admit(_ descriptor: Int32) {
    slots[descriptor].isExtra = false
    admission.admitExtra()
  }

  /// The next session whose time to say hello is up, unless it has said it.
  var nextGreeting: (descriptor: Int32, deadline: UInt64)? { greetings.first }

  mutating func forgetGreeting(of descriptor: Int32) { greetings.remove(descriptor) }

  // MARK: Being served

  /// There may be something to do for the session.
  @inline(__always)
  mutating func addReady(_ descriptor: Int32) {
    guard slots[descriptor].life.isOpen, !slots[descriptor].attention.isListed else { return }
    slots[descriptor].attention = .ready
    slots[descriptor].readySince = turnStart
    ready.append(descriptor)
  }

  /// The session's descriptor has something to read, or a read will report that it has ended.
  @inline(__always)
  mutating func noteReadable(_ descriptor: Int32) {
    if slots[descriptor].life == .leaving { return discardInput(of: descriptor) }
    addReady(descriptor)
  }

  /// Its input ends, permanently or at urgent data.
  mutating func noteReadsEnd(_ descriptor: Int32) {
    if slots[descriptor].life != .free { slots[descriptor].readsOn = true }
  }

  @inline(__always)
  mutating func beginServing() {
    ready.begin()
    if shares.hasSpentUser { letOthersGoFirst() }
    shares.beginTurn()
  }

  /// The users that had their part of the last turn come after the others, so that no other user waits for two parts of a flood.
  @inline(never)
  private mutating func letOthersGoFirst() {
    ready.postpone(ready.serving.indices.filter { hasSpentShare(ready.serving[$0]) })
  }

  /// The next session to serve; nil: there is none, or the turn's work is done.
  @inline(__always)
  mutating func nextReady() -> Int32? {
    while !shares.isSpent, let descriptor = ready.next() {
      if !shares.areDivided || !hasSpentShare(descriptor) { return descriptor }
      shares.noteHeldBack(slots[descriptor].user, at: turnStart)
      ready.pass(descriptor)
    }
    return nil
  }

  /// The session's user has had its share of the turn.
  @inline(never)
  private func hasSpentShare(_ descriptor: Int32) -> Bool {
    let user = slots[descriptor].user
    return user >= 0 && shares.isSpent(user)
  }

  @inline(__always) mutating func endServing() { ready.end() }

  /// The session's step has cost this much of the engine's work.
  @inline(__always)
  mutating func charge(_ work: Int, to descriptor: Int32) {
    slots[descriptor].cost &+= UInt64(truncatingIfNeeded: work &+ UserShares.step)
    if shares.areDivided { chargeUser(work, of: descriptor) } else { shares.charge(work) }
  }

  @inline(never)
  private mutating func chargeUser(_ work: Int, of descriptor: Int32) {
    if slots[descriptor].user >= 0 { shares.charge(work, to: slots[descriptor].user) }
  }

  /// Sends queued output of a session, which costs as much as a step. Its requests come next.
  ///
  /// - Returns: whether it was.
  @inline(never)
  mutating func sendWaiting(to descriptor: Int32, _ engine: inout HubEngine) -> Bool {
    guard slots[descriptor].attention == .sending else { return false }
    let before = engine.work
    let unsent = slots[descriptor].unsent
    resumeOutput(of: descriptor, &engine)
    slots[descriptor].attention = .ready
    engine.noteCopied(unsent &- slots[descriptor].unsent)
    charge(engine.work &- before, to: descriptor)
    return true
  }

  /// Starts the session's step.
  ///
  /// - Returns: whether to read and execute its requests now.
  @inline(__always)
  mutating func beginStep(_ descriptor: Int32) -> Bool {
    guard slots[descriptor].attention == .ready else { return false }
    slots[descriptor].attention = .idle
    guard slots[descriptor].life.isOpen else {
      if slots[descriptor].life == .leaving { discardInput(of: descriptor) }
      return false
    }
    return !haltIfPaused(descriptor)
  }

  /// Whether the session's requests must wait. If they wait for the gate, `noteReleased` continues with them.
  @inline(__always)
  mutating func haltIfPaused(_ descriptor: Int32) -> Bool {
    guard slots[descriptor].isPaused else { return false }
    if !slots[descriptor].waiting.isEmpty, slots[descriptor].attention == .idle {
      slots[descriptor].attention = .halted
    }
    return true
  }

  /// Some of the session's replies have left the gate.
  mutating func noteReleased(_ descriptor: Int32) {
    guard slots[descriptor].waiting.isEmpty else { return }
    endIfFinished(descriptor)
    if slots[descriptor].attention == .halted, !slots[descriptor].isPaused {
      slots[descriptor].attention = .idle
      addReady(descriptor)
    }
  }
}
