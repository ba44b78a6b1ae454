// Owns the framing on a plugin's two descriptors: an 8-byte little-endian length, then as many bytes.

import Glibc

/// Reads and writes frames; the descriptors are borrowed, and nothing closes standard input and output.
struct FrameChannel: ~Copyable {
  /// A frame contains one declaration and its surroundings: more than this is an error.
  static let frameLimit = 256 << 20

  let input: CInt
  let output: CInt

  /// The next frame, or nil at the end: a closed input, or a length of zero.
  func read() throws(ChannelError) -> [UInt8]? {
    guard let header = try read(count: 8, mayEnd: true) else { return nil }
    let length = header.reversed().reduce(0 as UInt64) { $0 << 8 | UInt64($1) }
    guard length > 0 else { return nil }
    guard length <= Self.frameLimit else { throw ChannelError.frameTooLong(length) }
    return try read(count: Int(length), mayEnd: false)
  }

  func write(_ payload: [UInt8]) throws(ChannelError) {
    let length = UInt64(payload.count)
    let header = (0..<8).map { UInt8(truncatingIfNeeded: length >> ($0 * 8)) }
    var rest = (header + payload)[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Glibc.write(output, $0.baseAddress, $0.count) }
      if count < 0 {
        guard errno == EINTR else { throw ChannelError.system("write", errno) }
      } else {
        rest = rest.dropFirst(count)
      }
    }
  }

  private func read(count: Int, mayEnd: Bool) throws(ChannelError) -> [UInt8]? {
    var bytes = [UInt8](repeating: 0, count: count)
    var filled = 0
    while filled < count {
      let size = bytes.withUnsafeMutableBytes { buffer in
        Glibc.read(input, buffer.baseAddress?.advanced(by: filled), count - filled)
      }
      if size < 0 {
        guard errno == EINTR else { throw ChannelError.system("read", errno) }
      } else if size == 0 {
        if mayEnd, filled == 0 { return nil }
        throw ChannelError.truncated
      } else {
        filled += size
      }
    }
    return bytes
  }
}

enum ChannelError: Error, CustomStringConvertible {
  case system(String, CInt)
  case truncated
  case frameTooLong(UInt64)

  var description: String {
    switch self {
    case .system(let function, let code): "\(function) failed: \(String(cString: strerror(code)))"
    case .truncated: "the input ended within a frame"
    case .frameTooLong(let length): "a frame of \(length) bytes is longer than \(FrameChannel.frameLimit)"
    }
  }
}
