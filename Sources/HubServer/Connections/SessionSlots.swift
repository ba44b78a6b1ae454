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

  /// Whether there is such a slot, used or free.
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

  /// Of the user for whom the hub keeps the most memory, the session for which it keeps the most: many small sessions of one
  /// user do not end the only one of another. Nil: the hub keeps nothing for anybody.
  var heaviest: Int32? {
    var sums: [Int32: Int] = [:]
    for descriptor in 0..<limit where base[Int(descriptor)].heldBytes > 0 {
      sums[base[Int(descriptor)].user, default: 0] += base[Int(descriptor)].heldBytes
    }
    guard let user = sums.max(by: { $0.value < $1.value })?.key else { return nil }
    return (0..<limit).filter { base[Int($0)].user == user }
      .max { base[Int($0)].heldBytes < base[Int($1)].heldBytes }
  }
}
