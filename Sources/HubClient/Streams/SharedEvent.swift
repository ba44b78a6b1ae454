// One event, shared by all streams of its watch: made once, never copied.

public import HubCore
internal import Synchronization

@usableFromInline
final class SharedEvent: Sendable {
  @usableFromInline let event: StoreEvent
  /// The value as the program's own type, if decoding is costly: the first stream decodes it for all.
  private let decoded = Mutex<(any Sendable)?>(nil)

  init(_ event: consuming StoreEvent) { self.event = event }

  /// The value decoded by `codec`; nil if the event has none.
  @inlinable
  func value<Value>(_ codec: ValueCodec<Value>) throws(HubError) -> Value? {
    guard let value = event.value else { return nil }
    return codec.isCostly ? try decodedOnce(value, codec) : try codec.decode(value, of: event.name)
  }

  @usableFromInline
  func decodedOnce<Value>(_ value: HubValue, _ codec: ValueCodec<Value>) throws(HubError) -> Value {
    if let known = decoded.withLock({ $0 as? Value }) { return known }
    let made = try codec.decode(value, of: event.name)
    decoded.withLock { $0 = made }
    return made
  }
}
