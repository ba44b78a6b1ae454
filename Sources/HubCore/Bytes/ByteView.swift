// A borrowed sequence of bytes with checked reads: it never owns, frees or outlives the memory that it was made from.

/// Bytes owned by another part, valid only while the owner keeps them in place (in the hub: until the
/// next frame is read). Loads are little-endian, unaligned and bounds-checked.
@usableFromInline package struct ByteView {
  @usableFromInline package let base: UnsafeRawPointer
  @usableFromInline package let count: Int

  @inlinable
  package init(base: UnsafeRawPointer, count: Int) {
    precondition(count >= 0)
    self.base = base
    self.count = count
  }

  @inlinable
  package init(_ buffer: UnsafeRawBufferPointer) {
    self.init(base: buffer.baseAddress ?? UnsafeRawPointer(bitPattern: 1)!, count: buffer.count)
  }

  @inlinable package var isEmpty: Bool { count == 0 }

  @inlinable
  package subscript(index: Int) -> UInt8 {
    precondition(index >= 0 && index < count, "byte \(index) of \(count)")
    return base.load(fromByteOffset: index, as: UInt8.self)
  }

  /// The little-endian integer at `offset`.
  @inlinable
  package func load<T: FixedWidthInteger>(_ type: T.Type = T.self, at offset: Int) -> T {
    precondition(offset >= 0 && offset + MemoryLayout<T>.size <= count)
    return T(littleEndian: base.loadUnaligned(fromByteOffset: offset, as: T.self))
  }

  @inlinable
  package func slice(_ offset: Int, _ length: Int) -> ByteView {
    precondition(offset >= 0 && length >= 0 && offset + length <= count)
    return ByteView(base: base + offset, count: length)
  }

  @inlinable package func suffix(from offset: Int) -> ByteView { slice(offset, count - offset) }

  @inlinable package var buffer: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: base, count: count) }

  /// An owned copy.
  package var array: [UInt8] { [UInt8](buffer) }

  /// The bytes as text; bytes that are not UTF-8 are replaced.
  package var text: String { String(decoding: buffer, as: UTF8.self) }

  @inline(__always)
  @inlinable package var isASCII: Bool {
    var offset = 0
    var bits: UInt64 = 0
    while offset + 8 <= count {
      bits |= base.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
      offset += 8
    }
    while offset < count {
      bits |= UInt64(base.load(fromByteOffset: offset, as: UInt8.self))
      offset += 1
    }
    return bits & 0x8080_8080_8080_8080 == 0
  }

  /// The offset of the first `byte`.
  package func firstIndex(of byte: UInt8) -> Int? {
    for index in 0..<count where self[index] == byte { return index }
    return nil
  }

  @inlinable package func equals(_ other: ByteView) -> Bool {
    guard count == other.count else { return false }
    var offset = 0
    while offset + 8 <= count {
      let mine = base.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
      if mine != other.base.loadUnaligned(fromByteOffset: offset, as: UInt64.self) { return false }
      offset += 8
    }
    while offset < count {
      if base.load(fromByteOffset: offset, as: UInt8.self)
        != other.base.load(fromByteOffset: offset, as: UInt8.self)
      {
        return false
      }
      offset += 1
    }
    return true
  }
}

/// Reads fields one after another. A read past the end returns zero and sets `failed`, so that a parser checks once, at its
/// end, instead of after every field.
@usableFromInline package struct ByteReader {
  @usableFromInline package let view: ByteView
  @usableFromInline package var offset = 0
  @usableFromInline package var failed = false

  @inlinable package init(_ view: ByteView) { self.view = view }

  @inlinable package var remaining: Int { view.count - offset }

  @inlinable @inline(__always)
  package mutating func integer<T: FixedWidthInteger>(_ type: T.Type = T.self) -> T {
    guard remaining >= MemoryLayout<T>.size else {
      failed = true
      return 0
    }
    defer { offset += MemoryLayout<T>.size }
    return view.load(at: offset)
  }

  @inlinable @inline(__always)
  package mutating func bytes(_ length: Int) -> ByteView {
    guard length >= 0, remaining >= length else {
      failed = true
      return view.slice(offset, 0)
    }
    defer { offset += length }
    return view.slice(offset, length)
  }

  /// A one-byte count, then that many bytes.
  @inlinable @inline(__always)
  package mutating func shortBytes() -> ByteView { bytes(Int(integer(UInt8.self))) }

  /// A two-byte count, then that many bytes.
  @inlinable
  package mutating func mediumBytes() -> ByteView { bytes(Int(integer(UInt16.self))) }

  @inlinable package mutating func rest() -> ByteView { bytes(remaining) }

  /// The read data is invalid.
  @inlinable package mutating func fail() { failed = true }
}

extension Array where Element == UInt8 {
  /// Lends the array's bytes to `body` as a view that must not leave it.
  @usableFromInline package func withByteView<R>(_ body: (ByteView) throws -> R) rethrows -> R {
    try withUnsafeBytes { try body(ByteView($0)) }
  }
}
