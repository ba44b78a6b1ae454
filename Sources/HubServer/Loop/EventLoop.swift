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
  var engine: HubEngine
  var sessions: SessionSlots
  var budget: MemoryBudget
  var log: Log
  var listeners: Listeners
  var service: ServiceLink
  var acceptor: Acceptor
  let poller: Poller
  let signals: SignalDescriptor
  var timer: DeadlineTimer
  let reader: FrameReader

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
  /// A signal has asked the hub to stop.
  var stopSignal: Int32?

  static let repliesCapacity = 64 << 10

  /// - Parameter environment: whose passed sockets, if any, are listened on instead of one at the options' path.
  init(_ options: consuming ServerOptions, _ environment: ServiceEnvironment) throws(ServerError) {
    let now = Clocks.now
    let log = Log(level: options.logLevel)
    let engine = try EventLoop.engine(with: options, now: now)
    let limit = DescriptorLimit.raised()
    if let problem = limit.problem(for: options.maxClients) { log.write(.warning, problem) }
    let sessions = try SessionSlots(descriptors: limit.count)
    let signals = try SignalDescriptor()
    let timer = try DeadlineTimer()
    let acceptor = try Acceptor(maxClients: options.maxClients)
    let poller = try Poller()
    let listeners =
      environment.passed.isEmpty
      ? Listeners(placing: try SocketPlace(path: options.socketPath, isSystem: options.isSystem))
      : try Listeners(passed: environment.passed)
    for descriptor in [signals.descriptor.raw, timer.descriptor.raw] + listeners.descriptors {
      guard poller.add(descriptor) else { throw .system(call: "epoll_ctl", code: errno) }
    }
    self.now = now
    self.log = log
    self.engine = engine
    self.sessions = sessions
    self.signals = signals
    self.timer = timer
    self.acceptor = acceptor
    self.poller = poller
    self.listeners = listeners
    let notifier = Notifier(to: environment.notifySocket)
    if let problem = notifier.problem { log.write(.warning, problem) }
    service = ServiceLink(notifier: notifier, watchdog: environment.watchdog)
    inbox = Inbox()
    budget = MemoryBudget(limit: options.heldBytes)
    reader = FrameReader(maximumLength: options.engine.maximumFrameLength)
    self.options = options
  }

  /// An engine that holds the declared stores.
  static func engine(with options: ServerOptions, now: Instant) throws(ServerError) -> HubEngine {
    var engine = HubEngine(options: options.engine, epoch: .random(), now: now)
    do throws(HubError) {
      _ = try engine.declare(options.declarations.map { ($0.name, $0.schema) }, now: now)
    } catch {
      throw .declaration(error)
    }
    return engine
  }

  /// Serves until a signal asks to stop.
  mutating func run() {
    log.write(.info, .started, "version \(options.engine.release) serves \(listeners.title)")
    timer.arm(for: service.ready(at: now.boot, facts))
    while stopSignal == nil { turn() }
    stop()
  }

  mutating func turn() {
    let hasWork = !ready.isEmpty || !ended.isEmpty || !yielding.isEmpty || acceptor.hasWork
    let events = poller.wait(milliseconds: hasWork ? 0 : -1)
    now = Clocks.now
    resumeYielding()
    for index in 0..<events { take(poller.event(index)) }
    serveReady()
    acceptClients()
    expireValues()
    finishTurn()
    timer.arm(for: service.beat(at: now.boot, facts))
  }

  /// What the service manager is told of the hub.
  @inline(__always)
  var facts: ServiceFacts {
    ServiceFacts(stores: engine.storeCount, clients: sessions.count, revision: engine.revision)
  }

  @inline(__always)
  private mutating func take(_ event: Poller.Event) {
    switch event.descriptor {
    case timer.descriptor.raw: timer.fired()
    case signals.descriptor.raw: takeSignals()
    case let listener where listeners.contains(listener): acceptor.markReady(listener)
    default:
      if event.isEnd { sessions[event.descriptor].sendsNoMore = true }
      if event.isWritable { resumeOutput(of: event.descriptor) }
      if event.isReadable { markReady(event.descriptor) }
    }
  }

  mutating func takeSignals() {
    while let signal = signals.next() {
      if signal == SIGHUP {
        log.write(.warning, "SIGHUP does nothing: restart the hub to read its configuration anew")
      } else {
        stopSignal = signal
      }
    }
  }

  private mutating func expireValues() {
    if let deadline = engine.nextDeadline, deadline <= now.boot { engine.expire(now: now) }
    timer.arm(for: engine.nextDeadline)
  }
}
