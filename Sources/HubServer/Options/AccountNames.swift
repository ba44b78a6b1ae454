// Looks up the users and groups that a configuration names: the machine's name service, or a test.

import HubSystem

/// Looks up the number of a user or a group; nil: there is none of that name.
package struct AccountNames: Sendable {
  let user: @Sendable (String) throws(SystemError) -> UInt32?
  let group: @Sendable (String) throws(SystemError) -> UInt32?
  /// The groups of a user's processes after a login, the primary one first.
  var groups: @Sendable (UInt32) throws(SystemError) -> [UInt32] = { (user) throws(SystemError) in
    try Accounts.groups(of: user)
  }

  package static let system = AccountNames(
    user: { (name) throws(SystemError) in try Accounts.user(named: name) },
    group: { (name) throws(SystemError) in try Accounts.group(named: name) })
}
