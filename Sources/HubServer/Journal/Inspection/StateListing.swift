// The files of a state directory as bytes, for who only looks: no lock is taken, nothing is created or changed.

import Glibc
internal import HubCore

/// A directory's regular files, mapped as they were when it was opened. A hub that serves from it is not disturbed, and goes on
/// writing: what it writes meanwhile may be seen or not.
package struct StateListing: ~Copyable {
  private var mappings: [UnsafeMutablePointer<MappedFile>] = []
  package private(set) var files: [JournalFileBytes] = []

  /// - Throws: `JournalProblem` with `unreadable`, about the directory or a file of the hub's in it.
  package init(_ path: String) throws(JournalProblem) {
    guard let stream = opendir(path) else {
      throw JournalProblem(.unreadable, path, ServerError.text(of: errno))
    }
    defer { closedir(stream) }
    for name in DirectoryNames.read(stream) { try add(name, path) }
  }

  private mutating func add(_ name: String, _ path: String) throws(JournalProblem) {
    guard JournalFileName(name) != nil else {
      // Its content is nobody's business.
      files.append(
        JournalFileBytes(name: name, bytes: ByteView(UnsafeRawBufferPointer(start: nil, count: 0))))
      return
    }
    let place = UnsafeMutablePointer<MappedFile>.allocate(capacity: 1)
    do throws(JournalProblem) {
      place.initialize(to: try MappedFile("\(path)/\(name)", name: name))
    } catch {
      place.deallocate()
      throw error
    }
    mappings.append(place)
    files.append(JournalFileBytes(name: name, bytes: place.pointee.bytes))
  }

  deinit {
    for mapping in mappings {
      mapping.deinitialize(count: 1)
      mapping.deallocate()
    }
  }
}
