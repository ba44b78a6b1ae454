// The sessions, in one mapping indexed by descriptor: memory is used only where descriptors are.

import CLinux
import Glibc

struct SessionSlots: ~Copyable {
  let capacity: Int
  private let base: UnsafeMutablePointer<Session>
  /// Every session's descriptor is below.
  private(set) var limit: Int32 = 0
  private(set) var count = 0

  /// - Parameter descriptors: slots for descriptors below this, at most a million.
  init(descriptors: Int) throws(ServerError) {
    capacity = min(descriptors, 1 << 20)
    // The mapping's zeroes are free slots: `Session` is made for it.
    guard let memory = clinux_reserve(capacity * MemoryLayout<Session>.stride) else {
      throw .system(call: "mmap", code: errno)
    }
    base = memory.bindMemory(to: Session.self, capacity: capacity)
  }

  deinit { munmap(base, capacity * MemoryLayout<Session>.stride) }

  /// By address: reading one field through a `_read` would copy the whole session.
  subscript(descriptor: Int32) -> Session {
    @inline(__always) unsafeAddress {
      precondition(descriptor >= 0 && descriptor < capacity)
      return UnsafePointer(base + Int(descriptor))
    }
    @inline(__always) unsafeMutableAddress {
      precondition(descriptor >= 0 && descriptor < capacity)
      return base + Int(descriptor)
    }
  }

  /// Takes a free slot.
  mutating func open(_ descriptor: Int32, _ session: Session) {
    precondition(self[descriptor].state == .free && session.state == .open)
    self[descriptor] = session
    limit = max(limit, descriptor + 1)
    count += 1
  }

  /// Frees a slot that holds no bytes any more.
  mutating func free(_ descriptor: Int32) {
    precondition(self[descriptor].state != .free && self[descriptor].heldBytes == 0)
    if self[descriptor].state != .leaving { count -= 1 }
    self[descriptor] = Session()
  }

  /// Takes a free slot for a connection that is no session, or none any more.
  mutating func leave(_ descriptor: Int32) {
    precondition(self[descriptor].state == .free)
    self[descriptor].state = .leaving
    limit = max(limit, descriptor + 1)
  }

  /// There is a slot for the descriptor, and nobody has it.
  func isFree(_ descriptor: Int32) -> Bool { descriptor < capacity && self[descriptor].state == .free }

  /// The session that makes the hub keep the most memory, if any does.
  var heaviest: Int32? {
    var most = 0
    var found: Int32?
    for descriptor in 0..<limit where base[Int(descriptor)].heldBytes > most {
      most = base[Int(descriptor)].heldBytes
      found = descriptor
    }
    return found
  }
}
