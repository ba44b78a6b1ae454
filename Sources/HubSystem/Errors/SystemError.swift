// Why a call to the system failed: its `errno`, with a name and as text.

internal import Glibc

/// The one error of this module. Callers say what they were doing; it has the reason.
@usableFromInline package struct SystemError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The `errno`.
  @usableFromInline package let code: Int32

  @inlinable
  package init(_ code: Int32) { self.code = code }

  /// The reason why the last call of this thread failed. Only directly after it.
  package static var last: SystemError { SystemError(errno) }

  @usableFromInline package var description: String { String(cString: strerror(code)) }
}

extension SystemError {
  /// Makes a call that must succeed; the reason of a failure becomes the caller's own error.
  @inlinable
  package static func attempt<Result: ~Copyable, Trouble: Error>(
    _ call: @autoclosure () throws(SystemError) -> Result, _ trouble: (SystemError) -> Trouble
  ) throws(Trouble) -> Result {
    do throws(SystemError) {
      return try call()
    } catch {
      throw trouble(error)
    }
  }
}

// The reasons that callers distinguish, or return themselves.
extension SystemError {
  /// The call exists, but not for this kind of file or on this file system.
  package var isUnsupported: Bool { [EINVAL, ENOSYS, EOPNOTSUPP, ENOTTY, ENODEV].contains(code) }

  package static var accessDenied: SystemError { SystemError(EACCES) }
  package static var addressInUse: SystemError { SystemError(EADDRINUSE) }
  package static var addressNotAvailable: SystemError { SystemError(EADDRNOTAVAIL) }
  package static var badDescriptor: SystemError { SystemError(EBADF) }
  package static var brokenPipe: SystemError { SystemError(EPIPE) }
  package static var connectionRefused: SystemError { SystemError(ECONNREFUSED) }
  package static var exists: SystemError { SystemError(EEXIST) }
  package static var inputOutput: SystemError { SystemError(EIO) }
  /// A signal arrived before anything was done.
  package static var interrupted: SystemError { SystemError(EINTR) }
  package static var invalidArgument: SystemError { SystemError(EINVAL) }
  package static var nameTooLong: SystemError { SystemError(ENAMETOOLONG) }
  package static var noSpace: SystemError { SystemError(ENOSPC) }
  package static var noSuchFile: SystemError { SystemError(ENOENT) }
  package static var notADirectory: SystemError { SystemError(ENOTDIR) }
  package static var notExecutable: SystemError { SystemError(ENOEXEC) }
  package static var notPermitted: SystemError { SystemError(EPERM) }
  /// There is too little room for the result.
  package static var outOfRange: SystemError { SystemError(ERANGE) }
  package static var quotaExceeded: SystemError { SystemError(EDQUOT) }
  package static var readOnlyFileSystem: SystemError { SystemError(EROFS) }
  package static var tooManyOpenFiles: SystemError { SystemError(EMFILE) }
  /// The call would have to wait: a full or empty buffer, a lock that another process has.
  package static var wouldBlock: SystemError { SystemError(EAGAIN) }
}
