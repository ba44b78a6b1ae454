// Frames of which connections have taken only a part: in the change log while that holds them, set aside once when it drops
// them. Nothing is copied for each connection.

/// A frame that connections still need. It lives as long as one of them refers to it.
package final class HeldFrame {
  /// Its end's position in the change log.
  let end: UInt64
  let length: Int
  /// Its bytes, once the log has dropped it.
  fileprivate var copy: UnsafeMutableRawPointer?
  private let tally: HeldFrames.Tally

  fileprivate init(end: UInt64, length: Int, _ tally: HeldFrames.Tally) {
    (self.end, self.length, self.tally) = (end, length, tally)
  }

  deinit {
    guard let copy else { return }
    copy.deallocate()
    tally.bytes -= length
  }

  /// Its bytes, if the log has dropped it.
  var bytesAside: ByteView? { copy.map { ByteView(base: UnsafeRawPointer($0), count: length) } }

  /// It takes memory besides the log's.
  package var isSetAside: Bool { copy != nil }

  fileprivate func setAside(_ bytes: ByteView) {
    let copy = UnsafeMutableRawPointer.allocate(byteCount: length, alignment: 8)
    copy.copyMemory(from: bytes.base, byteCount: length)
    self.copy = copy
    tally.bytes += length
  }
}

/// What a connection has not taken of a frame.
package struct FrameRest {
  package let frame: HeldFrame
  /// How many bytes are left, at the frame's end.
  package private(set) var count: Int

  init(_ frame: HeldFrame, count: Int) { (self.frame, self.count) = (frame, count) }

  /// The connection has taken more of it.
  package mutating func dropFirst(_ length: Int) {
    precondition(length >= 0 && length <= count)
    count -= length
  }

  /// The memory that the hub keeps because of it, besides the log's. Connections that need the same frame share it.
  package var memory: Int { frame.isSetAside ? count : 0 }
}

/// The held frames that the log still has. At most as many as it has frames.
struct HeldFrames: ~Copyable {
  /// What the frames that were set aside take, in bytes.
  final class Tally { var bytes = 0 }

  private var frames: [UInt64: HeldFrame] = [:]
  private let tally = Tally()
  /// No held frame starts before; `.max`: there is none.
  private(set) var first = UInt64.max

  /// What the frames that were set aside take, in bytes.
  var bytesAside: Int { tally.bytes }

  /// Holds the frame of `length` bytes that ends at `end`.
  mutating func hold(endingAt end: UInt64, length: Int) -> HeldFrame {
    if let frame = frames[end] { return frame }
    let frame = HeldFrame(end: end, length: length, tally)
    frames[end] = frame
    first = min(first, end - UInt64(length))
    return frame
  }

  /// The log drops everything that starts before a position: what is still needed of it is set aside.
  ///
  /// - Parameter bytes: of the frame of a length that ends at a position.
  mutating func setAside(before position: UInt64, _ bytes: (_ end: UInt64, _ length: Int) -> ByteView) {
    first = .max
    for end in Array(frames.keys) {
      // The only reference is this one: nobody needs it any more.
      if isKnownUniquelyReferenced(&frames[end]!) {
        frames[end] = nil
        continue
      }
      let frame = frames[end]!
      let start = end - UInt64(frame.length)
      if start < position {
        frame.setAside(bytes(end, frame.length))
        frames[end] = nil
      } else {
        first = min(first, start)
      }
    }
  }
}
