// The operations of a transaction, and their results.

package import FoundationEssentials

/// One operation of a transaction.
package enum EtcdOperation: Sendable, Equatable {
  /// Sets a key, with a lease if that is not 0.
  case put(Data, value: Data, lease: Int64 = 0, wantsPrevious: Bool = false)
  /// Deletes keys.
  case delete(EtcdKeys, wantsPrevious: Bool = false)
  /// Reads keys.
  case range(EtcdRange)
}

/// The result of an operation.
package enum EtcdOperationResult: Sendable, Equatable {
  /// The key was set; with its previous state, if that was requested and existed.
  case put(previous: EtcdKeyValue?)
  /// The number of deleted keys; with their previous states, if those were requested.
  case deleted(Int64, previous: [EtcdKeyValue])
  /// The keys that were read.
  case range(EtcdRangeResult)
}

extension EtcdOperation: Encodable {
  private enum Kind: String, CodingKey {
    case put = "request_put"
    case delete = "request_delete_range"
    case range = "request_range"
  }

  /// Writes etcd's JSON.
  package func encode(to encoder: any Encoder) throws {
    var kind = encoder.container(keyedBy: Kind.self)
    switch self {
    case .put(let key, let value, let lease, let wantsPrevious):
      try kind.encode(
        PutBody(key: key, value: value, lease: lease, wantsPrevious: wantsPrevious), forKey: .put)
    case .delete(let keys, let wantsPrevious):
      try kind.encode(DeleteBody(keys: keys, wantsPrevious: wantsPrevious), forKey: .delete)
    case .range(let range): try kind.encode(range, forKey: .range)
    }
  }
}

extension EtcdOperationResult: Decodable {
  private enum Kind: String, CodingKey {
    case put = "response_put"
    case delete = "response_delete_range"
    case range = "response_range"
  }

  private enum Keys: String, CodingKey {
    case deleted
    case previous = "prev_kv"
    case allPrevious = "prev_kvs"
  }

  /// Reads etcd's JSON.
  package init(from decoder: any Decoder) throws {
    let kind = try decoder.container(keyedBy: Kind.self)
    if kind.contains(.put) {
      let fields = try kind.nestedContainer(keyedBy: Keys.self, forKey: .put)
      self = .put(previous: try fields.decodeIfPresent(EtcdKeyValue.self, forKey: .previous))
    } else if kind.contains(.delete) {
      let fields = try kind.nestedContainer(keyedBy: Keys.self, forKey: .delete)
      self = .deleted(try fields.number(.deleted), previous: try fields.list(.allPrevious))
    } else {
      self = .range(try kind.decode(EtcdRangeResult.self, forKey: .range))
    }
  }
}

struct PutBody: Encodable {
  let key: Data
  let value: Data
  let lease: Int64
  let wantsPrevious: Bool

  private enum Keys: String, CodingKey {
    case key, value, lease
    case previous = "prev_kv"
  }

  func encode(to encoder: any Encoder) throws {
    var fields = encoder.container(keyedBy: Keys.self)
    try fields.encode(key, forKey: .key)
    try fields.encode(bytes: value, .value)
    try fields.encode(number: lease, .lease)
    try fields.encode(flag: wantsPrevious, .previous)
  }
}

struct DeleteBody: Encodable {
  let keys: EtcdKeys
  let wantsPrevious: Bool

  private enum Keys: String, CodingKey { case previous = "prev_kv" }

  func encode(to encoder: any Encoder) throws {
    try keys.encode(to: encoder)
    var fields = encoder.container(keyedBy: Keys.self)
    try fields.encode(flag: wantsPrevious, .previous)
  }
}
