// A watch that outlives its connections: opens it, loses it, opens it again at the bookmark. It prints no values.

internal import HubCore
internal import HubTransport

struct Follower: ~Copyable {
  private let place: SocketPath
  private let verb: VerbSpec
  private let patterns: [NamePattern]
  private let policy: WatchPolicy
  private var connection: HubConnection?
  private var story: Continuity
  private var reconnection: Reconnection
  /// The hub's revision when the watch was opened.
  private(set) var start: Revision = 0

  /// As many events are handed over at once, so that a storm of changes cannot pile up.
  private static let batch = 1024

  /// Opens the watch.
  ///
  /// - Parameter isQuiet: an outage is not reported.
  /// - Throws: `noHub` and whatever else keeps the first connection from working.
  init(
    _ patterns: [NamePattern], policy: WatchPolicy, at place: SocketPath, for verb: VerbSpec,
    until deadline: Deadline, isQuiet: Bool = false, into events: inout [StoreEvent]
  ) throws(Failure) {
    // Reconnects go to the hub of the first connection, whatever comes to exist meanwhile.
    self.place = .explicit(place.resolved)
    self.verb = verb
    self.patterns = patterns
    self.policy = policy
    story = Continuity(policy)
    reconnection = Reconnection(to: self.place.resolved, isQuiet: isQuiet)
    do throws(HubError) {
      try open(until: deadline, into: &events)
    } catch {
      throw .hub(error)
    }
  }

  /// What to poll for reading; -1 while the hub is away.
  var descriptor: Int32 {
    switch connection {
    case .some(let connection): connection.descriptor
    case nil: -1
    }
  }

  /// Why the hub has been away for a while; nil if it is not.
  var outage: HubError? { reconnection.toldError }

  /// When `advance` has something to do even if nothing arrives.
  var nextAttempt: Deadline { reconnection.nextAttempt }

  /// Takes what has arrived, or tries to come back to a hub that was away when it is time to.
  ///
  /// - Returns: true if there may be more at once.
  /// - Throws: what ends the watch for good.
  mutating func advance(until deadline: Deadline, into events: inout [StoreEvent]) throws(Failure) -> Bool {
    do throws(HubError) {
      if connection == nil {
        guard nextAttempt <= .now else { return false }
        try open(until: deadline, into: &events)
      }
      while events.count < Follower.batch {
        guard let event = try connection?.nextEvent(deadline: Follower.atOnce) else { return false }
        story.apply(event, into: &events)
      }
      return true
    } catch {
      if error.code == .timeout, descriptor >= 0 { return false }
      try reconnection.fail(error)
      connection = nil
      return false
    }
  }

  private static let atOnce = Deadline(nanoseconds: 0)

  private mutating func open(
    until deadline: Deadline, into events: inout [StoreEvent]
  ) throws(HubError) {
    let deadline = min(deadline, .after(HubConnection.defaultPatience))
    var opened = try HubConnection(to: place, name: "statectl " + verb.name, deadline: deadline)
    let watch = Request.watch(patterns, policy: policy, bookmark: story.bookmark)
    guard case .watching(let start) = try opened.request(watch, deadline: deadline),
      let welcome = opened.welcome
    else {
      throw HubError(.protocolViolation, "the hub's answer does not belong to the question")
    }
    self.start = start
    connection = consume opened
    story.open(epoch: welcome.epoch, into: &events)
    reconnection.succeed()
  }
}
