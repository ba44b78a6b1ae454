// Special features of this processor: hints about memory, and its checksum instruction.

public import CLinux

@usableFromInline package enum Processor {
  /// Asks for bytes that are about to be read and written. A hint: no address is wrong.
  @inlinable
  package static func prefetch(_ start: UnsafeRawPointer, count: Int) { clinux_prefetch(start, count) }

  /// Whether `crc32c` may be called.
  package static var hasCRC32C: Bool { clinux_has_crc32c() != 0 }

  /// Continues a CRC-32C, in its inverted form.
  package static func crc32c(_ state: UInt32, _ bytes: UnsafeRawBufferPointer) -> UInt32 {
    clinux_crc32c(state, bytes.baseAddress, bytes.count)
  }
}
