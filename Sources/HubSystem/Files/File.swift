// Open files by their numbers: reading and writing at an offset, syncing. Each call is repeated after an interruption by a
// signal.

internal import CLinux
internal import Glibc

/// Calls without a result return why they failed.
package enum File {
  /// Writes all bytes; if it fails, some may have been written.
  package static func write(
    _ bytes: UnsafeRawBufferPointer, to file: Int32, at offset: Int
  ) -> SystemError? {
    var done = 0
    while done < bytes.count {
      let rest = UnsafeRawBufferPointer(rebasing: bytes[done...])
      let count = pwrite(file, rest.baseAddress, rest.count, off_t(offset + done))
      if count < 0 {
        if errno == EINTR { continue }
        return .last
      }
      if count == 0 { return .noSpace }
      done += count
    }
    return nil
  }

  package static func read(
    _ file: Int32, at offset: Int, into room: UnsafeMutableRawBufferPointer
  ) -> Transfer {
    Transfer.uninterrupted { pread(file, room.baseAddress, room.count, off_t(offset)) }
  }

  /// Syncs what was written: the content, and the metadata needed to read it.
  package static func sync(_ file: Int32) -> SystemError? {
    while fdatasync(file) != 0 {
      if errno != EINTR { return .last }
    }
    return nil
  }

  /// Syncs a directory. Some file systems cannot, and need not.
  package static func syncDirectory(_ directory: Int32) -> SystemError? {
    while fsync(directory) != 0 {
      if SystemError.last.isUnsupported { return nil }
      if errno != EINTR { return .last }
    }
    return nil
  }

  /// Continues at the beginning.
  package static func rewind(_ file: Int32) { lseek(file, 0, SEEK_SET) }

  /// Its inode, and when it was created, in nanoseconds since 1970; 0 if unknown.
  package static func origin(of file: Int32) -> (inode: UInt64, birth: UInt64) {
    var (inode, birth): (UInt64, UInt64) = (0, 0)
    clinux_file_origin(file, &inode, &birth)
    return (inode, birth)
  }

  /// Reads a small file whole, as those of /proc.
  ///
  /// - Parameter limit: nothing beyond this many bytes is read.
  package static func contents(of path: String, limit: Int) throws(SystemError) -> [UInt8] {
    let file = try Descriptor(opening: path)
    var bytes: [UInt8] = []
    while bytes.count < limit {
      let more = Descriptor.readOnce(file.raw, limit: limit - bytes.count)
      if more.isEmpty { break }
      bytes += more
    }
    return bytes
  }
}
