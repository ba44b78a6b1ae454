// A watch that survives the loss of connections: opens it, detects the loss, and reopens it at the bookmark. It does
// not print values.

internal import HubCore
internal import HubTransport

struct Follower: ~Copyable {
  private let patterns: [NamePattern]
  private let policy: WatchPolicy
  private let filter: WatchFilter?
  private var link: Link
  private var story: Continuity
  /// The hub's revision when the watch was opened.
  private(set) var start: Revision = 0
  private var events: [StoreEvent] = []

  /// At most this many events are handed over at once, so that a burst of changes cannot pile up.
  private static let batch = 1024

  /// Opens the watch.
  ///
  /// - Parameters:
  ///   - filter: what the hub leaves out.
  ///   - restriction: of all of its connections.
  ///   - isQuiet: an outage is not reported.
  /// - Throws: `noHub` and other errors that prevent the first connection.
  init(
    _ patterns: [NamePattern], policy: WatchPolicy, at place: SocketPath, for verb: VerbSpec,
    until deadline: Deadline, filter: WatchFilter? = nil, restrictedTo restriction: Restriction? = nil,
    isQuiet: Bool = false
  ) throws(Failure) {
    self.patterns = patterns
    self.policy = policy
    self.filter = filter
    story = Continuity(filter?.comparesEach == true ? .every : policy)
    link = Link(to: place, for: verb, isQuiet: isQuiet)
    do throws(HubError) {
      if let restriction { try link.restrict(to: restriction, until: deadline) }
      try open(until: deadline)
    } catch {
      throw .hub(error)
    }
  }

  /// What to poll for reading; -1 while the hub is away.
  var descriptor: Int32 { link.descriptor }

  /// Why the hub has been away for a while; nil if it is not.
  var outage: HubError? { link.toldError }

  /// When `advance` has something to do even if nothing arrives.
  var nextAttempt: Deadline { link.nextAttempt }

  /// Restricts its connection, and each later one.
  ///
  /// - Throws: what ends the watch permanently.
  mutating func restrict(to restriction: Restriction, until deadline: Deadline) throws(Failure) {
    do throws(HubError) {
      try link.restrict(to: restriction, until: deadline)
    } catch {
      try link.lose(error)
    }
  }

  /// Handles what has arrived, or reconnects when it is time.
  ///
  /// - Returns: true if there may be more at once.
  /// - Throws: what ends the watch permanently.
  mutating func advance(until deadline: Deadline) throws(Failure) -> Bool {
    do throws(HubError) {
      if !link.isOpen {
        guard nextAttempt <= .now else { return false }
        try open(until: deadline)
      }
      while events.count < Follower.batch {
        guard let event = try link.event() else { return false }
        story.apply(event, into: &events)
      }
      return true
    } catch {
      try link.lose(error)
      return false
    }
  }

  /// Hands over the events that must be reported.
  mutating func takeEvents() -> [StoreEvent] {
    defer { events = [] }
    return events
  }

  /// Waits until the hub or a child has something, or until it is time: to reconnect, or `due`.
  ///
  /// - Returns: whether the child has.
  /// - Throws: `outputClosed` if the output's reader is gone.
  @discardableResult
  func wait(_ output: Int32, child: Int32 = -1, until due: Deadline) throws(Failure) -> Bool {
    try Waiting.poll(hub: descriptor, child: child, output: output, until: min(due, link.nextAttempt))
  }

  /// Takes what the filter holds back: another watch ends its interval, and brings what a condition has left out. A hub that is away, or
  /// does not answer, has nothing.
  mutating func takeRest() {
    let deadline = Deadline.after(.milliseconds(150))
    let watch = Request.watch(patterns, bookmark: story.bookmark, filter: filter)
    var hasResumed = false
    do throws(HubError) {
      _ = try link.connection?.request(watch, deadline: deadline)
      while let event = try link.connection?.nextEvent(deadline: deadline) {
        if case .resumed = event {
          hasResumed = true
          continue
        }
        story.apply(event, into: &events)
        if hasResumed, case .synced = event { return }
      }
    } catch {}
  }

  private mutating func open(until deadline: Deadline) throws(HubError) {
    let deadline = min(deadline, .after(HubConnection.defaultPatience))
    try link.open(until: deadline)
    let watch = Request.watch(patterns, policy: policy, bookmark: story.bookmark, filter: filter)
    guard case .watching(let start)? = try link.connection?.request(watch, deadline: deadline),
      let welcome = link.welcome
    else { throw .unexpectedReply }
    self.start = start
    story.open(epoch: welcome.epoch, into: &events)
    link.succeed()
  }
}
