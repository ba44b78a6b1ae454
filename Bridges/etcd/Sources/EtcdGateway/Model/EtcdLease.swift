// Leases, which end unless they are renewed.

package import FoundationEssentials

/// A lease that etcd has granted.
package struct EtcdLease: Sendable, Equatable, Decodable {
  /// Its name in operations.
  package let id: Int64
  /// Its time in seconds after it was granted or renewed. It may be longer than requested.
  package let timeToLive: Int64

  private enum Keys: String, CodingKey {
    case id = "ID"
    case timeToLive = "TTL"
  }

  /// Reads etcd's JSON.
  package init(from decoder: any Decoder) throws {
    let fields = try decoder.container(keyedBy: Keys.self)
    id = try fields.number(.id)
    timeToLive = try fields.number(.timeToLive)
  }
}

/// The state of a lease.
package struct EtcdLeaseState: Sendable, Equatable, Decodable {
  /// Seconds that are left; -1: there is no such lease.
  package let left: Int64
  /// The seconds for which it was granted.
  package let granted: Int64
  /// The keys that end with it, if they were requested.
  package let keys: [Data]

  private enum Keys: String, CodingKey {
    case left = "TTL"
    case granted = "grantedTTL"
    case keys
  }

  /// Reads etcd's JSON.
  package init(from decoder: any Decoder) throws {
    let fields = try decoder.container(keyedBy: Keys.self)
    left = try fields.number(.left)
    granted = try fields.number(.granted)
    keys = try fields.list(.keys)
  }
}
