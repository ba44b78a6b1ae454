// `value`, the answer to `get`: the fields that all frames about a store share, then the value.

/// A store's value, and its position in the store's history.
public struct StoreState: Hashable, Sendable {
  /// The store's number.
  public var id: StoreID
  /// The hub's revision at the store's last change.
  public var revision: Revision
  /// How many changes the store has had.
  public var version: UInt64
  /// When the last change was made, in nanoseconds since 1970.
  public var time: Int64
  /// Who made it.
  public var uid: UInt32
  /// The current value.
  public var value: Value
  /// To a watch with a deadline: whether a write has met it.
  package var silence: Silence?

  package init(id: StoreID, revision: Revision, version: UInt64, time: Int64, uid: UInt32, value: Value) {
    self.id = id
    self.revision = revision
    self.version = version
    self.time = time
    self.uid = uid
    self.value = value
  }
}

/// What a watch with a deadline receives about a store besides its state.
package enum Silence: Hashable, Sendable {
  /// No write has reached the store for as long as the deadline.
  case begun
  /// The store was written, perhaps with an equal value.
  case ended
}

extension StoreState {
  init?(reading reader: inout ByteReader) {
    guard let change = HubEvent.Removal(reading: &reader), let value = ValueView(reading: &reader) else {
      return nil
    }
    self = change.state(value.value)
  }
}

extension OutputBuffer {
  package mutating func append(_ state: StoreState) {
    appendPrefix(of: state)
    append(state.value)
  }
}
