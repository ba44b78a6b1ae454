// A member's status, and the list of members.

/// A member's own status.
package struct EtcdStatus: Sendable, Equatable, Decodable {
  /// The member that answers, and its revision.
  package let header: EtcdHeader
  /// Its version, such as 3.4.23.
  package let version: String
  /// The bytes of its database.
  package let databaseSize: Int64
  /// The leader according to this member; 0: none.
  package let leader: UInt64
  /// Its alarms, for example a full database.
  package let errors: [String]

  private enum Keys: String, CodingKey { case header, version, dbSize, leader, errors }

  /// Reads etcd's JSON.
  package init(from decoder: any Decoder) throws {
    let fields = try decoder.container(keyedBy: Keys.self)
    header = try fields.decode(EtcdHeader.self, forKey: .header)
    version = try fields.decode(String.self, forKey: .version)
    databaseSize = try fields.number(.dbSize)
    leader = try fields.number(.leader)
    errors = try fields.list(.errors)
  }
}

/// A member as the others know it.
package struct EtcdMember: Sendable, Equatable, Decodable {
  /// Its number in headers.
  package let id: UInt64
  /// Its name; empty: it has not started yet.
  package let name: String
  /// Where clients reach it.
  package let clientURLs: [String]

  private enum Keys: String, CodingKey {
    case id = "ID"
    case name, clientURLs
  }

  /// Reads etcd's JSON.
  package init(from decoder: any Decoder) throws {
    let fields = try decoder.container(keyedBy: Keys.self)
    id = try fields.number(.id)
    name = try fields.decodeIfPresent(String.self, forKey: .name) ?? ""
    clientURLs = try fields.list(.clientURLs)
  }
}
