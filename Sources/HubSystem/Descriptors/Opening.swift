// Opening files and directories. Descriptors that are opened here are closed on exec.

internal import Glibc

/// How to open. By default for reading alone.
package struct OpenOptions: OptionSet, Sendable {
  package let rawValue: Int32

  package init(rawValue: Int32) { self.rawValue = rawValue }

  /// For reading and writing.
  package static let readAndWrite = OpenOptions(rawValue: O_RDWR)
  package static let create = OpenOptions(rawValue: O_CREAT)
  /// It must not exist.
  package static let exclusive = OpenOptions(rawValue: O_EXCL)
  /// It must be a directory.
  package static let directory = OpenOptions(rawValue: O_DIRECTORY)
  /// Not what a symbolic link leads to.
  package static let noFollow = OpenOptions(rawValue: O_NOFOLLOW)
  /// Only to identify the file: it can be neither read nor written.
  package static let pathOnly = OpenOptions(rawValue: 0o1000_0000)
  /// Neither opening nor reading waits, whatever it is.
  package static let nonblocking = OpenOptions(rawValue: O_NONBLOCK)

  /// A regular file that another user may have replaced by something else: opening it has no effect and does not wait.
  package static let careful: OpenOptions = [.noFollow, .nonblocking]
}

extension Descriptor {
  /// The mode of every file that is created: its owner's alone.
  private static let mode: mode_t = 0o600

  package init(opening path: String, _ options: OpenOptions = []) throws(SystemError) {
    try self.init(returned: open(path, options.rawValue | O_CLOEXEC, Descriptor.mode))
  }

  /// A file of a user's own to be overwritten, with the mode that the user's mask gives to new files.
  package init(creating path: String) throws(SystemError) {
    try self.init(returned: open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o666))
  }

  /// - Parameter directory: where a relative path begins.
  package init(
    opening path: String, in directory: borrowing Descriptor, _ options: OpenOptions = []
  ) throws(SystemError) {
    try self.init(returned: openat(directory.raw, path, options.rawValue | O_CLOEXEC, Descriptor.mode))
  }
}
