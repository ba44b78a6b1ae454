// The hub's one thread: it waits for events and takes turns. The rules are the engine's; here bytes and time are brought to it.
//
// A turn: what descriptors report; the requests of ready sessions, one read each, with their replies sent at once; new
// connections; values whose time is up; sessions that have ended; then the engine's end of turn, and one send to each
// session that is due.

import CLinux
import Glibc
import HubCore

/// Everything that a running hub owns. It lives in a local variable of `HubServer.run`, so that nothing on its way is
/// shared, counted or checked for exclusive access at run time.
struct EventLoop: ~Copyable {
  let options: ServerOptions
  let settings: @Sendable () throws(ServerError) -> ServerOptions
  var engine: HubEngine
  var sessions: SessionSlots
  var budget: MemoryBudget
  var log: Log
  /// Looked at where the loop has much to do: asking the log each time would cost more.
  let isDebugging: Bool
  var listeners: Listeners
  var service: ServiceLink
  var acceptor: Acceptor
  let poller: Poller
  let signals: SignalDescriptor
  var timer: DeadlineTimer
  let reader: FrameReader
  /// The descriptor by which the journal reports; -1: there is none.
  let journalEvents: Int32

  /// The time of this turn.
  var now: Instant
  /// Where what sessions send is read to.
  let inbox: Inbox
  /// The replies to one session, until they are sent at the end of its step.
  var replies = OutputBuffer(capacity: EventLoop.repliesCapacity)

  /// Sessions to be served in the next turn, each at most once unless its descriptor was given to another meanwhile.
  /// Bounded by the number of descriptors.
  var ready: [Int32] = []
  /// Those of this turn.
  var serving: [Int32] = []
  /// Sessions that are to be closed.
  var ended: [Int32] = []
  /// Sessions that had enough events for one turn; the next one goes on with them.
  var yielding: [Int32] = []
  /// Who asked for a reload, and has no answer yet: bounded by `noteCaller`.
  var callers: [ServerImage.Caller] = []
  /// Somebody has asked for a reload.
  var isReloadWanted = false
  /// A step of a reload may be due at the end of the turn.
  var isReloadDue = false
  /// The installed program, while it is tried.
  var trial: ProgramTrial?
  /// How often that was done for this reload.
  var trials = 0
  /// The program that may take over now.
  var triedProgram: ProgramFile?
  /// Sessions that have not said hello, or have since.
  var greetings: SessionDeadlines
  /// Connections that were told why they end.
  var leaving: SessionDeadlines
  /// How many sessions were let in beyond the limit.
  var extras = 0
  /// The timer has gone off, and not all that it is for has been done yet.
  var isTimerDue = false
  /// A snapshot is in the making, as far as the log knows.
  var isSnapshotting = false
  /// The hub waits for nobody any more.
  var isStopping = false
  /// What to tell at the beginning.
  private var notes: [String] = []
  private let predecessor: String?
  /// Nil: nothing is kept on disk.
  var journal: Journal?
  /// What the replies of this step wait for: the journal, the disk.
  var hold: Receipt = []
  /// This turn has changed enough.
  var isTurnFull = false
  /// Replies that wait for the turn's write.
  var turnReplies = TurnReplies()
  /// Replies that wait for the disk.
  var syncQueue = SyncQueue()
  /// A signal has asked the hub to stop.
  var stopSignal: Int32?

  static let repliesCapacity = 64 << 10

  /// - Parameters:
  ///   - environment: whose passed sockets, if any, are listened on instead of one at the options' path.
  ///   - settings: reads the settings anew, for a reload.
  init(
    _ beginning: consuming Beginning, _ environment: ServiceEnvironment, now: Instant,
    _ settings: @escaping @Sendable () throws(ServerError) -> ServerOptions
  ) throws(ServerError) {
    let options = beginning.options
    let server = beginning.server
    let log = Log(level: options.logLevel)
    if let reason = beginning.lossReason {
      log.write(.error, .handoffFailed, "nothing is taken over: \(reason)")
    }
    let journalEvents = beginning.journal?.worker.done.raw ?? -1
    let limit = DescriptorLimit.raised()
    if let problem = limit.problem(for: options.maxClients) { log.write(.warning, problem) }
    let sessions = try SessionSlots(descriptors: limit.count)
    let greetings = try SessionDeadlines(descriptors: limit.count)
    let leaving = try SessionDeadlines(descriptors: limit.count)
    let signals = try SignalDescriptor()
    let timer = try DeadlineTimer()
    let acceptor = try Acceptor(maxClients: options.maxClients)
    let poller = try EventLoop.poller(of: server)
    let listeners = try EventLoop.listeners(of: server, environment, options)
    beginning.journal?.leastBytes = options.journalBytes
    let own =
      [signals.descriptor.raw, timer.descriptor.raw] + (journalEvents < 0 ? [] : [journalEvents])
    for descriptor in own + listeners.descriptors {
      guard poller.add(descriptor) else { throw .system(call: "epoll_ctl", code: errno) }
    }
    var service = ServiceLink(notifier: Notifier(to: environment.notifySocket), environment)
    if let problem = service.notifier.problem { log.write(.warning, problem) }
    service.complain(beginning.complaint)
    if let complaint = beginning.complaint {
      log.write(.error, .reloadRefused, "\(complaint); what was in force stays so")
    }
    notes = beginning.notes
    predecessor = server?.release
    callers = server?.callers ?? []
    self.now = now
    self.settings = settings
    self.log = log
    isDebugging = log.isDebugging
    self.journalEvents = journalEvents
    journal = beginning.journal
    engine = (consume beginning).engine
    journal?.earlier = engine.counters.journal
    self.sessions = sessions
    self.greetings = greetings
    self.leaving = leaving
    self.signals = signals
    self.timer = timer
    self.acceptor = acceptor
    self.poller = poller
    self.listeners = listeners
    self.service = service
    inbox = Inbox()
    budget = MemoryBudget(limit: options.heldBytes)
    reader = FrameReader(maximumLength: options.engine.maximumFrameLength)
    self.options = options
  }

  private static func poller(of image: ServerImage?) throws(ServerError) -> Poller {
    if let raw = image?.poller { return Poller(adopting: raw) }
    return try Poller()
  }

  private static func listeners(
    of image: ServerImage?, _ environment: ServiceEnvironment, _ options: ServerOptions
  ) throws(ServerError) -> Listeners {
    if !environment.passed.isEmpty {
      // A socket of the hub's own gives way to those of the service manager.
      for descriptor in [image?.place?.listener, image?.place?.lock] {
        if let descriptor, descriptor >= 0 { close(descriptor) }
      }
      return try Listeners(passed: environment.passed)
    }
    if let place = image?.place { return Listeners(placing: try SocketPlace(inheriting: place)) }
    return Listeners(placing: try SocketPlace(path: options.socketPath, isSystem: options.isSystem))
  }

  /// Serves until a signal asks to stop.
  mutating func run() {
    do throws(ServerError) {
      try journal?.start()
    } catch {
      return log.write(.error, error.description)
    }
    begin()
    // A stop wins: what it was read together with is not done any more, and what comes behind it is not read.
    while stopSignal == nil {
      turn()
      if isReloadDue, stopSignal == nil { advanceReload() }
    }
    trial = nil
    // An interrupt comes from a person, who wants it to end.
    if stopSignal == SIGTERM, service.storesDescriptors {
      service.stopping()
      if handOver() { return }
    }
    stop()
  }

  private mutating func begin() {
    for note in notes { log.write(.warning, note) }
    let version = "version \(options.engine.release)"
    if let predecessor {
      log.write(
        .info, .started,
        "\(version) serves \(listeners.title), and takes over \(engine.storeCount) stores and \(sessions.count) clients "
          + "from version \(predecessor)")
    } else {
      log.write(.info, .started, "\(version) serves \(listeners.title)")
    }
    timer.arm(for: journalDeadline)
    timer.arm(for: service.ready(at: now.boot, facts))
    answer(callers, .reloaded(release: options.engine.release, notes: notes))
    callers = []
    notes = []
  }

  mutating func turn() {
    let hasWork = !ready.isEmpty || !ended.isEmpty || !yielding.isEmpty || acceptor.hasWork
    let events = poller.wait(milliseconds: hasWork ? 0 : -1)
    now = Clocks.now
    isTurnFull = false
    resumeYielding()
    for index in 0..<events { take(poller.event(index)) }
    serveReady()
    if isTimerDue { expireSessions() }
    commitTurn()
    acceptClients()
    expireValues()
    finishTurn()
    timer.arm(for: journalDeadline)
    timer.arm(for: service.beat(at: now.boot, facts))
    engine.counters.note(turn: Clocks.boot &- now.boot)
  }

  /// What the service manager is told of the hub.
  @inline(__always)
  var facts: ServiceFacts {
    mutating get {
      let standing = engine.standing()
      return ServiceFacts(stores: standing.stores, clients: sessions.count, revision: standing.revision)
    }
  }

  @inline(__always)
  private mutating func take(_ event: Poller.Event) {
    switch event.descriptor {
    case timer.descriptor.raw:
      timer.fired()
      isTimerDue = true
      isReloadDue = isReloadDue || trial != nil
    case journalEvents: takeJournalReports()
    case signals.descriptor.raw: takeSignals()
    case let listener where listeners.contains(listener): acceptor.markReady(listener)
    default:
      if event.endsReads { sessions[event.descriptor].readsOn = true }
      if event.isWritable { resumeOutput(of: event.descriptor) }
      if event.isReadable {
        if sessions[event.descriptor].state == .leaving { return discardInput(of: event.descriptor) }
        markReady(event.descriptor)
      }
    }
  }

  mutating func takeSignals() {
    let batch = signals.take()
    if batch.wantsReload { isReloadWanted = true }
    if batch.wantsReload || batch.childEnded { isReloadDue = true }
    if let stop = batch.stop { stopSignal = stop }
    if isDebugging { logSignals(batch) }
  }

  private mutating func expireValues() {
    guard let deadline = engine.standing().deadline else { return }
    if deadline <= now.boot { engine.expire(now: now) }
    timer.arm(for: engine.standing().deadline)
  }
}
