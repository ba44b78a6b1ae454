// What each user's account must hold between two turns: counted anew from everything that there is.

@testable import HubCore
@testable import HubEngine

extension HubEngine {
  func checkAccounts(_ broken: inout [String]) {
    var wanted: [UInt32: (stores: Int, storeBytes: Int, watchBytes: Int)] = [:]
    for slot in 0..<stores.used where stores[slot].id.raw != 0 {
      let (creator, writer) = (stores[slot].creator, stores[slot].uid)
      wanted[creator, default: (0, 0, 0)].stores += 1
      if feed.patternCount(of: slot, stores) != Int(stores[slot].patternCount) {
        broken.append("Accounts: \(stores.name(of: slot).text) says \(stores[slot].patternCount) patterns")
      }
      wanted[creator, default: (0, 0, 0)].storeBytes +=
        MemoryCost.store(stores.name(of: slot).count, stores.schema(of: slot))
      wanted[writer, default: (0, 0, 0)].storeBytes += stores.valueMemory(of: slot)
    }
    for (uid, bytes) in feed.countWatches(&broken) { wanted[uid, default: (0, 0, 0)].watchBytes += bytes }
    for ticket in claims.all.flatMap({ $0.waiting.all + $0.ends.all + $0.forwarded })
      + claims.late.map(\.ticket) + claims.orphans.all
    {
      if ticket.isRead {
        for reader in ticket.readers {
          wanted[feed.sessions.peer(of: reader.session).uid, default: (0, 0, 0)].watchBytes += reader.memory
        }
      } else {
        wanted[ticket.payer, default: (0, 0, 0)].watchBytes += ticket.memory
      }
    }
    var connections: [UInt32: Int] = [:]
    for raw in 0..<feed.sessions.limit where feed.sessions.isOpen(SessionID(raw: raw)) {
      let info = feed.sessions.info(of: SessionID(raw: raw))
      if info.memory > 0 { connections[info.peer.uid, default: 0] += info.memory }
    }
    for uid in connections.keys where wanted[uid] == nil { wanted[uid] = (0, 0, 0) }
    var all = 0
    for uid in Set(wanted.keys).union(stores.accounts.all.map(\.uid)) {
      let (account, wanted) = (stores.accounts[uid], wanted[uid] ?? (0, 0, 0))
      all += wanted.storeBytes + wanted.watchBytes + connections[uid, default: 0]
      if account.connectionBytes != connections[uid, default: 0] {
        broken.append("Accounts: user \(uid) has \(connections[uid] ?? 0) for connections: \(account)")
      }
      if (account.stores, account.storeBytes, account.watchBytes) != wanted {
        broken.append("Accounts: user \(uid) has \(wanted), it says \(account)")
      }
    }
    if all != stores.accounts.bytes {
      broken.append("Accounts: \(all) bytes, it says \(stores.accounts.bytes)")
    }
  }
}

extension Feed {
  /// How many patterns a store is a member of, by its list, and of `**`, which is in no list, once it is noted.
  fileprivate func patternCount(of slot: Int, _ stores: borrowing Stores) -> Int {
    var (node, count) = (stores[slot].memberships, stores[slot].patternCount == 0 ? 0 : 1)
    while node >= 0 { (node, count) = (patterns.memberships[node].nextOfStore, count + 1) }
    return count
  }

  /// What each user has for watches, lists, and patterns of which it pays.
  fileprivate func countWatches(_ broken: inout [String]) -> [UInt32: Int] {
    var bytes: [UInt32: Int] = [:]
    for raw in 0..<sessions.limit {
      let session = SessionID(raw: raw)
      sessions.forEachWatch(of: session) { _, _ in
        bytes[sessions.peer(of: session).uid, default: 0] += MemoryCost.watch
      }
    }
    for (session, filter) in filters {
      bytes[sessions.peer(of: session).uid, default: 0] += filter.charged
      if filter.charged < filter.memory(watches: 0) {
        broken.append("Accounts: \(filter.charged) is charged for the filter of \(session)")
      }
    }
    for (session, request) in unfinished {
      switch request {
      case .watch(let progress):
        bytes[sessions.peer(of: session).uid, default: 0] +=
          progress.memory + MemoryCost.watch * progress.watches.count
      case .list: bytes[sessions.peer(of: session).uid, default: 0] += MemoryCost.list
      case .unwatch: break
      }
    }
    for index in 1..<max(1, patterns.limit) where patterns[index].stage != .free {
      bytes[patterns[index].payer, default: 0] +=
        MemoryCost.pattern(patterns[index].pattern) + MemoryCost.membership * patterns[index].order.members
      checkUsers(of: index, &broken)
    }
    return bytes
  }

  /// The first of a pattern's watches pays for it, and all of them are in its list.
  private func checkUsers(of index: Int32, _ broken: inout [String]) {
    let text = patterns[index].pattern.text
    var (watch, previous, count) = (patterns[index].firstWatch, Int32(-1), 0)
    if watch >= 0 {
      let user = sessions.peer(of: SessionID(raw: sessions[watch: watch].session)).uid
      if patterns[index].payer != user {
        broken.append("Accounts: \(patterns[index].payer) pays for \(text), not \(user)")
      }
    }
    while watch >= 0, count <= patterns[index].references {
      if sessions[watch: watch].previousOfPattern != previous || sessions[watch: watch].pattern != index {
        broken.append("Accounts: the watches of \(text) are no list")
      }
      (watch, previous, count) = (sessions[watch: watch].nextOfPattern, watch, count + 1)
    }
    if count != patterns[index].references {
      broken.append(
        "Accounts: \(text) has \(count) watches in its list, and \(patterns[index].references) uses")
    }
  }
}
