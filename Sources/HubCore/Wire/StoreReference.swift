// A store as requests name it: owned, and borrowed from a frame.

/// A reference to a store on the wire: by name, or by the number that the hub assigned.
public enum StoreReference: Hashable, Sendable {
  case name(StoreName)
  case id(StoreID)

  init(_ key: StoreKey) throws(HubError) {
    self = key.name.isEmpty ? .id(key.id) : .name(try StoreName(key.name.text))
  }
}

/// A store as a request names it: by name, or by number if the name is empty.
@usableFromInline package struct StoreKey {
  @usableFromInline package let name: ByteView
  @usableFromInline package let id: StoreID

  @inlinable @inline(__always)
  package init(reading reader: inout ByteReader) {
    name = reader.shortBytes()
    id = StoreID(raw: name.isEmpty ? reader.integer() : 0)
  }

  @inlinable package init(_ name: ByteView) {
    self.name = name
    id = StoreID(raw: 0)
  }

  /// From a frame that names a store and nothing else.
  @inlinable @inline(__always)
  package init?(only frame: FrameView) {
    var reader = ByteReader(frame.payload)
    self.init(reading: &reader)
    if reader.failed { return nil }
  }

  /// The name in errors.
  package var label: String { name.isEmpty ? "store \(id)" : name.text }
}

extension OutputBuffer {
  mutating func append(_ store: StoreReference) {
    switch store {
    case .name(let name): append(short: name.text)
    case .id(let id):
      append(UInt8(0))
      append(id.raw)
    }
  }
}
