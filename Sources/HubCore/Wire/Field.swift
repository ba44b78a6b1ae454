// An integer at a fixed offset: how the fixed layouts of frames and records are described, each field after the one before
// it.

/// A little-endian integer of a fixed layout, by its offset from the frame's start.
@usableFromInline package struct Field<Value: FixedWidthInteger & Sendable>: Sendable {
  @usableFromInline package let offset: Int

  @inlinable @inline(__always)
  package init(at offset: Int) { self.offset = offset }

  @inlinable @inline(__always)
  package init<Other>(behind other: Field<Other>) { offset = other.end }

  /// Where the next field begins.
  @inlinable @inline(__always)
  package var end: Int { offset + MemoryLayout<Value>.size }

  /// Writes the field of the frame at `frame`, which has room for it.
  @inlinable @inline(__always)
  package func write(_ value: Value, to frame: UnsafeMutableRawPointer) {
    frame.storeBytes(of: value.littleEndian, toByteOffset: offset, as: Value.self)
  }
}

extension ByteView {
  /// The field's value; `bytes` start where the offset is counted from, and include the field.
  @inlinable @inline(__always)
  package subscript<Value>(field: Field<Value>) -> Value { load(at: field.offset) }
}

extension OutputBuffer {
  /// Overwrites a field of the frame or record that begins at `start`.
  @inlinable
  package mutating func patch<Value>(_ value: Value, _ field: Field<Value>, from start: Int) {
    patch(value, at: start + field.offset)
  }
}
