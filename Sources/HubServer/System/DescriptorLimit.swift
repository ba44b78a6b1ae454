// How many descriptors the process may have: raised as far as possible without privileges.

import Glibc

struct DescriptorLimit {
  let count: Int

  /// Descriptors that no client uses: the three standard ones, epoll, the listener and its lock, signals, timer, reserve.
  static let ownDescriptors = 16

  /// How many of `count` descriptors are kept from clients: for the few admitted beyond the limit, and for the hub's other
  /// uses, as in a reload.
  static func keptBack(of count: Int) -> Int { min(16, count / 8) }

  /// Raises the soft limit to the hard one.
  static func raised() -> DescriptorLimit {
    var limit = rlimit()
    guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else {
      return DescriptorLimit(count: 1024)
    }
    let soft = limit.rlim_cur
    if soft < limit.rlim_max {
      limit.rlim_cur = limit.rlim_max
      if setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) != 0 { limit.rlim_cur = soft }
    }
    return DescriptorLimit(count: Int(clamping: limit.rlim_cur))
  }

  /// What to report if this many clients cannot be served, or nil.
  func problem(for clients: Int) -> String? {
    let own = DescriptorLimit.ownDescriptors + DescriptorLimit.keptBack(of: count)
    guard count < clients + own else { return nil }
    let possible = max(0, count - own)
    return "the limit of \(count) descriptors allows \(possible) clients, fewer than maxClients, \(clients): "
      + "raise it (LimitNOFILE= in the unit, ulimit -n in a shell) or lower maxClients"
  }
}
