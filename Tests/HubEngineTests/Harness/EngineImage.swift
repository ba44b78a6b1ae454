// An engine's image as bytes, for tests.

import HubCore
import HubEngine

enum EngineImage {
  static func bytes(of engine: borrowing HubEngine) -> [UInt8] {
    final class Collected { var bytes: [UInt8] = [] }
    let collected = Collected()
    var writer = ImageWriter { collected.bytes += $0.array }
    engine.write(to: &writer)
    writer.flush()
    return collected.bytes
  }

  static func engine(
    from image: [UInt8], options: HubEngine.Options = HubEngine.Options(),
    renumber: @escaping (Int32) -> Int32 = { $0 }, groups: @escaping (Int32) -> [UInt32] = { _ in [] }
  ) throws(ImageError) -> HubEngine {
    var builder = EngineBuilder(options: options, renumber: renumber, groups: groups)
    var offset = 0
    while offset < image.count {
      // Each frame in its own memory, so that a read beyond it is found.
      let front = image[offset...].prefix(Frame.headerLength)
      let end =
        front.count < Frame.headerLength ? front.count : Array(front).withByteView { Frame.length($0) }
      let rest = Array(image[offset...].prefix(end))
      let length = try rest.withByteView { (bytes) -> Result<Int, ImageError> in
        var reader = ImageReader(bytes)
        do throws(ImageError) {
          guard let frame = try reader.next() else { return .success(bytes.count) }
          try builder.take(frame)
          return .success(frame.bytes.count)
        } catch {
          return .failure(error)
        }
      }.get()
      offset += length
    }
    return try builder.finish()
  }
}
