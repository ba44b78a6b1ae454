// The files of a state directory as bytes, for who only looks: no lock is taken, nothing is created or changed.

import Glibc
internal import HubCore

/// A directory's regular files, mapped as they were when it was opened. A hub that serves from it is not disturbed, and goes on
/// writing: what it writes meanwhile may be seen or not.
package struct StateListing: ~Copyable {
  private let path: String
  private var mappings: [UnsafeMutablePointer<MappedFile>] = []
  /// The process that uses the directory; nil if none does.
  package let user: Int32?
  package private(set) var files: [JournalFileBytes] = []
  /// The first place that the disk could not read. Zeroes stand for what could not be.
  private var unread: JournalProblem?

  /// - Throws: `JournalProblem` with `unreadable`, about the directory or a file of the hub's in it.
  package init(_ path: String) throws(JournalProblem) {
    self.path = path
    user = LockFile.holder(of: path)
    guard let stream = opendir(path) else {
      throw JournalProblem(.unreadable, path, ServerError.text(of: errno))
    }
    defer { closedir(stream) }
    for name in DirectoryNames.read(stream) { try add(name, path) }
  }

  /// What a start would make of the files, on this machine as it is.
  package var summary: InspectionSummary {
    if let unread { return InspectionSummary(plan: .failure(unread), stores: nil) }
    // What a hub is writing just now may be seen by half, and is no damage.
    return Inspection.summary(of: files, boot: user == nil ? .current : .unknown) {
      FileOrigin(ofFileAt: "\(path)/\($0)")
    }
  }

  /// How many bytes the hub's files have.
  package var length: Int { files.reduce(0) { $0 + $1.bytes.count } }

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
    if unread == nil, let offset = place.pointee.firstUnread { unread = .unread(name, at: offset) }
    files.append(JournalFileBytes(name: name, bytes: place.pointee.bytes))
  }

  deinit {
    for mapping in mappings {
      mapping.deinitialize(count: 1)
      mapping.deallocate()
    }
  }
}
