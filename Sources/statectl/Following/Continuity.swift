// A watch as one continuous sequence: after a `forget` only differences are reported. It has no connection.

internal import HubCore

/// `WatchView` with a memory across resets: the user has seen the printed lines, and must not see all of them again
/// because the hub began a new history.
struct Continuity {
  private var view = WatchView()
  /// While the hub shows everything again: what was reported and has not been seen since.
  private var remembered: [String: StoreEvent]?
  private var hasStarted = false
  private let sendsEvery: Bool

  /// - Parameter policy: what the hub was asked to send; with `every`, events indicate whether they lead to a state
  ///   that existed.
  init(_ policy: WatchPolicy = .latest) { sendsEvery = policy == .every }

  /// Where the watch resumes when it is opened again; nil before the first `synced`.
  var bookmark: Bookmark? { view.bookmark }

  /// The watch was opened on a new connection, with the bookmark if there is one.
  mutating func open(epoch: Epoch, into events: inout [StoreEvent]) {
    let told = view.introduction()
    if let reset = view.open(epoch: epoch, every: sendsEvery) { remember(told, reset, into: &events) }
  }

  /// Applies the next frame and adds what must be reported.
  mutating func apply(_ event: HubEvent, into events: inout [StoreEvent]) {
    var told: [StoreEvent] = []
    if case .forget = event { told = view.introduction() }
    guard var news = view.apply(event) else { return }
    switch news.kind {
    case .reset: remember(told, news, into: &events)
    case .synced:
      tellRemovals(at: news, into: &events)
      events.append(news)
    case .initial where remembered != nil:
      let old = remembered?.removeValue(forKey: news.name)
      if let old, news.repeats(old) { return }
      if hasStarted { news.kind = .changed } else { news.skipped = 0 }
      events.append(news)
    case .initial, .changed, .removed, .resumed: events.append(news)
    }
  }

  private mutating func remember(_ told: [StoreEvent], _ reset: StoreEvent, into events: inout [StoreEvent]) {
    var stores = remembered ?? [:]
    for event in told { stores[event.name] = event }
    remembered = stores
    if hasStarted { events.append(reset) }
  }

  /// What was not shown again is gone. When that happened, and how often it changed before, is unknown.
  private mutating func tellRemovals(at synced: StoreEvent, into events: inout [StoreEvent]) {
    hasStarted = true
    guard let gone = remembered else { return }
    remembered = nil
    for name in gone.keys.sorted() {
      events.append(
        StoreEvent(.removed, name: name, revision: synced.revision, epoch: synced.epoch, skipped: nil))
    }
  }
}

extension StoreEvent {
  /// Whether this shows nothing that `other`, of the same name, has not shown. Within an epoch the store's number
  /// decides: a store that was removed and recreated can have the same version. Across epochs only values compare.
  fileprivate func repeats(_ other: StoreEvent) -> Bool {
    epoch == other.epoch ? isRepeat : value == other.value
  }
}
