// The limits on users' memory and stores. It does not count.

import HubCore

/// The limits of users, and those of all of them. The last sixteenth of what all may have is for root and the hub's own
/// user alone, so that other users cannot lock them out. They have no limit.
struct MemoryLimits {
  /// In bytes, of all users.
  let total: Int
  /// In bytes, of each.
  let user: Int
  let stores: Int
  let userStores: Int
  let hubUser: UInt32

  init(_ options: HubEngine.Options) {
    total = options.maximumMemory
    user = options.maximumUserMemory
    stores = options.maximumStores
    userStores = options.maximumUserStores
    hubUser = options.uid
  }

  /// The user, at the hub's own socket.
  func payer(_ uid: UInt32) -> Payer {
    Payer(
      uid: uid, isTrusted: PeerIdentity.isAdministrator(uid, of: hubUser) || uid == StoreRecord.byHub)
  }

  @inline(__always)
  func areExceeded(by account: Account, of all: Int) -> Bool { account.bytes > user || all > total }

  /// The part of a shared limit that is reserved for administrators.
  static func reserve(of limit: Int) -> Int { limit / 16 }
}

/// A user, as far as limits go.
struct Payer {
  let uid: UInt32
  /// Limited only by the shared limits.
  let isTrusted: Bool

  static let hub = Payer(uid: StoreRecord.byHub, isTrusted: true)
}
