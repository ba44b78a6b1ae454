// A key with its value and its counters, and the head of every answer.

package import FoundationEssentials

/// A key as it was at some revision.
package struct EtcdKeyValue: Sendable, Equatable, Decodable {
  /// The key.
  package let key: Data
  /// The value; empty if only the key was requested, or the key was deleted.
  package let value: Data
  /// The revision of its creation.
  package let createRevision: Int64
  /// The revision of its last change.
  package let modRevision: Int64
  /// How often it was set since its creation; 0: it was deleted.
  package let version: Int64
  /// The lease that it ends with; 0: none.
  package let lease: Int64

  private enum Keys: String, CodingKey {
    case key, value, version, lease
    case createRevision = "create_revision"
    case modRevision = "mod_revision"
  }

  /// Reads etcd's JSON.
  package init(from decoder: any Decoder) throws {
    let fields = try decoder.container(keyedBy: Keys.self)
    key = try fields.bytes(.key)
    value = try fields.bytes(.value)
    createRevision = try fields.number(.createRevision)
    modRevision = try fields.number(.modRevision)
    version = try fields.number(.version)
    lease = try fields.number(.lease)
  }
}

/// The member that answered, and its revision.
package struct EtcdHeader: Sendable, Equatable, Decodable {
  /// The cluster.
  package let cluster: UInt64
  /// The member that has answered.
  package let member: UInt64
  /// The revision of the cluster's keys when it answered.
  package let revision: Int64
  /// How many elections there have been.
  package let term: UInt64

  private enum Keys: String, CodingKey {
    case revision
    case cluster = "cluster_id"
    case member = "member_id"
    case term = "raft_term"
  }

  /// Reads etcd's JSON.
  package init(from decoder: any Decoder) throws {
    let fields = try decoder.container(keyedBy: Keys.self)
    cluster = try fields.number(.cluster)
    member = try fields.number(.member)
    revision = try fields.number(.revision)
    term = try fields.number(.term)
  }
}
