// One watch of this process: what it has seen, and the streams that share it. It does not manage connections.

internal import HubCore

/// Confined to the core that owns it.
final class Subscription {
  let key: WatchKey
  private(set) var view = WatchView()
  /// Shows the newest value to the program's handles on the one store that is watched, if there are any.
  var cached: CachedValue? { didSet { show() } }
  /// The number of the watch request on this connection.
  var watch: UInt32?
  /// The hub has confirmed the watch on this connection: its events arrive.
  var isOpen = false
  /// Whether the hub is asked for every change.
  var wantsEvery: Bool
  /// The watch is being reopened on the same connection, unnoticed by its streams.
  enum Reopening {
    case no
    case asked
    /// Until the next `synced`.
    case confirmed
  }

  var reopening = Reopening.no
  /// Whether a stream that has not seen a `synced` has joined.
  var owesSync = false
  /// Whether it is in the core's list of those that the next `synced` concerns.
  var isListed = false
  /// The core itself follows it, with or without streams.
  var isKept = false
  private(set) var streams: [EventStream] = []
  private var places: [ObjectIdentifier: Int] = [:]

  init(key: WatchKey, wantsEvery: Bool) {
    self.key = key
    self.wantsEvery = wantsEvery
  }

  /// Whether everything so far was received on this connection.
  var isCurrent: Bool { isOpen && view.isSynced }

  // MARK: What it has seen

  /// - Returns: what is new about it.
  func apply(_ event: HubEvent) -> StoreEvent? {
    let news = view.apply(event)
    show()
    return news
  }

  /// The hub has confirmed the watch on a new connection.
  ///
  /// - Returns: `reset` if the shown values will be repeated.
  func open(epoch: Epoch) -> StoreEvent? {
    let reset = view.open(epoch: epoch, every: wantsEvery)
    show()
    return reset
  }

  func reopen() { view.reopen(every: wantsEvery) }

  /// Records that everything up to `revision` was received.
  func advance(to revision: Revision) { view.advance(to: revision) }

  private func show() { cached?.show(view.onlyState?.value) }

  /// Called when it is no longer there, so that handles find nothing.
  func leave() {
    cached?.show(nil)
    cached = nil
  }

  // MARK: Streams

  func add(_ stream: EventStream) {
    places[ObjectIdentifier(stream)] = streams.count
    streams.append(stream)
  }

  /// - Returns: whether it was there.
  func remove(_ stream: EventStream) -> Bool {
    guard let place = places.removeValue(forKey: ObjectIdentifier(stream)) else { return false }
    let last = streams.removeLast()
    if last !== stream {
      streams[place] = last
      places[ObjectIdentifier(last)] = place
    }
    return true
  }

  /// Hands an event to every stream.
  func publish(_ event: consuming StoreEvent, _ effects: inout Effects) {
    let shared = SharedEvent(event)
    for (index, stream) in streams.enumerated() {
      if index + Prefetching.streams < streams.count { streams[index + Prefetching.streams].prefetch() }
      effects.wake(stream.push(shared))
    }
  }

  func end(_ error: HubError, _ effects: inout Effects) {
    for stream in streams { effects.wake(stream.fail(error)) }
    streams.removeAll()
    places.removeAll()
  }
}
