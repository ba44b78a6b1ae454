// A file's content as memory, for recovery and inspection. It is never written to.

import CLinux
import Glibc
package import HubCore

/// A file mapped for reading. Its bytes are valid as long as it lives, and as long as nobody truncates the file.
package struct MappedFile: ~Copyable {
  private let base: UnsafeMutableRawPointer?
  private let length: Int

  /// - Throws: `JournalProblem` with `unreadable`.
  package init(_ path: String, name: String) throws(JournalProblem) {
    (base, length) = try MappedFile.map(path, name: name)
  }

  private static func map(
    _ path: String, name: String
  ) throws(JournalProblem) -> (UnsafeMutableRawPointer?, Int) {
    let file = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
    if file < 0 { throw JournalProblem(.unreadable, name, ServerError.text(of: errno)) }
    defer { close(file) }
    var status = stat()
    guard fstat(file, &status) == 0 else {
      throw JournalProblem(.unreadable, name, ServerError.text(of: errno))
    }
    guard status.st_mode & S_IFMT == S_IFREG else {
      throw JournalProblem(.unreadable, name, "it is no regular file")
    }
    let length = Int(status.st_size)
    if length == 0 { return (nil, 0) }
    let mapping = mmap(nil, length, PROT_READ, MAP_PRIVATE | Int32(MAP_POPULATE), file, 0)
    guard let mapping, mapping != MAP_FAILED else {
      throw JournalProblem(.unreadable, name, ServerError.text(of: errno))
    }
    return (mapping, length)
  }

  deinit { if let base { munmap(base, length) } }

  package var bytes: ByteView { ByteView(UnsafeRawBufferPointer(start: base, count: length)) }
}
