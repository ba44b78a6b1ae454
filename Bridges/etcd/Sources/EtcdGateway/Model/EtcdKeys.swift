// Which keys a range, a deletion or a watch is about.

package import FoundationEssentials

/// A set of keys. Keys are bytes, in the order of bytes.
package enum EtcdKeys: Sendable, Equatable {
  /// One key.
  case key(Data)
  /// All keys that begin with these bytes; without bytes all keys.
  case prefix(Data)
  /// All keys from the first on and before the second.
  case range(from: Data, to: Data)

  /// One key.
  package static func key(_ text: String) -> EtcdKeys { .key(Data(text.utf8)) }

  /// All keys that begin with a text.
  package static func prefix(_ text: String) -> EtcdKeys { .prefix(Data(text.utf8)) }

  /// All keys.
  package static var all: EtcdKeys { .prefix(Data()) }
}

extension EtcdKeys {
  /// The first key, and the key after the last one: empty for a single key, a zero byte for no end.
  var bounds: (first: Data, end: Data) {
    switch self {
    case .key(let key): (key, Data())
    case .range(let from, let to): (from, to)
    case .prefix(let prefix): (prefix.isEmpty ? EtcdKeys.zero : prefix, EtcdKeys.end(of: prefix))
    }
  }

  private static let zero = Data([0])

  /// The first key after all that begin with a prefix.
  private static func end(of prefix: Data) -> Data {
    var end = prefix
    while let last = end.popLast() {
      if last < 255 { return end + [last + 1] }
    }
    return zero
  }

  enum Fields: String, CodingKey {
    case key
    case end = "range_end"
  }

  func encode(to encoder: any Encoder) throws {
    var fields = encoder.container(keyedBy: Fields.self)
    try fields.encode(bounds.first, forKey: .key)
    try fields.encode(bytes: bounds.end, .end)
  }
}
