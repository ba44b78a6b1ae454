// The note of how far the journal reached, in a file outside the state directory: a state that was restored from a copy ends before that.

import HubCore
package import HubEngine
import HubSystem
import Synchronization

/// Where the last record ended. No other history has a segment of this number with this salt.
package struct JournalReach: Hashable, Sendable {
  package var salt: UInt64
  package var end: JournalPosition
}

/// What a start finds noted.
package enum NotedReach: Hashable, Sendable {
  /// Nobody looked.
  case unchecked
  /// There is no note: it was made elsewhere, removed, or never.
  case missing
  /// Clients were shown what is not in the journal, because the disk had failed.
  case failed
  case reach(JournalReach)
}

/// The note in memory: a file of a runtime directory, which no restored disk or directory brings back, mapped. It is changed after
/// each record, and is the system's to keep when the hub is killed.
///
/// It has two entries, for segments of even and of odd numbers, and the one that reaches further counts: so it is whole whenever the
/// hub is killed. If another process truncates the file, nothing more is noted, and the next start finds nothing.
final class ReachNote {
  private let memory: Mapping

  /// - Parameter file: of the note's length; -1: there is none.
  init?(_ file: Int32) {
    guard file >= 0, let memory = try? Mapping(sharing: file, count: ReachFile.length) else { return nil }
    self.memory = memory
  }

  func write(_ reach: JournalReach) {
    memory.guarded {
      let start = Int(reach.end.segment & 1) * ReachFile.entryLength
      if read(start) != reach.salt {
        put(0, at: start + 8)
        put(reach.salt, at: start)
      }
      put(reach.end.raw, at: start + 8)
      // The other entry is of an earlier segment, or says that the disk had failed.
      let other = ReachFile.entryLength - start + 8
      if read(other) > reach.end.raw { put(0, at: other) }
    }
  }

  /// From now on clients are shown what the journal lacks.
  func giveUp() { memory.guarded { put(.max, at: 8) } }

  private func read(_ offset: Int) -> UInt64 {
    UInt64(littleEndian: memory.base.load(fromByteOffset: offset, as: UInt64.self))
  }

  /// In this order, as far as the end of the process is concerned.
  private func put(_ word: UInt64, at offset: Int) {
    atomicMemoryFence(ordering: .releasing)
    memory.base.storeBytes(of: word.littleEndian, toByteOffset: offset, as: UInt64.self)
  }
}

/// The note's file.
enum ReachFile {
  static let entryLength = 16
  static let length = 2 * entryLength

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
    let entries = bytes.withByteView { bytes in
      [0, entryLength].map {
        JournalReach(salt: bytes.load(at: $0), end: JournalPosition(raw: bytes.load(at: $0 + 8)))
      }
    }
    let reach = entries[0].end > entries[1].end ? entries[0] : entries[1]
    return reach.end == .zero ? .missing : reach.end.raw == .max ? .failed : .reach(reach)
  }

  /// Opens the file for writing, and creates it if it is missing.
  ///
  /// - Returns: -1 if that is impossible: nothing is noted, and the next start finds nothing.
  static func open(_ path: String) -> Int32 {
    guard let file = try? Descriptor(opening: path, [.careful, .readAndWrite, .create]), isOwn(file.raw)
    else {
      return -1
    }
    // A mapping can change only bytes that exist.
    let raw = file.raw
    if (try? FileStatus(of: raw))?.size != length {
      let zeroes = [UInt8](repeating: 0, count: length)
      guard zeroes.withUnsafeBytes({ File.write($0, to: raw, at: 0) }) == nil else { return -1 }
    }
    return file.release()
  }

  /// A file that another user can write to is ignored.
  private static func isOwn(_ file: Int32) -> Bool {
    guard let status = try? FileStatus(of: file) else { return false }
    return status.kind == .regular && status.owner == CurrentProcess.effectiveUser
      && status.permissions & 0o077 == 0
  }
}
