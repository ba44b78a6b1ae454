// `add`: adds a number to a store's.

package struct AddCommand: OperationCommand {
  package let store: StoreKey
  package let delta: ValueView
  package let clamp: Bool

  private enum Flag {
    static let clamp: UInt8 = 1 << 0
  }

  package init?(_ frame: FrameView) {
    var reader = ByteReader(frame.payload)
    store = StoreKey(reading: &reader)
    guard let delta = ValueView(reading: &reader) else { return nil }
    self.delta = delta
    clamp = frame.flags & Flag.clamp != 0
  }

  package func operation() throws(HubError) -> WriteOperation {
    .add(try StoreReference(store), try delta.checked(), clamp: clamp)
  }

  static func encode(
    _ store: StoreReference, _ delta: Value, clamp: Bool, _ id: UInt32, into out: inout OutputBuffer
  ) {
    out.frame(WriteKind.add.rawValue, flags: clamp ? Flag.clamp : 0, request: id) { out in
      out.append(store)
      out.append(delta)
    }
  }
}
