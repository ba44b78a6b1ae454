// Partially sent frames: in the change log while it holds them, copied once when it drops them. Nothing is copied for each connection. Values in
// stores are held in the same way: see `HeldValues`.

import HubCore

/// A frame, or a value at the end of one, that connections still need. It lives as long as one of them refers to it.
package final class HeldFrame {
  /// Where its bytes are.
  enum Place {
    /// In the change log, up to this position.
    case log(end: UInt64)
    /// In the block of a store.
    case store(UnsafeMutableRawPointer)
    /// In this many bytes of its own memory: the log, or the store, has dropped it.
    case aside(UnsafeMutableRawPointer, memory: Int)
  }

  /// The size of the copied frames, in bytes.
  final class Tally { var bytes = 0 }

  let length: Int
  private(set) var place: Place
  private let tally: Tally

  init(_ place: Place, length: Int, _ tally: Tally) {
    (self.place, self.length, self.tally) = (place, length, tally)
  }

  deinit {
    guard case .aside(let base, let memory) = place else { return }
    base.deallocate()
    tally.bytes -= memory
  }

  /// It uses memory besides the log's and the stores'.
  package var isSetAside: Bool { if case .aside = place { true } else { false } }

  /// Takes memory over, with the frame's bytes at its beginning.
  func setAside(in base: UnsafeMutableRawPointer, memory: Int) {
    place = .aside(base, memory: memory)
    tally.bytes += memory
  }

  fileprivate func setAside(copying bytes: ByteView) {
    let copy = UnsafeMutableRawPointer.allocate(byteCount: length, alignment: 8)
    copy.copyMemory(from: bytes.base, byteCount: length)
    setAside(in: copy, memory: length)
  }
}

/// What a connection has not taken of a frame.
package struct FrameRest {
  package let frame: HeldFrame
  /// How many bytes are left, at the frame's end.
  package private(set) var count: Int
  /// It is of a reply: further requests wait until it is taken.
  package let isReply: Bool

  init(_ frame: HeldFrame, count: Int, isReply: Bool = false) {
    (self.frame, self.count, self.isReply) = (frame, count, isReply)
  }

  /// The connection has taken more of it.
  package mutating func dropFirst(_ length: Int) {
    precondition(length >= 0 && length <= count)
    count -= length
  }

  /// The memory that the hub keeps because of it, besides the log's and the stores'. Connections that need the same frame share it.
  package var memory: Int { frame.isSetAside ? count : 0 }
}

/// The held frames that the log still has. At most as many as it has frames.
struct HeldFrames: ~Copyable {
  private var frames: [UInt64: HeldFrame] = [:]
  /// Where they end.
  private var ends = MinHeap<UInt64>()
  private let tally = HeldFrame.Tally()
  /// No held frame starts before; `.max`: there is none.
  private(set) var first = UInt64.max

  /// The size of the copied frames, in bytes.
  var bytesAside: Int { tally.bytes }

  /// Holds the frame of `length` bytes that ends at `end`.
  mutating func hold(endingAt end: UInt64, length: Int) -> HeldFrame {
    if let frame = frames[end] { return frame }
    let frame = HeldFrame(.log(end: end), length: length, tally)
    frames[end] = frame
    ends.add(end)
    first = min(first, end - UInt64(length))
    return frame
  }

  /// The log drops everything that starts before a position: frames that are still needed are copied.
  ///
  /// - Parameter bytes: of the frame of a length that ends at a position.
  mutating func setAside(before position: UInt64, _ bytes: (_ end: UInt64, _ length: Int) -> ByteView) {
    first = .max
    while let end = ends.first {
      let length = frames[end]!.length
      if end - UInt64(length) >= position {
        first = end - UInt64(length)
        break
      }
      // If the only reference is this one, no connection still needs it.
      let isNeeded = !isKnownUniquelyReferenced(&frames[end]!)
      let frame = frames.removeValue(forKey: end)!
      if isNeeded { frame.setAside(copying: bytes(end, length)) }
      ends.removeFirst()
    }
  }
}
