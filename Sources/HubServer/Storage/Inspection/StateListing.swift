// The files of a state directory as bytes: it takes no lock, and creates or changes nothing.

internal import HubCore
internal import HubEngine
internal import HubSystem

/// A directory's regular files, mapped as they were when it was opened. A hub that uses the directory is not disturbed,
/// and continues to write: what it writes in the meantime may or may not be seen.
package struct StateListing: ~Copyable {
  let path: String
  private var mappings: [UnsafeMutablePointer<MappedFile>] = []
  /// The process that uses the directory; nil if there is none.
  package let user: Int32?
  package private(set) var files: [JournalFileBytes] = []
  /// The first read that the disk failed. Unreadable bytes read as zeroes.
  private(set) var unread: JournalProblem?

  /// - Throws: `JournalProblem` with `unreadable`, about the directory or one of the hub's files in it.
  package init(_ path: String) throws(JournalProblem) {
    try self.init(path, user: LockFile.holder(of: path))
  }

  /// For the process that has locked the directory: looking for the lock's holder would end the lock.
  init(_ path: String, user: Int32?) throws(JournalProblem) {
    self.path = path
    self.user = user
    let names = try SystemError.attempt(Directory.names(at: path)) {
      JournalProblem(.unreadable, path, $0.description)
    }
    for name in names { try add(name, path) }
  }

  /// What a start would make of the files, on this machine as it is. Root may look at the directory of another user's
  /// hub, which starts as that user.
  package var summary: InspectionSummary {
    if let status = try? FileStatus(at: path),
      let objection = StateDirectory.objection(
        to: status, user: CurrentProcess.effectiveUser == 0 ? status.owner : CurrentProcess.effectiveUser)
    {
      return InspectionSummary(plan: .failure(JournalProblem(.refused, path, objection)), stores: nil)
    }
    if let unread { return InspectionSummary(plan: .failure(unread), stores: nil) }
    // A half-visible write of a running hub is not damage.
    return Inspection.summary(of: files, boot: user == nil ? .current : .unknown) {
      FileOrigin(ofFileAt: "\(path)/\($0)")
    }
  }

  /// The total length of the hub's files.
  package var length: Int { files.reduce(0) { $0 + $1.bytes.count } }

  private mutating func add(_ name: String, _ path: String) throws(JournalProblem) {
    guard JournalFileName(name) != nil else {
      // Its content does not matter.
      files.append(
        JournalFileBytes(name: name, bytes: ByteView(UnsafeRawBufferPointer(start: nil, count: 0))))
      return
    }
    let mapping = UnsafeMutablePointer<MappedFile>.allocate(capacity: 1)
    do throws(JournalProblem) {
      mapping.initialize(to: try MappedFile("\(path)/\(name)", name: name))
    } catch {
      mapping.deallocate()
      throw error
    }
    mappings.append(mapping)
    if unread == nil, let offset = mapping.pointee.firstUnread { unread = .unread(name, at: offset) }
    files.append(JournalFileBytes(name: name, bytes: mapping.pointee.bytes))
  }

  deinit {
    for mapping in mappings {
      mapping.deinitialize(count: 1)
      mapping.deallocate()
    }
  }
}
