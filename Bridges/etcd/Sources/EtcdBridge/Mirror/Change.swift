// A change of a key as it is published: the store and the new state.

internal import EtcdGateway
internal import FoundationEssentials

struct Change {
  let key: Data
  let name: String
  /// The key as it is now; nil: it was deleted.
  let now: EtcdKeyValue?
  /// Why it cannot be shown.
  var problem: String?
  var end = End.remove

  /// How a store ends whose key was deleted or cannot be shown. If the hub refuses one way, the next is tried.
  enum End {
    case remove
    /// The configuration declares it: it returns to its initial value.
    case reset
    /// It keeps its value.
    case none

    var next: End { self == .remove ? .reset : .none }
  }

  init(key: Data, name: String, now: EtcdKeyValue?) {
    (self.key, self.name, self.now) = (key, name, now)
  }

  /// Its approximate length in a message.
  var length: Int { 64 + name.utf8.count + (now?.value.count ?? 0) }

  /// Divides changes into pieces that fit into one transaction each.
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

  /// Less than the longest message of a hub with default settings.
  private static let longest = (1 << 20) - 512
}
