// One watch of this process: what it has seen, and the streams that share it. It decides nothing about connections.

internal import HubCore

/// Confined to the core that owns it.
final class Subscription {
  let key: WatchKey
  var view = WatchView()
  /// The number of the watch request on this connection.
  var watch: UInt32?
  /// The hub has confirmed the watch on this connection: its events arrive.
  var isOpen = false
  /// Asked of the hub: every change.
  var wantsEvery: Bool
  /// The watch is opened once more on the same connection, without its streams' noticing.
  enum Reopening {
    case no
    case asked
    /// Until the next `synced`.
    case confirmed
  }

  var reopening = Reopening.no
  /// A stream has joined that has not seen a `synced`.
  var owesSync = false
  /// In the core's list of those that the next `synced` concerns.
  var isListed = false
  private(set) var streams: [EventStream] = []
  private var places: [ObjectIdentifier: Int] = [:]

  init(key: WatchKey, wantsEvery: Bool) {
    self.key = key
    self.wantsEvery = wantsEvery
  }

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
  func publish(_ event: StoreEvent, _ effects: inout Effects) {
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
