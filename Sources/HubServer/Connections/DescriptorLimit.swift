// How many descriptors the process may have, and how many of them are for clients.

import HubSystem

struct DescriptorLimit {
  let count: Int

  /// Descriptors that no client uses: the three standard ones, epoll, the listener and its lock, signals, timer, reserve.
  static let ownDescriptors = 16

  /// How many of `count` descriptors are kept from clients: for the few admitted beyond the limit, and for the hub's other
  /// uses, as in a reload.
  static func keptBack(of count: Int) -> Int { min(16, count / 8) }

  /// Raises the soft limit to the hard one.
  static func raised() -> DescriptorLimit {
    DescriptorLimit(count: CurrentProcess.raiseDescriptorLimit() ?? 1024)
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
