// A file's content as memory, for recovery and inspection. It is never written to.

package import HubCore
import HubSystem

/// A file mapped for reading. Its bytes are valid as long as it exists, and as long as no process truncates the file.
package struct MappedFile: ~Copyable {
  /// Nil: the file is empty.
  private let content: Mapping?
  /// The first offset that the disk could not read; unreadable pages read as zeroes.
  package let firstUnread: Int?

  /// - Throws: `JournalProblem` with `unreadable`.
  package init(_ path: String, name: String) throws(JournalProblem) {
    // Opening something that is not a file may block, or have side effects.
    if let status = try? FileStatus(at: path, followsLinks: false) { try MappedFile.refuse(status, name) }
    let file = try MappedFile.attempt(name, Descriptor(opening: path, .careful))
    let status = try MappedFile.attempt(name, FileStatus(of: file.raw))
    try MappedFile.refuse(status, name)
    if status.size == 0 {
      content = nil
      firstUnread = nil
      return
    }
    do throws(SystemError) {
      let mapping = try Mapping(reading: file.raw, count: status.size)
      // Reading memory that the disk cannot fill would end the process.
      if mapping.populate() {
        content = consume mapping
        firstUnread = nil
        return
      }
    } catch {
      if !error.isUnsupported { throw JournalProblem(.unreadable, name, error.description) }
    }
    let copy = try MappedFile.attempt(name, Mapping(reserving: status.size))
    let raw = file.raw
    firstUnread = MappedFile.fill(copy.room) { File.read(raw, at: $1, into: $0) }
    content = consume copy
  }

  private static func attempt<Result: ~Copyable>(
    _ name: String, _ body: @autoclosure () throws(SystemError) -> Result
  ) throws(JournalProblem) -> Result {
    try SystemError.attempt(try body()) { JournalProblem(.unreadable, name, $0.description) }
  }

  private static let pageLength = 4096

  /// Reads what can be read, page by page where something cannot.
  ///
  /// - Parameter read: reads into memory, from an offset.
  /// - Returns: the offset of the first page that cannot be read.
  static func fill(
    _ bytes: UnsafeMutableRawBufferPointer, read: (UnsafeMutableRawBufferPointer, Int) -> Transfer
  ) -> Int? {
    var offset = 0
    var unread: Int?
    var step = bytes.count
    while offset < bytes.count {
      let end = min(bytes.count, offset + step)
      if case .bytes(let count) = read(UnsafeMutableRawBufferPointer(rebasing: bytes[offset..<end]), offset) {
        offset += count
      } else if step > pageLength {
        step = pageLength
      } else {
        if unread == nil { unread = offset }
        offset = (offset / pageLength + 1) * pageLength
      }
    }
    return unread
  }

  private static func refuse(_ status: FileStatus, _ name: String) throws(JournalProblem) {
    if let kind = status.kind.unlessRegular {
      throw JournalProblem(
        .unreadable, name, "it is \(kind), not a regular file: remove it, or move it away")
    }
  }

  package var bytes: ByteView {
    switch content {
    case .some(let content): ByteView(content.bytes)
    case .none: ByteView(UnsafeRawBufferPointer(start: nil, count: 0))
    }
  }
}
