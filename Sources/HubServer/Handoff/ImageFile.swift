// An image as a sealed file in memory: writes one, and lends one's bytes. It does not know what they mean.

import CLinux
import Glibc
import HubCore

enum ImageFile {
  /// Writes an image to a new file, which is sealed and closed on exec.
  ///
  /// - Parameter body: writes the image's frames.
  static func write(_ body: (inout ImageWriter) -> Void) throws(ServerError) -> Descriptor {
    let file = try Descriptor(clinux_sealable_memory_file("statehub"), from: "memfd_create")
    let sink = Sink(file.raw)
    var writer = ImageWriter { sink.take($0) }
    sink.write([UInt8](repeating: 0, count: ImageHeader.length))
    body(&writer)
    writer.flush()
    let header = ImageHeader(checksum: sink.checksum.value, bodyLength: sink.count).bytes
    if sink.problem == 0, pwrite(file.raw, header, header.count, 0) != header.count { sink.problem = errno }
    if sink.problem == 0, clinux_seal(file.raw) != 0 { sink.problem = errno }
    if sink.problem != 0 { throw .system(call: "write the hub's image", code: sink.problem) }
    return file
  }

  /// Where the writer's pieces go. A file in memory takes everything, or reports that memory is exhausted.
  private final class Sink {
    private let file: Int32
    var checksum = CRC32C()
    var count: UInt64 = 0
    var problem: Int32 = 0

    init(_ file: Int32) { self.file = file }

    func take(_ bytes: ByteView) {
      checksum.append(bytes)
      count += UInt64(bytes.count)
      write(bytes)
    }

    func write(_ bytes: [UInt8]) { bytes.withByteView { write($0) } }

    private func write(_ bytes: ByteView) {
      var rest = bytes
      while !rest.isEmpty, problem == 0 {
        let written = Glibc.write(file, rest.base, rest.count)
        if written > 0 {
          rest = rest.suffix(from: written)
        } else if errno != EINTR {
          problem = errno
        }
      }
    }
  }

  /// Lends the content of a sealed file to `body`.
  ///
  /// - Throws: `ImageError` if it is not a sealed file, and what `body` throws.
  static func read<Result: ~Copyable>(
    _ file: Int32, _ body: (ByteView) throws(ImageError) -> Result
  ) throws(ImageError) -> Result {
    var status = stat()
    // Unsealed, it could change or shrink while being read.
    guard fstat(file, &status) == 0, clinux_is_sealed(file) != 0, status.st_size > 0,
      let base = mmap(nil, Int(status.st_size), PROT_READ, MAP_PRIVATE, file, 0), base != MAP_FAILED
    else { throw ImageError("the image is no sealed file in memory") }
    defer { munmap(base, Int(status.st_size)) }
    return try body(ByteView(base: UnsafeRawPointer(base), count: Int(status.st_size)))
  }
}
