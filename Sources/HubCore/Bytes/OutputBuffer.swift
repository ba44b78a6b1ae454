// A growable sequence of bytes that is written at its end. It owns its memory, keeps it for reuse, and is never shared.

/// Where frames are encoded. Clearing keeps the capacity, so that a buffer in steady use allocates nothing.
@usableFromInline package struct OutputBuffer: ~Copyable {
  @usableFromInline package var base: UnsafeMutableRawPointer
  @usableFromInline package var capacity: Int
  @usableFromInline package var count = 0

  @inlinable package init(capacity: Int = 256) {
    precondition(capacity > 0)
    base = .allocate(byteCount: capacity, alignment: 16)
    self.capacity = capacity
  }

  @inlinable deinit { base.deallocate() }

  @inlinable package var isEmpty: Bool { count == 0 }
  @inlinable package var view: ByteView { ByteView(base: UnsafeRawPointer(base), count: count) }
  package var array: [UInt8] { view.array }

  /// Makes room for `more` bytes after the end.
  @inlinable @inline(__always)
  package mutating func reserve(_ more: Int) {
    if capacity - count < more { grow(more) }
  }

  @usableFromInline package mutating func grow(_ more: Int) {
    let wider = max(capacity * 2, count + more)
    let moved = UnsafeMutableRawPointer.allocate(byteCount: wider, alignment: 16)
    moved.copyMemory(from: base, byteCount: count)
    base.deallocate()
    base = moved
    capacity = wider
  }

  /// Drops the bytes and keeps the memory, unless it had grown beyond `keeping` bytes.
  @inlinable package mutating func clear(keeping: Int = .max) {
    count = 0
    guard capacity > keeping else { return }
    base.deallocate()
    base = .allocate(byteCount: keeping, alignment: 16)
    capacity = keeping
  }

  /// Cuts the buffer back to its first `length` bytes.
  @inlinable package mutating func truncate(to length: Int) {
    precondition(length >= 0 && length <= count)
    count = length
  }

  /// Drops the first `length` bytes and moves the rest to the front.
  package mutating func dropFirst(_ length: Int) {
    precondition(length >= 0 && length <= count)
    count -= length
    if count > 0 { memmoveDown(from: length) }
  }

  private func memmoveDown(from offset: Int) {
    base.copyMemory(from: base + offset, byteCount: count)
  }

  @inlinable package mutating func append<T: FixedWidthInteger>(_ value: T) {
    reserve(MemoryLayout<T>.size)
    base.storeBytes(of: value.littleEndian, toByteOffset: count, as: T.self)
    count += MemoryLayout<T>.size
  }

  @inlinable package mutating func append(_ bytes: ByteView) {
    reserve(bytes.count)
    (base + count).copyMemory(from: bytes.base, byteCount: bytes.count)
    count += bytes.count
  }

  @inlinable package mutating func append(_ bytes: [UInt8]) {
    bytes.withByteView { append($0) }
  }

  @inlinable package mutating func append(_ bytes: ArraySlice<UInt8>) {
    bytes.withUnsafeBytes { append(ByteView($0)) }
  }

  @inlinable package mutating func append(utf8 text: String) {
    var text = text
    text.withUTF8 { append(ByteView(UnsafeRawBufferPointer($0))) }
  }

  /// A one-byte count, then the text, cut to at most 255 bytes.
  @inlinable
  package mutating func append(short text: String) { append(text, countedBy: UInt8.self) }

  /// A two-byte count, then the text, cut to at most 65,535 bytes.
  @inlinable
  package mutating func append(medium text: String) { append(text, countedBy: UInt16.self) }

  /// A text that is too long ends before the first character that does not fit whole, so it stays UTF-8.
  @usableFromInline package mutating func append<Count: FixedWidthInteger>(
    _ text: String, countedBy: Count.Type
  ) {
    var text = text
    text.withUTF8 { utf8 in
      let bytes = ByteView(UnsafeRawBufferPointer(utf8))
      var length = min(bytes.count, Int(Count.max))
      if length < bytes.count {
        // The bytes 10xxxxxx continue a character.
        while bytes[length] & 0xC0 == 0x80 { length -= 1 }
      }
      append(Count(length))
      append(bytes.slice(0, length))
    }
  }

  /// Overwrites an integer that was written earlier.
  @inlinable
  package mutating func patch<T: FixedWidthInteger>(_ value: T, at offset: Int) {
    precondition(offset >= 0 && offset + MemoryLayout<T>.size <= count)
    base.storeBytes(of: value.littleEndian, toByteOffset: offset, as: T.self)
  }

  /// Returns `length` writable bytes at the end, counted as written.
  @inlinable @inline(__always)
  package mutating func extend(_ length: Int) -> UnsafeMutableRawPointer {
    reserve(length)
    defer { count += length }
    return base + count
  }

  /// Reads straight into the buffer: `body` gets the free room after the end (at least `room` bytes) and returns how many
  /// bytes it filled.
  package mutating func fill(room: Int, _ body: (UnsafeMutableRawBufferPointer) -> Int) {
    reserve(room)
    let filled = body(UnsafeMutableRawBufferPointer(start: base + count, count: capacity - count))
    precondition(filled >= 0 && count + filled <= capacity)
    count += filled
  }
}
