// The hub's one thread: it waits for events and dispatches them. The engine has the rules; the exchange applies them.
//
// A turn: what descriptors report; the requests of ready sessions, one read each, with their replies sent at once; the
// turn's write to the journal; new connections; values whose time is up; sessions that have ended; then the turn's events,
// one send to each session that is due. If there are many of these, further steps follow, in which requests that only read
// are answered as well.

import HubCore
import HubEngine
import HubSystem

/// Everything that a running hub owns. It lives in a local variable of `HubServer.run`, so that nothing on its path is
/// shared, counted or checked for exclusive access at run time.
struct EventLoop: ~Copyable {
  var exchange: Exchange
  /// Reads the settings again, for a reload.
  let settings: @Sendable () throws(ServerError) -> ServerOptions
  var listeners: Listeners
  var acceptor: Acceptor
  var sockets = SocketWatch()
  var service: ServiceLink
  let signals: HubSignals
  var timer: DeadlineTimer
  /// What the last wait has brought: the most that one turn takes from the poller.
  var events = PollerEvents(capacity: 512)
  /// The timer has fired, and some of its work is still to be done.
  private var isTimerDue = false
  /// The signal that asked the hub to stop.
  var stopSignal: Signal?
  /// Notes to log at the beginning.
  private var notes: [String]
  private let predecessor: String?

  /// - Parameters:
  ///   - environment: its passed sockets, if any, are listened on instead of one at the options' path.
  ///   - settings: reads the settings again, for a reload.
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
    let limit = DescriptorLimit.raised()
    if let problem = limit.problem(for: options.maxClients) { log.write(.warning, problem) }
    let signals = try ServerError.attempt("signalfd", HubSignals())
    let timer = try ServerError.attempt("timerfd_create", DeadlineTimer())
    let acceptor = try ServerError.attempt("open /dev/null", Acceptor())
    let poller = try EventLoop.poller(of: server)
    var problems: [String] = []
    let listeners = try EventLoop.listeners(of: server, environment, options, &problems)
    var watched = [signals.raw, timer.descriptor.raw] + listeners.descriptors
    if let journal = beginning.journal { watched.append(journal.reports) }
    for descriptor in watched {
      try ServerError.attempt("epoll_ctl", poller.add(descriptor))
    }
    var service = ServiceLink(notifier: Notifier(to: environment.notifySocket), environment)
    if let problem = service.notifier.problem { log.write(.warning, problem) }
    service.complain(about: .configuration, beginning.complaint)
    if let complaint = beginning.complaint {
      log.write(.error, .reloadRefused, "\(complaint); the previous configuration stays in effect")
    }
    let notes = beginning.notes + problems
    let exchange = try Exchange(beginning, poller, descriptors: limit.count, log, now: now)
    self.notes = notes
    predecessor = server?.release
    self.settings = settings
    self.exchange = exchange
    self.signals = signals
    self.timer = timer
    self.acceptor = acceptor
    self.listeners = listeners
    self.service = service
  }

  private static func poller(of image: ServerImage?) throws(ServerError) -> Poller {
    if let raw = image?.poller, raw >= 0 { return Poller(adopting: raw) }
    // It survives exec, with all registrations: closing ten thousand of them would take longer than all other steps.
    return try ServerError.attempt("epoll_create1", Poller(survivesExecution: true))
  }

  private static func listeners(
    of image: ServerImage?, _ environment: ServiceEnvironment, _ options: ServerOptions,
    _ problems: inout [String]
  ) throws(ServerError) -> Listeners {
    for descriptor in environment.passed { try Listeners.check(descriptor) }
    var own: ListeningSocket?
    let inherited = image?.sockets ?? []
    let inheritedOwn = inherited.first { $0.name.isEmpty }
    if environment.passed.contains(where: \.isHubsOwn) {
      // The service manager's sockets replace the hub's own.
      for descriptor in [inheritedOwn?.listener, inheritedOwn?.lock] {
        if let descriptor, descriptor >= 0 { Descriptor.close(descriptor) }
      }
    } else if let socket = inheritedOwn {
      own = try ListeningSocket(inheriting: socket)
    } else {
      own = try ListeningSocket(
        path: options.socketPath, isSystem: options.isSystem, group: options.socketGroup)
    }
    do throws(ServerError) {
      let former = inherited.filter { !$0.name.isEmpty }.compactMap { FurtherSocket($0) }
      let further = try FurtherSockets(
        options, former: former, passed: environment.passed, mustServe: image != nil)
      problems += further.problems
      return Listeners(own: own.take(), passed: environment.passed, further.all, &problems)
    } catch {
      own?.withdraw()
      throw error
    }
  }

  /// Adopts the connections of the previous hub. Must come first.
  mutating func adopt(_ image: ServerImage) throws(ServerError) {
    try exchange.connections.adopt(image, &exchange.engine)
    exchange.awaitHellos(of: image)
    exchange.dismissMisplaced(since: image.settings.sockets)
    // The poller does not repeat an event that was taken from it.
    for listener in listeners.descriptors { acceptor.addReady(listener) }
  }

  /// Gives up what a serving hub does not need, before there is a second thread.
  func confine(configurations: [String]) {
    let options = exchange.options
    for notice in Confinement.begin(
      options, sockets: listeners.ownPaths, configurations: configurations,
      reachesAbstractSockets: service.notifier.isAbstract)
    {
      exchange.log.write(notice.level, notice.text)
    }
    exchange.log.begin()
  }

  /// Serves until a signal asks to stop.
  mutating func run() {
    defer { exchange.log.end() }
    do throws(ServerError) {
      try exchange.journal?.start()
    } catch {
      return exchange.log.write(.error, error.description)
    }
    begin()
    // A stop takes precedence: requests read together with it are not executed, and later ones are not read.
    while stopSignal == nil {
      turn()
      if exchange.reloading.isDue, stopSignal == nil, !exchange.engine.isHandingOut { advanceReload() }
    }
    exchange.reloading.abandonTrial()
    // An interrupt comes from a user who stops the hub.
    if stopSignal == .terminate, service.storesDescriptors {
      service.stopping()
      drain()
      if handOver() { return }
    }
    stop()
  }

  private mutating func begin() {
    let log = exchange.log
    for note in notes { log.write(.warning, note) }
    let release = exchange.options.engine.release
    let title = "version \(release) serves \(listeners.title)"
    if let predecessor {
      log.write(
        .info, .started,
        "\(title), and takes over \(quantity(exchange.engine.storeCount, "store")) and "
          + "\(quantity(exchange.connections.count, "client")) from version \(predecessor)")
    } else {
      log.write(.info, .started, title)
    }
    if sockets.raw >= 0 { try? exchange.connections.poller.add(sockets.raw) }
    checkSockets()
    timer.arm(for: sockets.deadline)
    // Memory that a previous hub or the journal freed is counted here as well.
    exchange.noteFreed()
    timer.arm(for: exchange.memoryReturn.deadline)
    timer.arm(for: exchange.journal?.retry)
    timer.arm(for: exchange.connections.nextDeadline)
    timer.arm(for: service.ready(at: exchange.now.boot, exchange.facts))
    exchange.answer(exchange.reloading.end(), .reloaded(release: release, notes: notes))
    notes = []
  }

  mutating func turn() {
    let hasWork =
      exchange.connections.hasWork || acceptor.hasWork || exchange.engine.hasWork || exchange.isGathering
    exchange.connections.poller.wait(&events, milliseconds: hasWork ? 0 : -1)
    let turn = exchange.begin(at: Clocks.now)
    for index in 0..<events.count { take(events[index]) }
    exchange.serveReady(in: turn)
    exchange.commit(turn)
    if isTimerDue {
      isTimerDue = false
      exchange.expireSessions(in: turn)
    }
    if acceptor.isReady { acceptClients() }
    if exchange.now.boot >= sockets.deadline { checkSockets() }
    exchange.expireValues(in: turn)
    exchange.finish(turn)
    armTimer()
    let end = SystemClock.boot
    let hasMetLimits = exchange.engine.monitoring.note(turn: end &- exchange.now.boot, at: end)
    if hasMetLimits || exchange.connections.shares.hasSlowed { exchange.logLimits() }
  }

  @inline(__always)
  private mutating func armTimer() {
    let (facts, deadline) = exchange.standing()
    timer.arm(for: deadline)
    timer.arm(for: exchange.journal?.retry)
    timer.arm(for: exchange.connections.nextDeadline)
    timer.arm(for: exchange.memoryReturn.deadline)
    timer.arm(for: sockets.deadline)
    timer.arm(for: service.beat(at: exchange.now.boot, facts))
  }

  @inline(__always)
  private mutating func take(_ event: PollerEvent) {
    switch event.descriptor {
    case timer.descriptor.raw:
      timer.fired()
      isTimerDue = true
      exchange.returnMemory()
      exchange.reloading.timerFired()
    case signals.raw: takeSignals()
    case sockets.raw: sockets.noteChange(now: exchange.now.boot)
    case let listener where listeners.contains(listener): acceptor.addReady(listener)
    case let reports where reports == exchange.journal?.reports: exchange.takeJournalReports()
    default: exchange.take(event)
    }
  }

  mutating func takeSignals() {
    let batch = signals.take()
    if batch.wantsReload || batch.wantsUpgrade { exchange.reloading.ask(upgrade: batch.wantsUpgrade) }
    if batch.childEnded { exchange.reloading.childEnded() }
    if let stop = batch.stop { stopSignal = stop }
    if exchange.log.isDebugging { exchange.logSignals(batch) }
  }

  mutating func acceptClients() {
    acceptor.nextListener()
    for _ in 0..<Acceptor.perTurn {
      let socket = listeners.name(of: acceptor.next)
      switch acceptor.accept() {
      case .accepted(let descriptor): exchange.welcome(descriptor, at: socket)
      case .lost: continue
      case .nobody: return
      case .mustRefuse(let descriptor):
        exchange.refuseLast(descriptor)
        acceptor.refused()
      case .failed(let problem):
        exchange.log.write(
          .warning, .acceptFailed, at: exchange.now.boot,
          "cannot accept a connection: \(problem)")
        return
      }
    }
  }
}
