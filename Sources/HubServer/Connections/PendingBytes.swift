// Bytes that the hub keeps for one session until they can be used. They take memory only while there are any, charged to
// the budget.

import HubCore
import HubSystem

/// A queue of bytes. All zeroes is an empty one. Its owner, a session's slot, empties it before dropping it.
struct PendingBytes {
  private var base: UnsafeMutableRawPointer?
  private var start: UInt32 = 0
  private var end: UInt32 = 0
  private(set) var capacity: UInt32 = 0
  /// How many bytes from `start` on belong to a frame whose front was sent.
  private var cut: UInt32 = 0

  var count: Int { Int(end - start) }
  var isEmpty: Bool { start == end }

  /// The bytes, until the next mutation.
  var view: ByteView {
    guard let base else { return ByteView(UnsafeRawBufferPointer(start: nil, count: 0)) }
    return ByteView(base: UnsafeRawPointer(base + Int(start)), count: count)
  }

  /// - Parameter cut: `bytes` start with this many of a frame's last bytes; only an empty queue accepts such bytes.
  mutating func append(_ bytes: ByteView, cut: Int = 0, budget: inout MemoryBudget) {
    if bytes.isEmpty { return }
    precondition(cut == 0 || isEmpty)
    let room = reserve(bytes.count, budget: &budget)
    room.copyMemory(from: bytes.base, byteCount: bytes.count)
    end += UInt32(bytes.count)
    self.cut = max(self.cut, UInt32(cut))
  }

  /// Lets `read` fill up to `room` bytes after the end.
  mutating func fill(
    room: Int, budget: inout MemoryBudget, _ read: (UnsafeMutableRawBufferPointer) -> Transfer
  ) -> Transfer {
    let result = read(UnsafeMutableRawBufferPointer(start: reserve(room, budget: &budget), count: room))
    if case .bytes(let count) = result { end += UInt32(count) }
    return result
  }

  /// Drops the first bytes. The memory is freed with the last of them.
  mutating func dropFirst(_ length: Int, budget: inout MemoryBudget) {
    precondition(length >= 0 && length <= count)
    let next = length <= Int(cut) ? Int(cut) - length : restOfFrame(behind: length)
    start += UInt32(length)
    cut = UInt32(next)
    if isEmpty { clear(budget: &budget) }
  }

  /// Drops everything but the rest of the frame whose front was sent, and the memory that it does not need.
  mutating func keepCutFrame(budget: inout MemoryBudget) {
    var rest = PendingBytes()
    rest.append(ByteView(base: view.base, count: Int(cut)), cut: Int(cut), budget: &budget)
    clear(budget: &budget)
    self = rest
  }

  /// How many bytes are left of the frame whose front was sent.
  var restOfCutFrame: Int { Int(cut) }

  mutating func clear(budget: inout MemoryBudget) {
    budget.free(base, Int(capacity))
    budget.refund(Int(capacity))
    self = PendingBytes()
  }

  /// With whole frames after the cut one: how many bytes of a frame are left once the first `length` bytes are dropped.
  private func restOfFrame(behind length: Int) -> Int {
    FrameCursor.border(atOrBehind: length, in: view, from: Int(cut)) - length
  }

  /// Makes room after the end and returns its start.
  private mutating func reserve(_ more: Int, budget: inout MemoryBudget) -> UnsafeMutableRawPointer {
    if Int(capacity - end) < more {
      if start > 0, let base {
        base.copyMemory(from: base + Int(start), byteCount: count)
        end -= start
        start = 0
      }
      if Int(capacity - end) < more { grow(to: max(2 * count, count + more), budget: &budget) }
    }
    return base! + Int(end)
  }

  private mutating func grow(to length: Int, budget: inout MemoryBudget) {
    var length = length
    if let spare = budget.takeSpare(length) {
      spare.base.copyMemory(from: UnsafeRawPointer(base ?? spare.base), byteCount: Int(end))
      budget.free(base, Int(capacity))
      (base, length) = (spare.base, spare.length)
    } else {
      base = Heap.resize(base, to: length)
    }
    budget.charge(length - Int(capacity))
    capacity = UInt32(length)
  }
}
