// A file's content as memory, for recovery and inspection. It is never written to.

import CLinux
import Glibc
package import HubCore

/// A file mapped for reading. Its bytes are valid as long as it exists, and as long as no process truncates the file.
package struct MappedFile: ~Copyable {
  private let base: UnsafeMutableRawPointer?
  private let length: Int
  /// The first offset that the disk could not read; unreadable pages read as zeroes.
  package let firstUnread: Int?

  /// - Throws: `JournalProblem` with `unreadable`.
  package init(_ path: String, name: String) throws(JournalProblem) {
    (base, length, firstUnread) = try MappedFile.map(path, name: name)
  }

  private static func map(
    _ path: String, name: String
  ) throws(JournalProblem) -> (UnsafeMutableRawPointer?, Int, Int?) {
    var status = stat()
    // Opening something that is not a file may block, or have an effect.
    if lstat(path, &status) == 0 { try refuse(status, name) }
    let file = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
    if file < 0 { throw JournalProblem(.unreadable, name, ServerError.text(of: errno)) }
    defer { close(file) }
    guard fstat(file, &status) == 0 else {
      throw JournalProblem(.unreadable, name, ServerError.text(of: errno))
    }
    try refuse(status, name)
    let length = Int(status.st_size)
    if length == 0 { return (nil, 0, nil) }
    let mapping = mmap(nil, length, PROT_READ, MAP_PRIVATE, file, 0)
    guard let mapping, mapping != MAP_FAILED else {
      throw JournalProblem(.unreadable, name, ServerError.text(of: errno))
    }
    // Reading memory that the disk cannot fill would end the process.
    if clinux_populate(mapping, length) == 0 { return (mapping, length, nil) }
    munmap(mapping, length)
    let copy = mmap(nil, length, PROT_READ | PROT_WRITE, MAP_PRIVATE | Int32(MAP_ANONYMOUS), -1, 0)
    guard let copy, copy != MAP_FAILED else {
      throw JournalProblem(.unreadable, name, ServerError.text(of: errno))
    }
    let bytes = UnsafeMutableRawBufferPointer(start: copy, count: length)
    return (copy, length, fill(bytes) { pread(file, $0.baseAddress, $0.count, off_t($1)) })
  }

  private static let pageLength = 4096

  /// Reads what can be read, page by page where something cannot.
  ///
  /// - Parameter read: like `pread`, into a pointer and from an offset.
  /// - Returns: the offset of the first page that cannot be read.
  static func fill(
    _ bytes: UnsafeMutableRawBufferPointer, read: (UnsafeMutableRawBufferPointer, Int) -> Int
  ) -> Int? {
    var offset = 0
    var unread: Int?
    var step = bytes.count
    while offset < bytes.count {
      let end = min(bytes.count, offset + step)
      let count = read(UnsafeMutableRawBufferPointer(rebasing: bytes[offset..<end]), offset)
      if count > 0 {
        offset += count
      } else if count < 0, errno == EINTR {
        continue
      } else if step > pageLength {
        step = pageLength
      } else {
        if unread == nil { unread = offset }
        offset = (offset / pageLength + 1) * pageLength
      }
    }
    return unread
  }

  private static func refuse(_ status: stat, _ name: String) throws(JournalProblem) {
    if let kind = FileKind.other(than: status) {
      throw JournalProblem(
        .unreadable, name, "it is \(kind), and no regular file: remove it, or move it away")
    }
  }

  deinit { if let base { munmap(base, length) } }

  package var bytes: ByteView { ByteView(UnsafeRawBufferPointer(start: base, count: length)) }
}
