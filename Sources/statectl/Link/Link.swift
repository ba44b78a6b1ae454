// The connection of a verb that survives the loss of connections: opens one, detects its loss, and opens the next when
// it is due.

internal import HubCore
internal import HubTransport

struct Link: ~Copyable {
  /// The hub of the first connection, even if others appear later.
  let place: SocketPath
  private let name: String
  /// Outages are reported in another way.
  private let isQuiet: Bool
  var connection: HubConnection?
  /// What every connection is restricted to before anything else; nil: nothing is given up.
  private(set) var restriction: Restriction?
  /// How many connections there have been.
  private(set) var generation = 0
  private var backoff = Backoff()
  /// Since when there is a connection that works.
  private var working = Deadline.never
  private var outage: Outage?

  private struct Outage {
    let start = Deadline.now
    var nextAttempt = Deadline.now
    var isTold = false
    var error: HubError?
  }

  /// A connection that lasted this long counts as good. A hub that immediately closes every connection counts as missing.
  private static let steadiness = Duration.seconds(1)
  /// An outage that lasts longer is reported.
  private static let quietOutage = Duration.seconds(2)

  init(to place: SocketPath, for verb: VerbSpec, isQuiet: Bool = false) {
    self.place = .explicit(place.resolved)
    self.isQuiet = isQuiet
    name = "statectl " + verb.name
  }

  /// Whether there is a working connection.
  init(to place: SocketPath, for verb: VerbSpec, _ connection: consuming HubConnection) {
    self.init(to: place, for: verb)
    self.connection = consume connection
    generation = 1
    working = .now
  }

  /// What to poll for reading; -1 while there is no connection.
  var descriptor: Int32 {
    switch connection {
    case .some(let connection): connection.descriptor
    case nil: -1
    }
  }

  /// How the hub introduced itself, once it has answered something.
  var welcome: Welcome? {
    switch connection {
    case .some(let connection): connection.welcome
    case nil: nil
    }
  }

  var isOpen: Bool { descriptor >= 0 }

  /// Why there has been no connection for long enough to report it; nil if there is one.
  var toldError: HubError? { outage.flatMap { $0.isTold ? $0.error : nil } }

  /// When to try again; never while there is a connection.
  var nextAttempt: Deadline { outage?.nextAttempt ?? .never }

  /// Connects. The first reply shows whether the hub serves the connection: see `succeed`.
  mutating func open(until deadline: Deadline) throws(HubError) {
    connection = try HubConnection(to: place, name: name, deadline: deadline)
    generation += 1
    if let restriction { _ = try connection?.request(.restrict(restriction), deadline: deadline) }
  }

  /// Restricts the connection, and each later one.
  mutating func restrict(to next: Restriction, until deadline: Deadline) throws(HubError) {
    restriction = max(restriction ?? next, next)
    _ = try connection?.request(.restrict(next), deadline: deadline)
  }

  /// The connection works.
  mutating func succeed() {
    working = .now
    if outage?.isTold == true { complain("the hub at \(place.resolved) is back") }
    outage = nil
  }

  /// The next event that has arrived; nil: none has.
  mutating func event() throws(HubError) -> HubEvent? {
    do throws(HubError) {
      return try connection?.nextEvent(deadline: Deadline(nanoseconds: 0))
    } catch {
      guard error.code == .timeout else { throw error }
      return nil
    }
  }

  /// The connection is unusable, and another one is needed at once.
  mutating func reopen() {
    connection = nil
    outage = outage ?? Outage()
  }

  /// The connection was lost, or an attempt has failed.
  ///
  /// - Throws: errors that a retry cannot fix.
  mutating func lose(_ error: HubError) throws(Failure) {
    connection = nil
    let now = Deadline.now
    switch error.code {
    // A restarted hub may be full: its other clients may have reconnected first.
    case .noHub, .connectionLost, .shuttingDown, .timeout, .quota: break
    // A hub that is just starting may not have opened its socket to all users yet.
    case .denied where outage.map({ now < $0.start + Link.quietOutage }) ?? false: break
    default: throw .hub(error)
    }
    if outage == nil, working + Link.steadiness <= now { backoff.succeed() }
    var outage = outage ?? Outage()
    outage.error = error
    outage.nextAttempt = backoff.next(now: now, random: .random(in: 0 ... .max))
    if !isQuiet, !outage.isTold, outage.start + Link.quietOutage < now {
      outage.isTold = true
      let state = error.code == .quota ? "refuses (\(error.message))" : "is away"
      complain("the hub at \(place.resolved) \(state); waiting for it")
    }
    self.outage = outage
  }
}
