// An image's header: that it is an image, its version and length, and the checksum of what follows.

import HubCore
import HubEngine

/// `magic: 8 bytes, version: u16, reserved: u16, checksum: u32, length: u64`, little-endian; the checksum is the CRC-32C of
/// the `length` bytes after the header.
struct ImageHeader: Equatable {
  static let length = 24
  /// "hubimage"
  private static let magic: UInt64 = 0x6567_616D_6962_7568

  var version = ImageFormat.version
  var checksum: UInt32
  var bodyLength: UInt64

  var bytes: [UInt8] {
    var out = OutputBuffer(capacity: ImageHeader.length)
    out.append(ImageHeader.magic)
    out.append(version)
    out.append(UInt16(0))
    out.append(checksum)
    out.append(bodyLength)
    return out.array
  }

  /// The frames of a whole image.
  ///
  /// - Parameter isNew: it was not checked before: a sealed one stays as it is.
  /// - Throws: `ImageError` with the reason why it cannot be read.
  static func body(of image: ByteView, isNew: Bool = true) throws(ImageError) -> ByteView {
    var reader = ByteReader(image)
    let magic = reader.integer(UInt64.self)
    let version = reader.integer(UInt16.self)
    _ = reader.integer(UInt16.self)
    let checksum = reader.integer(UInt32.self)
    let length = reader.integer(UInt64.self)
    guard !reader.failed, magic == ImageHeader.magic else { throw ImageError("this is not a hub's image") }
    guard version == ImageFormat.version else {
      throw ImageError("the image is of version \(version), this program reads \(ImageFormat.version)")
    }
    let body = reader.rest()
    guard body.count == length, !isNew || CRC32C.of(body) == checksum else {
      throw ImageError("the image is damaged")
    }
    return body
  }
}
