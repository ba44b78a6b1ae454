// The outermost layer of the wire format: what frames look like and which kinds there are, not what they hold.

/// Every frame starts with these 12 bytes, little-endian: `length: u32` (bytes after the header), `kind: u8`, `flags: u8`,
/// `reserved: u16`, `request: u32`.
public enum Frame {
  @inlinable package static var headerLength: Int { 12 }
  @inlinable @inline(__always) package static var length: Field<UInt32> { Field(at: 0) }
  @inlinable @inline(__always) package static var kind: Field<UInt8> { Field(behind: length) }
  @inlinable @inline(__always) package static var flags: Field<UInt8> { Field(behind: kind) }
  @inlinable @inline(__always) package static var reserved: Field<UInt16> { Field(behind: flags) }
  @inlinable @inline(__always) package static var request: Field<UInt32> { Field(behind: reserved) }

  package static let defaultMaximumLength = 1 << 20
  package static let magic: UInt32 = 0x4255_4853  // "SHUB"
  /// The version of the protocol that this library speaks.
  public static let version: UInt16 = 1
}

/// One whole frame, borrowed.
@usableFromInline package struct FrameView {
  /// Header and payload.
  @usableFromInline package let bytes: ByteView

  @inlinable
  package init(bytes: ByteView) {
    precondition(bytes.count >= Frame.headerLength)
    self.bytes = bytes
  }

  @inlinable package var rawKind: UInt8 { bytes[Frame.kind] }
  @inline(__always) package var kind: Frame.Kind? { Frame.Kind(rawValue: rawKind) }
  @inlinable package var flags: UInt8 { bytes[Frame.flags] }
  @inlinable package var request: UInt32 { bytes[Frame.request] }
  @inlinable package var payload: ByteView { bytes.suffix(from: Frame.headerLength) }
}

extension Frame {
  /// The length of the frame that starts with these bytes, header included.
  @inlinable @inline(__always)
  package static func length(_ front: ByteView) -> Int { headerLength + Int(front[length]) }

  /// The request number of a frame that may not be whole; 0 if it has none yet.
  package static func request(ofFront front: ByteView) -> UInt32 {
    front.count >= headerLength ? front[request] : 0
  }

  /// Writes the header of a frame of `length` bytes in total.
  @inlinable @inline(__always)
  package static func writeHeader(
    to frame: UnsafeMutableRawPointer, _ kind: UInt8, flags: UInt8, request: UInt32, length: Int
  ) {
    // The first eight bytes together.
    let front =
      UInt64(UInt32(length - headerLength)) | UInt64(kind) << 32 | UInt64(flags) << 40
    frame.storeBytes(of: front.littleEndian, as: UInt64.self)
    Frame.request.write(request, to: frame)
  }
}

extension OutputBuffer {
  /// Appends a frame; `payload` writes what follows its header.
  @inlinable @inline(__always)
  package mutating func frame(
    _ kind: UInt8, flags: UInt8 = 0, request: UInt32 = 0, _ payload: (inout OutputBuffer) -> Void = { _ in }
  ) {
    let start = beginFrame(kind, flags: flags, request: request)
    payload(&self)
    endFrame(start)
  }

  /// Starts a frame and returns its offset; `endFrame` fills in its length.
  @inlinable
  package mutating func beginFrame(_ kind: UInt8, flags: UInt8 = 0, request: UInt32 = 0) -> Int {
    let start = count
    let frame = extend(Frame.headerLength)
    Frame.writeHeader(to: frame, kind, flags: flags, request: request, length: Frame.headerLength)
    return start
  }

  /// A frame that is too long for its length field gets the greatest length, which no receiver accepts.
  @inlinable package mutating func endFrame(_ start: Int) {
    patch(UInt32(clamping: count - start - Frame.headerLength), Frame.length, from: start)
  }
}
