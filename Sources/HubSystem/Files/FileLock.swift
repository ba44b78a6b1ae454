// A lock on a whole file, which names its holder. It ends when the process closes any descriptor of the file, or dies; a
// program that is executed in the process keeps it.

internal import CLinux

package enum FileLock {
  /// - Parameter isShared: for a file that is open only for reading: the lock keeps writers out, and other holders that share it
  ///   is the holder.
  /// - Returns: nil if it is ours, else the process that has it. One that cannot be named is 1.
  package static func take(_ file: Int32, isShared: Bool = false) throws(SystemError) -> Int32? {
    try holder(isShared ? clinux_share_or_holder(file) : clinux_lock_or_holder(file))
  }

  /// The process that has it; nil if there is none. It does not try to lock.
  package static func holder(of file: Int32) throws(SystemError) -> Int32? {
    try holder(clinux_lock_holder(file))
  }

  private static func holder(_ result: Int32) throws(SystemError) -> Int32? {
    if result < 0 { throw .last }
    return result == 0 ? nil : result
  }
}
