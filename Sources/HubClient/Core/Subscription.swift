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
  private(set) var streams: [ObjectIdentifier: EventStream] = [:]

  init(key: WatchKey, wantsEvery: Bool) {
    self.key = key
    self.wantsEvery = wantsEvery
  }

  func add(_ stream: EventStream) { streams[ObjectIdentifier(stream)] = stream }

  /// - Returns: whether it was there.
  func remove(_ stream: EventStream) -> Bool { streams.removeValue(forKey: ObjectIdentifier(stream)) != nil }

  /// Hands an event to every stream.
  func publish(_ event: StoreEvent, _ effects: inout Effects) {
    for stream in streams.values { effects.wake(stream.push(event)) }
  }

  func end(_ error: HubError, _ effects: inout Effects) {
    for stream in streams.values { effects.wake(stream.end(.failure(error))) }
    streams.removeAll()
  }
}
