// The outermost layer of the wire format: what frames look like and which kinds there are, not what they hold.

/// Every frame starts with these 12 bytes, little-endian:
/// `length: u32` (bytes behind the header), `kind: u8`, `flags: u8`, `reserved: u16`, `request: u32`.
public enum Frame {
  public static let headerLength = 12
  public static let defaultMaximumLength = 1 << 20
  public static let magic: UInt32 = 0x4255_4853  // "SHUB"
  public static let version: UInt16 = 1

  public enum Kind: UInt8, Sendable, CaseIterable {
    // Requests, client to hub.
    case hello = 0x01
    case ping = 0x02
    case get = 0x03
    case set = 0x04
    case add = 0x05
    case toggle = 0x06
    case reset = 0x07
    case remove = 0x08
    case create = 0x09
    case transaction = 0x0A
    case list = 0x0B
    case describe = 0x0C
    case watch = 0x0D
    case unwatch = 0x0E
    case clients = 0x0F
    case stats = 0x10
    case reload = 0x11
    // Events, hub to client, and never an answer to one request.
    case change = 0x40
    case created = 0x41
    case removed = 0x42
    case current = 0x43
    case synced = 0x44
    case resumed = 0x45
    case forget = 0x46
    case ended = 0x47
    // Replies, hub to client.
    case welcome = 0x80
    case pong = 0x81
    case value = 0x82
    case written = 0x83
    case committed = 0x84
    case listed = 0x85
    case described = 0x86
    case watching = 0x87
    case unwatched = 0x88
    case clientList = 0x89
    case statistics = 0x8A
    case reloaded = 0x8B
    case error = 0xFF

    public var isEvent: Bool { rawValue & 0xC0 == 0x40 }
    public var isReply: Bool { rawValue & 0x80 != 0 }
  }
}

/// One whole frame, borrowed.
public struct FrameView {
  /// Header and payload.
  public let bytes: ByteView

  public init(bytes: ByteView) {
    precondition(bytes.count >= Frame.headerLength)
    self.bytes = bytes
  }

  public var rawKind: UInt8 { bytes[4] }
  public var kind: Frame.Kind? { Frame.Kind(rawValue: rawKind) }
  public var flags: UInt8 { bytes[5] }
  public var request: UInt32 { bytes.load(at: 8) }
  public var payload: ByteView { bytes.suffix(from: Frame.headerLength) }
}

extension Frame {
  /// Writes the header of a frame of `length` bytes in all.
  @inline(__always)
  static func writeHeader(
    to frame: UnsafeMutableRawPointer, _ kind: Kind, flags: UInt8, request: UInt32, length: Int
  ) {
    let front =
      UInt64(UInt32(length - headerLength)) | UInt64(kind.rawValue) << 32 | UInt64(flags) << 40
    frame.storeBytes(of: front.littleEndian, as: UInt64.self)
    frame.storeBytes(of: request.littleEndian, toByteOffset: 8, as: UInt32.self)
  }
}

extension OutputBuffer {
  /// Starts a frame and returns where; `endFrame` fills in its length.
  mutating func beginFrame(_ kind: Frame.Kind, flags: UInt8 = 0, request: UInt32 = 0) -> Int {
    let start = count
    let frame = extend(Frame.headerLength)
    Frame.writeHeader(to: frame, kind, flags: flags, request: request, length: Frame.headerLength)
    return start
  }

  mutating func endFrame(_ start: Int) {
    patch(UInt32(count - start - Frame.headerLength), at: start)
  }
}
