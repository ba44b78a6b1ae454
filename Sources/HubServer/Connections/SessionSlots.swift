// Owns the memory of the sessions: one mapping indexed by descriptor, which uses memory only where descriptors are.

import HubSystem

/// Invariant: exactly the slots below `limit` are initialized.
struct SessionSlots: ~Copyable {
  let capacity: Int
  private let memory: Mapping
  private let base: UnsafeMutablePointer<Session>
  /// Every session's descriptor is below this.
  private(set) var limit: Int32 = 0

  /// - Parameter descriptors: slots for descriptors below this, at most a million.
  init(descriptors: Int) throws(ServerError) {
    capacity = min(descriptors, 1 << 20)
    let count = capacity * MemoryLayout<Session>.stride
    memory = try ServerError.attempt("mmap", Mapping(reserving: count))
    base = memory.base.bindMemory(to: Session.self, capacity: capacity)
  }

  deinit { base.deinitialize(count: Int(limit)) }

  /// By address: reading one field through a `_read` would copy the whole session.
  subscript(descriptor: Int32) -> Session {
    @inline(__always) unsafeAddress { UnsafePointer(address(of: descriptor)) }
    @inline(__always) unsafeMutableAddress { address(of: descriptor) }
  }

  @inline(__always)
  func address(of descriptor: Int32) -> UnsafeMutablePointer<Session> {
    precondition(descriptor >= 0 && descriptor < limit)
    return base + Int(descriptor)
  }

  /// Whether the slot exists, used or free.
  @inline(__always)
  func contains(_ descriptor: Int32) -> Bool { descriptor >= 0 && descriptor < limit }

  /// Ensures that there is a slot for the descriptor.
  mutating func reach(_ descriptor: Int32) {
    precondition(descriptor >= 0 && descriptor < capacity)
    while limit <= descriptor {
      (base + Int(limit)).initialize(to: Session())
      limit += 1
    }
  }

  /// The sessions for which the hub keeps memory. Takes one look at each.
  func heaviest() -> Heaviest {
    var heaviest = Heaviest()
    for descriptor in 0..<limit {
      let bytes = address(of: descriptor).pointee.heldBytes
      if bytes > 0 { heaviest.add(descriptor, bytes, of: address(of: descriptor).pointee.user) }
    }
    heaviest.sort()
    return heaviest
  }
}

/// The sessions with the most memory: of the user with the most, the session with the most, then the next. So many
/// small sessions of one user do not end the only one of another.
struct Heaviest {
  private struct User {
    var bytes = 0
    /// The heaviest last.
    var sessions: [(descriptor: Int32, bytes: Int)] = []
  }

  private var users: [User] = []
  private var places: [Int32: Int] = [:]

  /// - Parameter user: the slot of its account.
  fileprivate mutating func add(_ descriptor: Int32, _ bytes: Int, of user: Int32) {
    let place = places[user] ?? users.count
    if place == users.count {
      users.append(User())
      places[user] = place
    }
    users[place].bytes += bytes
    users[place].sessions.append((descriptor, bytes))
  }

  fileprivate mutating func sort() {
    for place in users.indices { users[place].sessions.sort { $0.bytes < $1.bytes } }
    users.sort { $0.bytes < $1.bytes }
  }

  /// Takes the next one; nil: there are no more.
  mutating func next() -> Int32? {
    guard var user = users.popLast(), let session = user.sessions.popLast() else { return nil }
    user.bytes -= session.bytes
    if user.sessions.isEmpty { return session.descriptor }
    // Still in order: users that have less now come before those that have more.
    var (low, high) = (0, users.count)
    while low < high {
      let middle = (low + high) / 2
      if users[middle].bytes < user.bytes { low = middle + 1 } else { high = middle }
    }
    users.insert(user, at: low)
    return session.descriptor
  }
}
