// An image as a sealed file in memory: writes one, and gives access to the bytes of one. It does not know what they mean.

import HubCore
import HubEngine
import HubSystem

enum ImageFile {
  /// Writes an image to a new file, which is sealed and closed on exec.
  ///
  /// - Parameter body: writes the image's frames.
  static func write(_ body: (inout ImageWriter) -> Void) throws(ServerError) -> Descriptor {
    let file = try ServerError.attempt("memfd_create", MemoryFile.create("statehub", canBeSealed: true))
    let sink = Sink(file.raw)
    var writer = ImageWriter { sink.take($0) }
    sink.write([UInt8](repeating: 0, count: ImageHeader.length))
    body(&writer)
    writer.flush()
    let header = ImageHeader(checksum: sink.checksum.value, bodyLength: sink.count).bytes
    let problem =
      sink.problem ?? header.withUnsafeBytes { File.write($0, to: sink.file, at: 0) } ?? MemoryFile.seal(file)
    if let problem { throw .system(call: "write the hub's image", code: problem.code) }
    return file
  }

  /// Where the writer's pieces go. A file in memory takes everything, or reports that memory is exhausted.
  private final class Sink {
    let file: Int32
    var checksum = CRC32C()
    var count: UInt64 = 0
    private(set) var problem: SystemError?

    init(_ file: Int32) { self.file = file }

    func take(_ bytes: ByteView) {
      checksum.append(bytes)
      count += UInt64(bytes.count)
      write(bytes)
    }

    func write(_ bytes: [UInt8]) { bytes.withByteView { write($0) } }

    private func write(_ bytes: ByteView) {
      if problem == nil { problem = Descriptor.writeAll(bytes.buffer, to: file) }
    }
  }

  /// Lends the content of a sealed file to `body`.
  ///
  /// - Throws: `ImageError` if it is not a sealed file, and what `body` throws.
  static func read<Result: ~Copyable>(
    _ file: Int32, _ body: (ByteView) throws(ImageError) -> Result
  ) throws(ImageError) -> Result {
    // If it were not sealed, it could change or shrink while being read.
    guard let status = try? FileStatus(of: file), MemoryFile.isSealed(file), status.size > 0,
      let content = try? Mapping(reading: file, count: status.size)
    else { throw ImageError("the image is not a sealed memory file") }
    return try body(ByteView(content.bytes))
  }
}
