// Where a login session has its sockets, for a hub that is started without the session's environment, as by cron or su.

import Glibc

enum RuntimeDirectory {
  /// `/run/user/UID`, where clients look as well; nil if that is not there, or not the user's.
  static func ofUser(_ user: uid_t) -> String? {
    let path = "/run/user/\(user)"
    var status = stat()
    guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR, status.st_uid == user else {
      return nil
    }
    return path
  }
}
