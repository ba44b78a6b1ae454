// Refusals because of a limit, and their messages.

import HubCore

extension Stores {
  /// Why a user may not use more memory; nil: it may.
  ///
  /// - Parameters:
  ///   - more: in the user's account, in bytes.
  ///   - ofAll: in all accounts together.
  func refusal(_ more: Int, ofAll: Int, for user: Payer) -> String? {
    let limits = accounts.limits
    if !user.isTrusted, more > 0 {
      let bytes = accounts[user.uid].bytes + pinnedBytes(of: user.uid)
      if bytes + more > limits.user {
        return
          "user \(user.uid) uses \(bytes) bytes, and this needs \(more) more: "
          + "maxUserMemoryBytes in the hub's configuration allows \(limits.user)"
      }
    }
    let reserve = user.isTrusted ? 0 : MemoryLimits.reserve(of: limits.total)
    guard ofAll > 0, memory + ofAll > limits.total - reserve else { return nil }
    return "all users together use \(memory) bytes, and this needs \(ofAll) more: "
      + "maxMemoryBytes in the hub's configuration allows \(limits.total)\(Accounts.kept(reserve))"
  }

  /// What all users together use.
  var memory: Int { accounts.bytes + pinnedBytes }
}

extension Accounts {

  /// Why a user may not create one more store; nil: it may.
  ///
  /// - Parameter count: how many there are.
  func storeRefusal(_ count: Int, for user: Payer) -> String? {
    if !user.isTrusted, self[user.uid].stores >= limits.userStores {
      return
        "user \(user.uid) has created \(self[user.uid].stores) stores, as many as maxUserStores in the hub's "
        + "configuration allows"
    }
    let reserve = user.isTrusted ? 0 : MemoryLimits.reserve(of: limits.stores)
    guard count >= limits.stores - reserve else { return nil }
    return "the hub holds \(count) stores: maxStores in its configuration allows \(limits.stores)"
      + Accounts.kept(reserve)
  }

  fileprivate static func kept(_ reserve: Int) -> String {
    reserve == 0 ? "" : ", the last \(reserve) of them to root and the hub's own user"
  }

  /// Why sessions of the user must end.
  func overdraft(of uid: UInt32) -> String {
    let isOwn = self[uid].bytes > limits.user
    let setting = isOwn ? "maxUserMemoryBytes" : "maxMemoryBytes"
    let whose = isOwn ? "user \(uid) uses" : "all users together use"
    return
      "its watches match more stores than before: \(whose) \(isOwn ? self[uid].bytes : bytes) "
      + "bytes, and \(setting) in its configuration allows \(isOwn ? limits.user : limits.total)"
  }
}
