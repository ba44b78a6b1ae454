// How much space a file system has left.

internal import Glibc

package enum FileSystem {
  /// The bytes that its users can still write to the file system of an open file; nil: unknown. It may wait for the
  /// disk.
  package static func freeBytes(of file: Int32) -> UInt64? {
    var status = statvfs()
    guard fstatvfs(file, &status) == 0 else { return nil }
    return UInt64(status.f_bavail) &* UInt64(status.f_frsize)
  }
}
