// The note of how far the journal reached, in a file outside the state directory: a state that was put back from a copy does
// not reach it.

import HubCore
package import HubEngine
import HubSystem

/// Where the last record ended. No other history has a segment of this number with this salt.
package struct JournalReach: Hashable, Sendable {
  package var salt: UInt64
  package var end: JournalPosition

  package init(salt: UInt64, end: JournalPosition) {
    self.salt = salt
    self.end = end
  }
}

/// What a start finds noted.
package enum NotedReach: Hashable, Sendable {
  /// Nobody looked.
  case unchecked
  /// There is no note: it was made elsewhere, removed, or never.
  case missing
  case reach(JournalReach)
}

/// The note's file: 16 bytes in a runtime directory, which no restored disk or directory brings back. It is written after each
/// record, and is the system's to keep when the hub is killed.
enum ReachFile {
  private static let length = 16

  /// - Parameters:
  ///   - runtime: the directory for the note.
  ///   - state: the path of the state directory.
  static func path(in runtime: String, for state: String) -> String {
    let resolved = File.resolved(state) ?? state
    let name = Array(resolved.utf8).withByteView { String(CRC32C.of($0), radix: 16) }
    return "\(runtime)/journal-end-\(name)"
  }

  static func read(_ path: String) -> NotedReach {
    guard let file = try? Descriptor(opening: path, .careful), isOwn(file.raw) else { return .missing }
    var bytes = [UInt8](repeating: 0, count: length)
    let raw = file.raw
    guard bytes.withUnsafeMutableBytes({ File.read(raw, at: 0, into: $0).count }) == length else {
      return .missing
    }
    return bytes.withByteView {
      .reach(JournalReach(salt: $0.load(at: 0), end: JournalPosition(raw: $0.load(at: 8))))
    }
  }

  /// Opens the file for writing, and makes it if it is missing.
  ///
  /// - Returns: -1 if that is impossible: nothing is noted, and the next start finds nothing.
  static func open(_ path: String) -> Int32 {
    guard let file = try? Descriptor(opening: path, [.careful, .readAndWrite, .create]), isOwn(file.raw)
    else {
      return -1
    }
    return file.release()
  }

  static func write(_ reach: JournalReach, to file: Int32) {
    withUnsafeTemporaryAllocation(byteCount: length, alignment: 8) { room in
      room.storeBytes(of: reach.salt.littleEndian, as: UInt64.self)
      room.storeBytes(of: reach.end.raw.littleEndian, toByteOffset: 8, as: UInt64.self)
      // Its page is there: nothing that happens to a disk makes this fail.
      _ = File.write(UnsafeRawBufferPointer(room), to: file, at: 0)
    }
  }

  /// A file that another user can write to says nothing.
  private static func isOwn(_ file: Int32) -> Bool {
    guard let status = try? FileStatus(of: file) else { return false }
    return status.kind == .regular && status.owner == CurrentProcess.effectiveUser
      && status.permissions & 0o077 == 0
  }
}
