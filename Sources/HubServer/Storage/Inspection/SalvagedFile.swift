// One file of a damaged state directory, with the salt of its records, whatever its header says. A function of bytes.

import HubCore

/// A file whose records can be distinguished from other bytes.
struct SalvagedFile {
  let name: JournalFileName
  let bytes: ByteView
  let salt: UInt64
  /// Where its first record begins.
  let start: Int
  /// What is wrong with its header.
  let problem: JournalFileHeader.Problem?
  /// The file's length when it got its name, as far as it is known.
  let length: Int

  /// - Throws: why its records cannot be distinguished from other bytes.
  init(_ name: JournalFileName, _ bytes: ByteView) throws(JournalFileHeader.Problem) {
    self.name = name
    self.bytes = bytes
    do throws(JournalFileHeader.Problem) {
      let header = try JournalFileHeader(identifying: bytes, named: name)
      (salt, start, problem) = (header.salt, header.recordsStart, nil)
      length = Int(clamping: header.length)
    } catch {
      if case .version = error { throw error }
      problem = error
      if let spare = try? JournalFileHeader(spareOf: bytes, named: name) {
        (salt, start, length) = (spare.salt, spare.recordsStart, Int(clamping: spare.length))
        return
      }
      guard let found = SaltSearch.salt(of: bytes) else { throw error }
      salt = found
      start = SalvagedFile.start(of: bytes, salt: found)
      length = 0
    }
  }

  var scan: RecordScan { RecordScan(bytes, salt: salt, from: start) }

  /// Where the records begin in a file whose format is unknown.
  private static func start(of bytes: ByteView, salt: UInt64) -> Int {
    let later = JournalFileHeader.recordsStart(JournalFileKind.journal.format)
    var scan = RecordScan(bytes, salt: salt, from: JournalFileHeader.length)
    // Format 1 has records where format 2 has none.
    return scan.next() == nil && (!scan.skip() || scan.offset >= later) ? later : JournalFileHeader.length
  }
}
