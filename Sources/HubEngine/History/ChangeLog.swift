// The change log: the hub's one fan-out buffer, a bounded ring of encoded frames. It owns the bytes, not the readers.
//
// Positions count bytes since the log began and never decrease. A change's position is the end of its frame, so "everything up to position p was
// sent" always refers to a frame boundary. Frames are contiguous: one that does not fit before
// the ring's end starts at its beginning, after a filler.

import HubCore

/// Invariants: `tail <= head`; every position from `tail` on that `next(after:)` returns is the boundary of a complete frame;
/// `head - tail` never exceeds the capacity. When room is needed, the oldest frames are dropped.
struct ChangeLog: ~Copyable {
  private var base: UnsafeMutableRawPointer
  private(set) var capacity: Int
  /// Where the next frame will start, or the filler before it.
  private(set) var head: UInt64
  /// The oldest border that can still be read from.
  private(set) var tail: UInt64
  /// The revision of the newest dropped change: a reader that has seen it can continue at the tail.
  private(set) var tailRevision: Revision
  /// The head's offset in the ring. Stored, because the division costs more than the rest of a change here.
  private var headOffset: Int
  /// Frames that connections have taken a part of.
  private var held = HeldFrames()
  /// Borders between frames, each at least `borderDistance` after the one before, from which a revision can be looked for.
  private var borders: [(position: UInt64, revision: Revision)] = []
  private var newestBorder: UInt64 = 0

  private static let borderDistance: UInt64 = 64 << 10

  /// - Parameters:
  ///   - head: the position to start at: above that of every change that came before.
  ///   - tailRevision: at or above the revisions of all those.
  init(capacity: Int, head: UInt64 = 0, tailRevision: Revision = 0) {
    precondition(capacity >= 64)
    self.capacity = capacity
    // Untouched pages of the ring cost no memory, so it is not zeroed.
    base = .allocate(byteCount: capacity, alignment: 64)
    self.head = head
    tail = head
    self.tailRevision = tailRevision
    headOffset = Int(head % UInt64(capacity))
  }

  deinit { base.deallocate() }

  /// Drops all frames, and has room for others from the head on.
  ///
  /// - Parameter revision: of the newest change.
  mutating func resize(to capacity: Int, revision: Revision) {
    precondition(capacity >= 64)
    setAside(before: .max)
    base.deallocate()
    base = .allocate(byteCount: capacity, alignment: 64)
    self.capacity = capacity
    (tail, tailRevision, headOffset) = (head, revision, Int(head % UInt64(capacity)))
    (borders, newestBorder) = ([], head)
  }

  /// Makes room for a frame and returns it to be written. A frame longer than the whole ring is not kept: its position
  /// counts, its bytes are dropped at once, and the pointer is nil.
  mutating func append(_ length: Int, revision: Revision) -> UnsafeMutableRawPointer? {
    if length > capacity {
      setAside(before: .max)
      head += UInt64(length)
      tail = head
      tailRevision = revision
      headOffset = Int(head % UInt64(capacity))
      return nil
    }
    let room = capacity - headOffset
    let wraps = room < length
    let start = wraps ? head + UInt64(room) : head
    let end = start + UInt64(length)
    while end - tail > UInt64(capacity) {
      if tail >= head {
        tail = start
        break
      }
      drop()
    }
    if tail > held.first { setAside(before: tail) }
    // From now on nothing after the head is valid.
    if wraps, room >= Frame.headerLength {
      Frame.kind.write(ChangeLog.filler, to: base + headOffset)
    }
    let place = wraps ? 0 : headOffset
    head = end
    headOffset = place + length == capacity ? 0 : place + length
    return base + place
  }

  /// Drops everything after `position`, which must be unread.
  ///
  /// - Parameter revision: at or above the revisions of everything up to there.
  mutating func rewind(to position: UInt64, revision: Revision) {
    precondition(position <= head)
    head = position
    tailRevision = min(tailRevision, revision)
    headOffset = Int(head % UInt64(capacity))
    if tail > head { tail = head }
  }

  /// The frame after `position` and where it ends; nil at the head. `position` is a border at or after the tail.
  @inline(__always)
  func next(after position: UInt64) -> (frame: FrameView, end: UInt64)? {
    precondition(position >= tail && position <= head)
    let start = skippingFiller(position)
    if start >= head { return nil }
    let frame = frame(at: start)
    return (frame, start + UInt64(frame.bytes.count))
  }

  /// The bytes of the frames that end in `(from, to]`, if they are contiguous.
  func contiguous(from: UInt64, to: UInt64) -> ByteView? {
    guard from >= tail else { return nil }
    let start = skippingFiller(from)
    guard to <= head, start < to, offset(start) + Int(to - start) <= capacity else { return nil }
    return ByteView(base: base + offset(start), count: Int(to - start))
  }

  /// The bytes of the frame of `length` bytes that ends at `end`, while the log still holds it.
  func frame(endingAt end: UInt64, length: Int) -> ByteView? {
    guard end <= head, end >= tail + UInt64(length) else { return nil }
    return ByteView(base: base + offset(end - UInt64(length)), count: length)
  }

  // MARK: Revisions

  /// The head now lies between two changes of different revisions.
  ///
  /// - Parameter revision: of the newest change.
  @inline(__always)
  mutating func noteBorder(_ revision: Revision) {
    if head &- newestBorder >= ChangeLog.borderDistance { addBorder(revision) }
  }

  @inline(never)
  private mutating func addBorder(_ revision: Revision) {
    borders.append((head, revision))
    newestBorder = head
    if borders.count > 64 + 2 * capacity / Int(ChangeLog.borderDistance) {
      borders.removeAll { $0.position < tail }
    }
  }

  /// A border near the end of everything up to a revision, and not after it; the tail's revision must be at or below it.
  func border(before revision: Revision) -> UInt64 {
    var (low, high) = (0, borders.count)
    while low < high {
      let middle = (low + high) / 2
      if borders[middle].revision <= revision { low = middle + 1 } else { high = middle }
    }
    return low == 0 ? tail : max(tail, borders[low - 1].position)
  }

  // MARK: Frames in part

  /// Pins the frame of `length` bytes that ends at `end` for a partial send. It must be in the log.
  mutating func hold(endingAt end: UInt64, length: Int) -> HeldFrame {
    held.hold(endingAt: end, length: length)
  }

  /// What is left of a frame, until the next `append`.
  func bytes(of rest: FrameRest) -> ByteView {
    let length = rest.frame.length
    let bytes =
      switch rest.frame.place {
      case .log(let end): frame(endingAt: end, length: length)!
      case .store(let base), .aside(let base, _): ByteView(base: UnsafeRawPointer(base), count: length)
      }
    return bytes.suffix(from: length - rest.count)
  }

  /// The size of the copied frames, in bytes.
  var bytesAside: Int { held.bytesAside }

  @inline(never)
  private mutating func setAside(before position: UInt64) {
    held.setAside(before: position) { [base, capacity, head, headOffset] end, length in
      let offset = headOffset - Int(head - (end - UInt64(length)))
      return ByteView(base: base + (offset < 0 ? offset + capacity : offset), count: length)
    }
  }

  /// Overwrites the flags byte of a frame that no client has read yet.
  mutating func setFlags(_ flags: UInt8, ofFrameEndingAt end: UInt64, length: Int) {
    guard frame(endingAt: end, length: length) != nil else { return }
    Frame.flags.write(flags, to: base + offset(end - UInt64(length)))
  }

  private static let filler: UInt8 = 0

  /// The offset in the ring of a position between tail and head.
  @inline(__always)
  private func offset(_ position: UInt64) -> Int {
    let offset = headOffset - Int(head - position)
    return offset < 0 ? offset + capacity : offset
  }

  /// The frame that starts at a border.
  @inline(__always)
  private func frame(at start: UInt64) -> FrameView {
    let front = ByteView(base: base + offset(start), count: Frame.headerLength)
    return FrameView(bytes: ByteView(base: front.base, count: Frame.length(front)))
  }

  private func skippingFiller(_ position: UInt64) -> UInt64 {
    if position >= head { return position }
    let room = capacity - offset(position)
    let isFiller =
      room < Frame.headerLength
      || ByteView(base: base + offset(position), count: Frame.headerLength)[Frame.kind] == ChangeLog.filler
    return isFiller ? position + UInt64(room) : position
  }

  /// Drops the oldest frame.
  @inline(__always)
  private mutating func drop() {
    let start = skippingFiller(tail)
    if start >= head {
      tail = head
    } else {
      let oldest = frame(at: start)
      tailRevision = EventLayout.revision(of: oldest)
      tail = start + UInt64(oldest.bytes.count)
    }
  }
}
