// Owns the memory charged to each user, and the number of stores. It keeps the sums of charges, not the charges.

import HubCore

/// What one thing costs its user. The thing keeps or computes it, and refunds the same when it ends.
struct Charge {
  enum Kind {
    /// Stores that the user has created, and values that the user has set.
    case stores
    /// What the user watches and lists, and writes that wait for a provider.
    case watches
    case connections
  }

  var kind: Kind
  /// Of `MemoryCost`.
  var bytes: Int
  var uid: UInt32
}

/// What is charged to one user, in bytes of `MemoryCost`.
struct Account {
  let uid: UInt32
  /// How many stores the user has created.
  fileprivate(set) var stores = 0
  fileprivate(set) var storeBytes = 0
  fileprivate(set) var watchBytes = 0
  fileprivate(set) var connectionBytes = 0

  var bytes: Int { storeBytes + watchBytes + connectionBytes }
  fileprivate var isEmpty: Bool { stores == 0 && bytes == 0 }

  fileprivate subscript(kind: Charge.Kind) -> Int {
    @inline(__always) get {
      switch kind {
      case .stores: storeBytes
      case .watches: watchBytes
      case .connections: connectionBytes
      }
    }
    @inline(__always) set {
      switch kind {
      case .stores: storeBytes = newValue
      case .watches: watchBytes = newValue
      case .connections: connectionBytes = newValue
      }
    }
  }
}

/// Every user has an account while there is something in it.
struct Accounts {
  private(set) var limits: MemoryLimits
  private var accounts: [Account] = []
  /// By user. Bounded by the users who have stores or sessions.
  private var places: [UInt32: Int] = [:]
  private var free: [Int] = []
  /// The account that was used last: most charges in a row are for one user.
  private var last = -1
  /// In all accounts.
  private(set) var bytes = 0
  /// The total of refunds so far.
  private(set) var freed = 0
  /// A user's watches have grown beyond a limit: see `overdrawn`.
  private(set) var wantsCheck = false

  init(_ limits: MemoryLimits) { self.limits = limits }

  /// Applies other limits: users may be beyond them.
  mutating func changeLimits(to limits: MemoryLimits) {
    self.limits = limits
    wantsCheck = true
  }

  subscript(uid: UInt32) -> Account { places[uid].map { accounts[$0] } ?? Account(uid: uid) }

  /// All of them, in no order.
  var all: some Sequence<Account> { places.values.lazy.map { accounts[$0] } }

  var count: Int { places.count }

  /// The account of the limited user with the most memory.
  func most(_ what: (Account) -> Int) -> Int {
    all.filter { !limits.payer($0.uid).isTrusted }.map(what).max() ?? 0
  }

  mutating func add(_ charge: Charge) {
    if charge.bytes == 0 { return }
    let place = place(of: charge.uid)
    accounts[place][charge.kind] += charge.bytes
    bytes += charge.bytes
    if charge.kind == .watches, limits.areExceeded(by: accounts[place], of: bytes) { wantsCheck = true }
  }

  mutating func refund(_ charge: Charge) {
    if charge.bytes == 0 { return }
    let place = place(of: charge.uid)
    accounts[place][charge.kind] -= charge.bytes
    bytes -= charge.bytes
    freed &+= charge.bytes
    closeIfEmpty(place)
  }

  /// The thing now costs something else, or another user.
  mutating func replace(_ old: Charge, by new: Charge) {
    refund(old)
    add(new)
  }

  /// The user has created a store.
  mutating func countStore(of uid: UInt32) {
    let place = place(of: uid)
    accounts[place].stores += 1
  }

  mutating func discountStore(of uid: UInt32) {
    let place = place(of: uid)
    accounts[place].stores -= 1
    closeIfEmpty(place)
  }

  /// Memory that no user was charged for is free.
  mutating func noteFreed(_ bytes: Int) { freed &+= bytes }

  /// Forgets all stores: they are about to be counted again.
  mutating func forgetStores() {
    for place in places.values {
      bytes -= accounts[place].storeBytes
      accounts[place].stores = 0
      accounts[place].storeBytes = 0
    }
  }

  @inline(__always)
  private mutating func place(of uid: UInt32) -> Int {
    if last < 0 || accounts[last].uid != uid { last = places[uid] ?? open(uid) }
    return last
  }

  private mutating func open(_ uid: UInt32) -> Int {
    let place = free.popLast() ?? accounts.count
    if place == accounts.count {
      accounts.append(Account(uid: uid))
    } else {
      accounts[place] = Account(uid: uid)
    }
    places[uid] = place
    return place
  }

  @inline(__always)
  private mutating func closeIfEmpty(_ place: Int) {
    if accounts[place].isEmpty { close(place) }
  }

  private mutating func close(_ place: Int) {
    places[accounts[place].uid] = nil
    free.append(place)
    last = -1
  }

  // MARK: Limits

  /// A user whose watches must become fewer: one that has exceeded its own limit, or, if all together have exceeded theirs,
  /// the one with the most for watches. Nil: no user, and `wantsCheck` is false until the next charge that exceeds a limit.
  mutating func overdrawn() -> UInt32? {
    let candidates = all.filter { $0.watchBytes > 0 && !limits.payer($0.uid).isTrusted }
    let own = candidates.filter { $0.bytes > limits.user }
    let most = (own.isEmpty && bytes > limits.total ? candidates : own).max { $0.watchBytes < $1.watchBytes }
    wantsCheck = most != nil
    return most?.uid
  }
}
