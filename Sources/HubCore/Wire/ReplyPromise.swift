// What an encoded reply promises about the disk, for whoever has to take it back.

extension Reply {
  /// Whether the frame acknowledges a write that waits for the disk, alone or in a transaction.
  public static func promisesSync(_ frame: FrameView) -> Bool {
    // `written`: store, revision and version, then the durability.
    let durability = 24
    switch frame.kind {
    case .written:
      return frame.payload.count > durability && frame.payload[durability] == Durability.synced.rawValue
    case .committed:
      var rest = frame.payload.suffix(from: min(8, frame.payload.count))
      while case .frame(let operation) = FrameReader(maximumLength: .max).scan(rest) {
        if promisesSync(operation) { return true }
        rest = rest.suffix(from: operation.bytes.count)
      }
      return false
    default: return false
    }
  }
}
