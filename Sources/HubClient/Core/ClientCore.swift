// The client as a pure value: bytes and time in, requests and events out. It owns the state of the connection. It uses
// no descriptor, clock, thread or random source, and calls nothing outside.
//
//     idle --(something is wanted)--> connecting --(connected)--> greeting --(welcome)--> ready
//       ^                                |  failed                  |  lost                 |
//       +--(nothing is wanted)-- waiting <--------------------------+-----------------------+
//
// A driver connects when `step` says so, sends `output`, hands in frames, and runs the effects once it holds no lock.

package import HubCore
package import HubTransport

/// Its fields belong to the connection, the requests and the watches; a welcome and a loss affect all of them.
package struct ClientCore: ~Copyable {
  package enum Link {
    /// No connection is needed.
    case idle
    /// The next attempt is due then.
    case waiting(until: Deadline)
    /// The driver was told to connect.
    case connecting
    /// Connected, with `hello` and everything else written. The hub must answer before this deadline.
    case greeting(until: Deadline)
    case ready(epoch: Epoch, maximumFrameLength: Int)

    package var isConnected: Bool {
      switch self {
      case .greeting, .ready: true
      case .idle, .waiting, .connecting: false
      }
    }
  }

  /// The limit of written requests that the socket has not taken yet. Beyond it a request fails with `quota`.
  static let maximumUnsentBytes = 64 << 20
  static let greetingTimeout = Duration.seconds(5)
  /// A connection that lasts this long resets the back-off.
  static let steadiness = Duration.seconds(1)
  /// A refusal may happen between a socket's creation and its final mode; this many in a row mean `denied`.
  static let refusals = 3

  let name: String
  package private(set) var link = Link.idle
  private var backoff = Backoff()
  private var random: UInt64
  /// The status that programs see. Requests whose deadline passes in the meantime fail with its error.
  var status = HubStatus.idle
  /// The streams of `status`. While there is one, a connection is wanted.
  var observers: [StatusStream] = []
  /// The hub refused this connection: nothing that was written to it was executed.
  private var isRefused = false
  private var lastEpoch: Epoch?

  /// Frames of this connection; the socket has taken those before `outputStart`.
  var output = OutputBuffer(capacity: 1024)
  private var outputStart = 0
  /// How much of this connection's output the socket has accepted in total.
  private(set) var sent: UInt64 = 0
  /// The last request number assigned.
  var lastID: UInt32 = 0
  /// Whether the numbers have wrapped around: only after that can the next one still be in use.
  var hasWrapped = false
  var helloID: UInt32 = 0
  /// What every connection is restricted to before anything else, and the request on this one; 0: none.
  package private(set) var restriction: Restriction?
  private var restrictID: UInt32 = 0

  var flights = Flights()
  /// No later than the first deadline of a pending request; it may be earlier, because requests complete in any order.
  var earliest = Deadline.never
  var held = HeldWrites()
  var ephemerals = Ephemerals()
  /// Questions about the stores of ephemeral values, on a new connection. Everything else waits for the answers.
  var inquiries: [UInt32: WriteOperation] = [:]
  var streamTimeouts = StreamTimeouts()

  var subscriptions: [WatchKey: Subscription] = [:]
  /// Those on one store, by its name, and all others.
  var literals: [String: Subscription] = [:]
  var patterned: [Subscription] = []
  /// What the hub leaves out of all of them.
  package var filter: WatchFilter?
  var cachedValues = CachedValues()
  var providers = ProviderWatch()
  /// Open requests of watches on this connection.
  var watches: [UInt32: Subscription] = [:]
  /// By the store's raw number.
  var routes: [UInt64: Route] = [:]
  /// Increases whenever a watch is added or removed; routes of an older generation are looked up again.
  var generation: UInt64 = 0
  /// Those for which the next `synced` is new.
  var unsynced: [Subscription] = []
  /// The watch that a `resumed` concerns: the last one confirmed.
  var lastConfirmed: Subscription?
  /// A watch that resumes from here on another connection misses nothing: everything up to here was received, or is
  /// superseded by a later change of the same store that has not arrived yet.
  var complete: Revision = 0
  /// The last `synced` of this connection: everything up to here was received.
  var synced: Revision = 0
  /// What this Hub claims, in the order of the requests.
  var ownClaims: [OwnClaim] = []
  var lastIteration: UInt64 = 0
  /// Why requests fail: the Hub was closed, or there can never be a connection.
  private(set) var failure: HubError?
  var isClosed: Bool { failure != nil }

  /// - Parameters:
  ///   - seed: of the back-off's jitter.
  ///   - end: why there can be no connection, if that is so.
  package init(name: String, seed: UInt64, end: HubError? = nil) {
    self.name = name
    random = seed
    failure = end
    if let end { status = end.code == .closed ? .closed : .unreachable(since: .now, end) }
  }

  private var isReady: Bool { if case .ready = link { true } else { false } }
  var epoch: Epoch? { if case .ready(let epoch, _) = link { epoch } else { nil } }
  var maximumFrameLength: Int {
    if case .ready(_, let length) = link { length } else { Frame.defaultMaximumLength }
  }

  private var isWanted: Bool {
    !isClosed
      && !(flights.isEmpty && subscriptions.isEmpty && ephemerals.isEmpty && observers.isEmpty
        && ownClaims.isEmpty)
  }

  /// Whether a request made now is sent at once.
  var isSending: Bool { link.isConnected && inquiries.isEmpty }

  /// Whether `step` would order a connection.
  var wantsConnection: Bool { if case .idle = link { isWanted } else { false } }

  // MARK: Time

  /// When `step` must be called again, at the latest.
  var nextDeadline: Deadline {
    var deadline = min(earliest, held.deadline, streamTimeouts.deadline)
    switch link {
    case .waiting(let until), .greeting(let until): deadline = min(deadline, until)
    case .idle, .connecting, .ready: break
    }
    return deadline
  }

  package enum Order {
    case none
    /// Connect now, and report with `connected` or `connectFailed`.
    case connect
    /// Close the connection; it counts as lost already.
    case disconnect
  }

  /// Ends what has timed out, and returns what the driver must do.
  package mutating func step(now: Deadline, _ effects: inout Effects) -> Order {
    // Before anything expires: a request that has already timed out must fail with the reason for the missing hub, not with `timeout`.
    if case .idle = link, isWanted {
      link = .connecting
      if case .idle = status { become(.connecting(since: now), &effects) }
      return .connect
    }
    expire(now, &effects)
    held.expire(now, &effects)
    expireStreams(now, &effects)
    switch link {
    case .greeting(let until) where until <= now:
      lost(HubError(.timeout, "the hub did not answer hello"), now: now, &effects)
      return .disconnect
    case .waiting(let until) where until <= now:
      link = isWanted ? .connecting : .idle
      return isWanted ? .connect : .none
    case .idle, .waiting, .connecting, .greeting, .ready: return .none
    }
  }

  // MARK: The connection

  package mutating func connected(now: Deadline, _ effects: inout Effects) {
    link = .greeting(until: now + ClientCore.greetingTimeout)
    isRefused = false
    clearOutput()
    sent = 0
    complete = 0
    synced = 0
    helloID = nextID()
    Request.hello(name: name).encode(into: &output, id: helloID)
    restrictID = restriction == nil ? 0 : nextID()
    if let restriction { Request.restrict(restriction).encode(into: &output, id: restrictID) }
    claimAll(&effects)
    // Ephemeral values come first, so that this process's own watches find them.
    for operation in ephemerals.conditional { setAgain(operation, &effects) }
    for operation in ephemerals.unconditional {
      let id = nextID()
      inquiries[id] = operation
      Request.describe(operation.store).encode(into: &output, id: id)
    }
    if inquiries.isEmpty { sendWaiting(&effects) }
  }

  /// Restricts every later connection. A restriction is never lifted.
  package mutating func restrict(to next: Restriction) { restriction = max(restriction ?? next, next) }

  package mutating func connectFailed(_ error: HubError, now: Deadline, _ effects: inout Effects) {
    miss(error, now, &effects)
    backoff.fail()
    if error.code == .denied, backoff.failures >= ClientCore.refusals {
      failAll(error, &effects)
    }
    wait(now)
  }

  /// The connection is gone.
  package mutating func lost(_ error: HubError, now: Deadline, _ effects: inout Effects) {
    // A hub that immediately closes every connection counts as missing.
    if case .connected(let since) = status, since + ClientCore.steadiness <= now {
      backoff.succeed()
    } else {
      backoff.fail()
    }
    miss(error, now, &effects)
    inquiries.removeAll()
    loseFlights(areUntouched: isRefused, &effects)
    loseWatches(now)
    loseClaims()
    clearOutput()
    wait(now)
  }

  private mutating func wait(_ now: Deadline) {
    guard isWanted else {
      link = .idle
      return
    }
    random = Jitter.next(after: random)
    link = .waiting(until: backoff.next(now: now, random: random))
  }

  /// What to send next.
  package var unsent: ByteView { output.view.suffix(from: outputStart) }

  /// Records that the socket has accepted this many bytes of `unsent`.
  package mutating func didSend(_ count: Int) {
    outputStart += count
    sent += UInt64(count)
    if outputStart == output.count {
      clearOutput()
    } else if outputStart > output.count / 2 {
      output.dropFirst(outputStart)
      outputStart = 0
    }
  }

  private mutating func clearOutput() {
    output.clear(keeping: 1 << 16)
    outputStart = 0
  }

  // MARK: Messages

  /// - Returns: why the connection must be closed, or nil.
  package mutating func receive(
    _ message: consuming HubMessage, now: Deadline, _ effects: inout Effects
  ) -> HubError? {
    do throws(HubError) {
      switch consume message {
      case .event(let event): try receive(event, &effects)
      case .reply(let id, let reply): try receive(reply, to: id, now, &effects)
      case .unknownEvent: break
      case .malformed(let error): throw error
      }
      return nil
    } catch {
      if error.code == .unsupportedVersion { failAll(error, &effects) }
      return error
    }
  }

  private mutating func receive(
    _ reply: consuming Reply, to id: UInt32, _ now: Deadline, _ effects: inout Effects
  ) throws(HubError) {
    // An error without a request concerns the connection; a hub that refuses a connection executes nothing.
    if id == 0 || id == helloID || id == restrictID, case .error(let error) = reply {
      isRefused = !isReady
      throw error
    }
    if id != helloID, !isReady {
      throw HubError(.protocolViolation, "the hub answered request \(id) before hello")
    }
    if let operation = inquiries.removeValue(forKey: id) {
      try described(operation, reply, &effects)
    } else if let flight = flights.remove(id) {
      land(flight, id, reply, &effects)
    } else if let subscription = watches[id] {
      try confirm(subscription, reply, id, &effects)
    } else if id == helloID {
      switch reply {
      case .welcome(let welcome): greet(welcome, now, &effects)
      default: throw HubError(.protocolViolation, "the hub did not answer hello with welcome")
      }
    } else if let index = ownClaims.firstIndex(where: { $0.request == id }) {
      claimed(at: index, reply, &effects)
    }
    // Otherwise it is the reply to a request that was abandoned, or to an `unwatch`.
  }

  private mutating func greet(_ welcome: Welcome, _ now: Deadline, _ effects: inout Effects) {
    // Store numbers are void in another epoch.
    if lastEpoch != welcome.epoch { routes.removeAll() }
    lastEpoch = welcome.epoch
    link = .ready(epoch: welcome.epoch, maximumFrameLength: Int(welcome.maximumFrameLength))
    become(.connected(since: now), &effects)
  }

  // MARK: The end

  /// No more replies will arrive.
  package mutating func close(_ effects: inout Effects) {
    let error = HubError(.closed, "this Hub was closed")
    failure = error
    failAll(error, &effects)
    become(.closed, &effects)
    link = .idle
    clearOutput()
  }

  private mutating func failAll(_ error: HubError, _ effects: inout Effects) {
    for id in flights.ids {
      if let call = flights[id]?.call { effects.finish(call, .failure(error)) }
    }
    flights.removeAll()
    earliest = .never
    held.releaseAll(&effects)
    for subscription in subscriptions.values { subscription.end(error, &effects) }
    endClaims(error, &effects)
    forgetWatches()
  }

  /// Where the next frame begins in this connection's output.
  var outputEnd: UInt64 { sent + UInt64(output.count - outputStart) }
}
