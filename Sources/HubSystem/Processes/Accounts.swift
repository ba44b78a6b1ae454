// The numbers of users and groups, according to the machine's name service.

internal import Glibc

/// Looks up users and groups. A directory service may keep the caller waiting.
package enum Accounts {
  /// The number of a user; nil: there is none of that name.
  package static func user(named name: String) throws(SystemError) -> UInt32? {
    try look { buffer, found in
      var entry = passwd()
      var result: UnsafeMutablePointer<passwd>?
      let problem = getpwnam_r(name, &entry, buffer.baseAddress!, buffer.count, &result)
      if result != nil { found = entry.pw_uid }
      return problem
    }
  }

  /// The number of a group; nil: there is none of that name.
  package static func group(named name: String) throws(SystemError) -> UInt32? {
    try look { buffer, found in
      var entry = Glibc.group()
      var result: UnsafeMutablePointer<Glibc.group>?
      let problem = getgrnam_r(name, &entry, buffer.baseAddress!, buffer.count, &result)
      if result != nil { found = entry.gr_gid }
      return problem
    }
  }

  /// The groups that a user's processes have after a login; none if the name service does not know the user.
  package static func groups(of user: UInt32) throws(SystemError) -> [UInt32] {
    var groups: [UInt32] = []
    _ = try look { buffer, found in
      var entry = passwd()
      var result: UnsafeMutablePointer<passwd>?
      let problem = getpwuid_r(user, &entry, buffer.baseAddress!, buffer.count, &result)
      guard result != nil, let name = entry.pw_name else { return problem }
      found = entry.pw_uid
      var count: Int32 = 64
      repeat {
        groups = [UInt32](repeating: 0, count: Int(count))
      } while getgrouplist(name, entry.pw_gid, &groups, &count) < 0 && Int(count) > groups.count
      groups.removeLast(max(0, groups.count - Int(count)))
      return problem
    }
    return groups
  }

  /// The errors of a name service for an unknown name, besides 0: see getpwnam(3).
  private static let unknown = [0, ENOENT, ESRCH, EBADF, EPERM]

  /// Calls with a longer buffer until the entry fits: a group with very many members has a long one.
  private static func look(
    _ call: (UnsafeMutableBufferPointer<CChar>, inout UInt32?) -> Int32
  ) throws(SystemError) -> UInt32? {
    var size = 1 << 12
    while true {
      var found: UInt32?
      let buffer = UnsafeMutableBufferPointer<CChar>.allocate(capacity: size)
      let problem = call(buffer, &found)
      buffer.deallocate()
      if found != nil || unknown.contains(problem) { return found }
      guard problem == ERANGE, size < 1 << 22 else { throw SystemError(problem) }
      size *= 4
    }
  }
}
