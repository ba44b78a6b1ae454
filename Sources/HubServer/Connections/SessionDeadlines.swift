// Sessions with a deadline, ordered by deadline. It has no clock.

import HubSystem

/// A linked list in a mapping indexed by descriptor: memory is used only where descriptors are. No session is in it twice.
struct SessionDeadlines: ~Copyable {
  /// All zeroes is not a member. No session has descriptor 0.
  private struct Node {
    var deadline: UInt64 = 0
    var previous: Int32 = 0
    var next: Int32 = 0
  }

  private let memory: Mapping
  private let nodes: UnsafeMutablePointer<Node>
  private let capacity: Int
  private(set) var count = 0
  private var head: Int32 = 0
  private var tail: Int32 = 0

  /// - Parameter descriptors: as for `SessionSlots`.
  init(descriptors: Int) throws(ServerError) {
    capacity = min(descriptors, 1 << 20)
    let count = capacity * MemoryLayout<Node>.stride
    memory = try ServerError.attempt("mmap", Mapping(reserving: count))
    nodes = memory.base.bindMemory(to: Node.self, capacity: capacity)
  }

  /// The session with the earliest deadline.
  var first: (descriptor: Int32, deadline: UInt64)? {
    head == 0 ? nil : (head, nodes[Int(head)].deadline)
  }

  /// The earliest deadline; `.max`: none.
  @inline(__always)
  var nextDeadline: UInt64 { head == 0 ? .max : nodes[Int(head)].deadline }

  /// A session's deadline; 0: it is not in the list.
  func deadline(of descriptor: Int32) -> UInt64 {
    precondition(descriptor > 0 && descriptor < capacity)
    return nodes[Int(descriptor)].deadline
  }

  /// Most deadlines are later than all others: then no search is needed.
  mutating func insert(_ descriptor: Int32, deadline: UInt64) {
    precondition(self.deadline(of: descriptor) == 0 && deadline > 0)
    var previous = tail
    while previous != 0, nodes[Int(previous)].deadline > deadline { previous = nodes[Int(previous)].previous }
    let next = previous == 0 ? head : nodes[Int(previous)].next
    nodes[Int(descriptor)] = Node(deadline: deadline, previous: previous, next: next)
    if previous == 0 { head = descriptor } else { nodes[Int(previous)].next = descriptor }
    if next == 0 { tail = descriptor } else { nodes[Int(next)].previous = descriptor }
    count += 1
  }

  /// Does nothing for a session that is not in the list.
  mutating func remove(_ descriptor: Int32) {
    guard deadline(of: descriptor) != 0 else { return }
    let node = nodes[Int(descriptor)]
    if node.previous == 0 { head = node.next } else { nodes[Int(node.previous)].next = node.next }
    if node.next == 0 { tail = node.previous } else { nodes[Int(node.next)].previous = node.previous }
    nodes[Int(descriptor)] = Node()
    count -= 1
  }
}
