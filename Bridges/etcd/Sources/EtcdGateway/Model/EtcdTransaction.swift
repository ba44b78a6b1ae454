// A transaction: comparisons, and the operations for both results.

package import FoundationEssentials

/// A comparison with a key as it is.
package struct EtcdCompare: Sendable, Equatable {
  /// What is compared. A missing key has revisions and version 0, and a value that equals nothing.
  package enum Target: Sendable, Equatable {
    /// The revision of the last change.
    case modRevision(Int64)
    /// The revision of the creation.
    case createRevision(Int64)
    /// How often it was set.
    case version(Int64)
    /// The value.
    case value(Data)
  }

  /// How the key must relate to the given number or value.
  package enum Relation: String, Sendable {
    /// The same.
    case equal = "EQUAL"
    /// Another.
    case notEqual = "NOT_EQUAL"
    /// More.
    case greater = "GREATER"
    /// Less.
    case less = "LESS"
  }

  /// The key.
  package var key: Data
  /// What is compared.
  package var target: Target
  /// How.
  package var relation: Relation

  /// A comparison.
  package init(_ key: Data, _ target: Target, _ relation: Relation = .equal) {
    self.key = key
    self.target = target
    self.relation = relation
  }
}

/// A transaction. etcd refuses more than 128 operations, unless it was started with another `--max-txn-ops`.
package struct EtcdTransaction: Sendable, Equatable, Encodable {
  /// All of them must hold.
  package var compare: [EtcdCompare]
  /// Done if they hold. No key can be set twice.
  package var success: [EtcdOperation]
  /// Done if one does not hold.
  package var failure: [EtcdOperation]

  /// A transaction.
  package init(compare: [EtcdCompare] = [], success: [EtcdOperation], failure: [EtcdOperation] = []) {
    self.compare = compare
    self.success = success
    self.failure = failure
  }

  /// Whether it changes nothing in either case.
  package var isReading: Bool {
    (success + failure).allSatisfy { if case .range = $0 { true } else { false } }
  }
}

/// The result of a transaction.
package struct EtcdTransactionResult: Sendable, Equatable, Decodable {
  /// The revision of its changes; without changes that of the cluster.
  package let revision: Int64
  /// Whether all comparisons held.
  package let succeeded: Bool
  /// The results of the operations that were carried out.
  package let results: [EtcdOperationResult]

  private enum Keys: String, CodingKey { case header, succeeded, responses }

  /// Reads etcd's JSON.
  package init(from decoder: any Decoder) throws {
    let fields = try decoder.container(keyedBy: Keys.self)
    revision = try fields.decode(EtcdHeader.self, forKey: .header).revision
    succeeded = try fields.flag(.succeeded)
    results = try fields.list(.responses)
  }
}

extension EtcdCompare: Encodable {
  private enum Keys: String, CodingKey {
    case key, result, target, version, value
    case modRevision = "mod_revision"
    case createRevision = "create_revision"
  }

  /// Writes etcd's JSON.
  package func encode(to encoder: any Encoder) throws {
    var fields = encoder.container(keyedBy: Keys.self)
    try fields.encode(key, forKey: .key)
    try fields.encode(relation.rawValue, forKey: .result)
    switch target {
    case .modRevision(let revision):
      try fields.encode("MOD", forKey: .target)
      try fields.encode(String(revision), forKey: .modRevision)
    case .createRevision(let revision):
      try fields.encode("CREATE", forKey: .target)
      try fields.encode(String(revision), forKey: .createRevision)
    case .version(let version):
      try fields.encode("VERSION", forKey: .target)
      try fields.encode(String(version), forKey: .version)
    case .value(let value):
      try fields.encode("VALUE", forKey: .target)
      try fields.encode(value, forKey: .value)
    }
  }
}
