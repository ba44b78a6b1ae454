// The events of a watch.

/// A change of a key.
package struct EtcdEvent: Sendable, Equatable, Decodable {
  /// Whether it was deleted; otherwise it was set.
  package let isDeletion: Bool
  /// The key as it is now; of a deleted one only the key and the revision.
  package let keyValue: EtcdKeyValue
  /// Its previous state, if the watch requests it, it existed, and etcd still has it.
  package let previous: EtcdKeyValue?

  private enum Keys: String, CodingKey {
    case type, kv
    case previous = "prev_kv"
  }

  /// Reads etcd's JSON.
  package init(from decoder: any Decoder) throws {
    let fields = try decoder.container(keyedBy: Keys.self)
    isDeletion = try fields.decodeIfPresent(String.self, forKey: .type) == "DELETE"
    keyValue = try fields.decode(EtcdKeyValue.self, forKey: .kv)
    previous = try fields.decodeIfPresent(EtcdKeyValue.self, forKey: .previous)
  }
}

/// All changes of one revision: one transaction, or one request that changed something.
package struct EtcdRevision: Sendable, Equatable {
  /// Its number.
  package let number: Int64
  /// Its changes, in the order of etcd. There is at least one.
  package let events: [EtcdEvent]
}

/// One step of a watch.
package enum EtcdWatchStep: Sendable, Equatable {
  /// A whole revision. Each one that changes a watched key comes once, in order.
  case revision(EtcdRevision)
  /// Everything up to this revision was sent.
  case progress(Int64)
}
