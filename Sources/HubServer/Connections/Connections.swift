// Owns every connection: its life, the bytes that wait in either direction, and who is looked at next.

import CLinux
import Glibc
import HubCore

/// What happens to a connection happens here, and `move` alone changes the stage of its life. It carries out no request; the engine
/// is told whose connection takes nothing. Reading, sending and closing have files of their own in this folder.
///
/// Invariants (see `brokenInvariants`): the bytes that sessions keep are charged to `budget`; who has ended stands in `ended`
/// once and keeps no bytes; who is ready stands in `ready`, who leaves in `leaving`.
struct Connections: ~Copyable {
  /// Who is watched for what. That a session becomes writable is an event as `flow` says.
  let poller: Poller
  /// Not private for the gate's sake, which changes `waiting`.
  var slots: SessionSlots
  var budget: MemoryBudget
  var ready = ReadyList()
  /// Sessions that are to be closed. Bounded by the number of descriptors, as the next.
  var ended: [Int32] = []
  /// Sessions that had enough events for one turn; the next one goes on with them.
  var yielding: [Int32] = []
  /// Sessions that have not said hello, or have since.
  var greetings: SessionDeadlines
  /// Connections that were told why they end: at most `mostLeaving`.
  var leaving: SessionDeadlines
  /// Who is connected, and how many of them were let in beyond the limit.
  var admission: Admission
  let inbox = Inbox()
  /// The hub waits for nobody to go by himself.
  var isHurried = false

  /// - Parameter descriptors: slots for descriptors below this.
  init(
    _ poller: consuming Poller, descriptors: Int, maxClients: Int, heldBytes: Int
  ) throws(ServerError) {
    let slots = try SessionSlots(descriptors: descriptors)
    let greetings = try SessionDeadlines(descriptors: descriptors)
    let leaving = try SessionDeadlines(descriptors: descriptors)
    admission = Admission(maxClients: maxClients, descriptors: slots.capacity)
    budget = MemoryBudget(limit: heldBytes)
    self.poller = poller
    self.slots = slots
    self.greetings = greetings
    self.leaving = leaving
  }

  subscript(descriptor: Int32) -> Session {
    @inline(__always) unsafeAddress { UnsafePointer(slots.address(of: descriptor)) }
  }

  /// Every descriptor that a session has is below.
  var limit: Int32 { slots.limit }
  /// How many sessions there are.
  @inline(__always) var count: Int { admission.count }
  /// It has, or had, a session.
  @inline(__always) func contains(_ descriptor: Int32) -> Bool { slots.contains(descriptor) }

  /// Somebody has to be looked at in the next turn, whatever happens.
  @inline(__always) var hasWork: Bool { !ready.isEmpty || !ended.isEmpty || !yielding.isEmpty }

  /// When somebody's time is up; `.max`: never.
  @inline(__always)
  var nextDeadline: UInt64 { min(greetings.nextDeadline, leaving.nextDeadline) }

  /// The next stage of a session's life, with all that belongs to it.
  mutating func move(_ descriptor: Int32, to next: SessionLife) {
    let life = slots[descriptor].life
    slots[descriptor].move(to: next)
    switch next {
    case .ended:
      slots[descriptor].input.clear(budget: &budget)
      slots[descriptor].output.clear(budget: &budget)
      ended.append(descriptor)
    case .free:
      admission.remove(slots[descriptor].isExtra, wasSession: life.isSession)
      slots[descriptor] = Session()
    case .open, .finishing, .dismissed, .leaving: break
    }
  }

  mutating func setFlow(_ flow: SessionLife.Flow, of descriptor: Int32) {
    move(descriptor, to: slots[descriptor].life.with(flow))
  }

  // MARK: Beginning

  /// A client has connected, and has so long to say hello.
  mutating func open(_ descriptor: Int32, isExtra: Bool, helloBefore deadline: UInt64) {
    slots.reach(descriptor)
    move(descriptor, to: .open(.open))
    slots[descriptor].isExtra = isExtra
    admission.add(isExtra: isExtra)
    greetings.insert(descriptor, deadline: deadline)
  }

  /// There is room for one that was let in beyond the limit.
  mutating func admit(_ descriptor: Int32) {
    slots[descriptor].isExtra = false
    admission.admitExtra()
  }

  /// The next whose time to say hello is up, unless it has said it.
  var nextGreeting: (descriptor: Int32, deadline: UInt64)? { greetings.first }

  mutating func forgetGreeting(of descriptor: Int32) { greetings.remove(descriptor) }

  // MARK: Being served

  /// There may be something to do for the session.
  @inline(__always)
  mutating func markReady(_ descriptor: Int32) {
    guard slots[descriptor].life.isOpen, slots[descriptor].attention != .ready else { return }
    slots[descriptor].attention = .ready
    ready.append(descriptor)
  }

  /// The session's descriptor has something to read, or tells at a read that it has ended.
  @inline(__always)
  mutating func noteReadable(_ descriptor: Int32) {
    if slots[descriptor].life == .leaving { return discardInput(of: descriptor) }
    markReady(descriptor)
  }

  /// Reading it comes to an end, for good or at urgent data.
  mutating func noteReadsEnd(_ descriptor: Int32) {
    if slots[descriptor].life != .free { slots[descriptor].readsOn = true }
  }

  @inline(__always) mutating func beginServing() { ready.begin() }
  @inline(__always) mutating func nextReady() -> Int32? { ready.next() }
  @inline(__always) mutating func endServing() { ready.end() }

  /// Its turn has come.
  ///
  /// - Returns: whether its requests are to be read and carried out now.
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

  /// Whether the session's requests have to wait. If they wait for the gate, `noteReleased` goes on with them.
  @inline(__always)
  mutating func haltIfPaused(_ descriptor: Int32) -> Bool {
    guard slots[descriptor].isPaused else { return false }
    if !slots[descriptor].waiting.isEmpty, slots[descriptor].attention == .idle {
      slots[descriptor].attention = .halted
    }
    return true
  }

  /// Replies of the session wait at the gate no longer.
  mutating func noteReleased(_ descriptor: Int32) {
    guard slots[descriptor].waiting.isEmpty else { return }
    endIfFinished(descriptor)
    if slots[descriptor].attention == .halted, !slots[descriptor].isPaused {
      slots[descriptor].attention = .idle
      markReady(descriptor)
    }
  }
}
