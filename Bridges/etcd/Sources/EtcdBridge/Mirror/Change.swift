// A change of a key as it is published: which store it is, and what the key has become.

internal import EtcdGateway
internal import FoundationEssentials

struct Change {
  let key: Data
  let name: String
  /// What the key is now; nil: it is gone.
  let now: EtcdKeyValue?
  /// It cannot be shown, because of this.
  var problem: String?
  var end = End.remove

  /// How a store ends whose key is gone, or cannot be shown. Each is tried if the one before is refused.
  enum End {
    case remove
    /// The configuration declares it: it goes back to its first value.
    case reset
    /// It keeps what it has.
    case none

    var next: End { self == .remove ? .reset : .none }
  }

  init(key: Data, name: String, now: EtcdKeyValue?) {
    (self.key, self.name, self.now) = (key, name, now)
  }

  /// About how long it is in a message.
  var length: Int { 64 + name.utf8.count + (now?.value.count ?? 0) }

  /// In pieces that the hub takes as one transaction each.
  static func pieces(_ changes: [Change]) -> [ArraySlice<Change>] {
    var pieces: [ArraySlice<Change>] = []
    var (start, length) = (0, 0)
    for (index, change) in changes.enumerated() {
      // A store whose type changes takes two operations, and the record one.
      if index > start, index - start >= 2000 || length + change.length > longest {
        pieces.append(changes[start..<index])
        (start, length) = (index, 0)
      }
      length += change.length
    }
    pieces.append(changes[start...])
    return pieces
  }

  /// Less than what a hub takes as one message, by default.
  private static let longest = (1 << 20) - 512
}
