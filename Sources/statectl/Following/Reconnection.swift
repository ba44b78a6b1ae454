// What follows from the loss of a connection: when to try again, what the user is told, what is for good. It connects nothing.

internal import HubCore
internal import HubTransport

struct Reconnection {
  private let path: String
  /// The user is told by somebody else.
  private let isQuiet: Bool
  private var backoff = Backoff()
  /// Since when there is a connection.
  private var connected = Deadline.never
  private var outage: Outage?

  private struct Outage {
    let start = Deadline.now
    var nextAttempt = Deadline.now
    var isTold = false
    var error: HubError?
  }

  /// A connection that lasted this long was a good one. A hub that immediately ends every connection counts as no hub.
  private static let steadiness = Duration.seconds(1)
  /// An outage that lasts longer is reported.
  private static let quietOutage = Duration.seconds(2)

  init(to path: String, isQuiet: Bool = false) {
    self.path = path
    self.isQuiet = isQuiet
  }

  /// Why there has been no connection for longer than the user is spared; nil if there is one.
  var toldError: HubError? { outage.flatMap { $0.isTold ? $0.error : nil } }

  /// When to try again; never while there is a connection.
  var nextAttempt: Deadline { outage?.nextAttempt ?? .never }

  /// There is a connection.
  mutating func succeed() {
    connected = .now
    if outage?.isTold == true { complain("the hub at \(path) is back") }
    outage = nil
  }

  /// The connection was given up, and another one is wanted.
  mutating func tryAtOnce() { outage = outage ?? Outage() }

  /// The connection was lost, or an attempt has failed.
  ///
  /// - Throws: what no later attempt would make good.
  mutating func fail(_ error: HubError) throws(Failure) {
    let now = Deadline.now
    switch error.code {
    // A hub that came back may be full: its other clients have come back first.
    case .noHub, .connectionLost, .shuttingDown, .timeout, .quota: break
    // A hub that is just starting has not opened its socket to everybody yet.
    case .denied where outage.map({ now < $0.start + Reconnection.quietOutage }) ?? false: break
    default: throw .hub(error)
    }
    if outage == nil, connected + Reconnection.steadiness <= now { backoff.succeed() }
    var outage = outage ?? Outage()
    outage.error = error
    outage.nextAttempt = backoff.next(now: now, random: .random(in: 0 ... .max))
    if !isQuiet, !outage.isTold, outage.start + Reconnection.quietOutage < now {
      outage.isTold = true
      let state = error.code == .quota ? "refuses (\(error.message))" : "is away"
      complain("the hub at \(path) \(state); waiting for it")
    }
    self.outage = outage
  }
}
