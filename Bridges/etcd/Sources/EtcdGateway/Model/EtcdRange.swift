// Reading keys: the request, and its result.

/// A request to read keys.
package struct EtcdRange: Sendable, Equatable, Encodable {
  /// Which keys.
  package var keys: EtcdKeys
  /// At which revision; 0: now.
  package var revision: Int64
  /// How many keys at most; 0: all.
  package var limit: Int64
  /// Whether values are left out.
  package var isWithoutValues: Bool
  /// Whether a member may answer from its own copy, which is faster and possibly outdated.
  package var isSerializable: Bool

  /// A request for keys, by default as the whole cluster has them now.
  package init(
    _ keys: EtcdKeys, revision: Int64 = 0, limit: Int64 = 0, isWithoutValues: Bool = false,
    isSerializable: Bool = false
  ) {
    self.keys = keys
    self.revision = revision
    self.limit = limit
    self.isWithoutValues = isWithoutValues
    self.isSerializable = isSerializable
  }

  private enum Keys: String, CodingKey {
    case revision, limit, serializable
    case keysOnly = "keys_only"
  }

  /// Writes etcd's JSON.
  package func encode(to encoder: any Encoder) throws {
    try keys.encode(to: encoder)
    var fields = encoder.container(keyedBy: Keys.self)
    try fields.encode(number: revision, .revision)
    try fields.encode(number: limit, .limit)
    try fields.encode(flag: isWithoutValues, .keysOnly)
    try fields.encode(flag: isSerializable, .serializable)
  }
}

/// The keys that were read.
package struct EtcdRangeResult: Sendable, Equatable, Decodable {
  /// The cluster's revision when it answered, which may differ from the requested revision.
  package let currentRevision: Int64
  /// The keys, in the order of bytes.
  package let keyValues: [EtcdKeyValue]
  /// Whether there are more than the limit.
  package let hasMore: Bool
  /// How many there are, without the limit.
  package let count: Int64

  private enum Keys: String, CodingKey { case header, kvs, more, count }

  /// Reads etcd's JSON.
  package init(from decoder: any Decoder) throws {
    let fields = try decoder.container(keyedBy: Keys.self)
    currentRevision = try fields.decodeIfPresent(EtcdHeader.self, forKey: .header)?.revision ?? 0
    keyValues = try fields.list(.kvs)
    hasMore = try fields.flag(.more)
    count = try fields.number(.count)
  }
}
