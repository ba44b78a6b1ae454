// The directory of a login session's sockets, for a hub that is started without the session's environment, for
// example by cron or su.

import HubSystem

enum RuntimeDirectory {
  /// `/run/user/UID`, where clients look as well; nil if that is not there, or not the user's.
  static func ofUser(_ user: UInt32) -> String? {
    let path = "/run/user/\(user)"
    guard let status = try? FileStatus(at: path) else { return nil }
    return status.kind == .directory && status.owner == user ? path : nil
  }
}
