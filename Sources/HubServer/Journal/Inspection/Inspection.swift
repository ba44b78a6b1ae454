// What a state directory holds, file by file and frame by frame, and what a start would make of it. A function of bytes.

import HubCore

/// What an inspection comes by, in order.
package enum InspectionItem {
  case file(FileNote)
  /// A frame, in the record at this offset of the file that was named last.
  case frame(FrameNote, offset: Int)
  /// Bytes that are no whole record.
  case gap(from: Int, to: Int)

  package struct FileNote: Sendable {
    package var name: String
    package var length: Int
    package var kind: Kind

    package enum Kind: Sendable {
      case journal(JournalFileHeader)
      case snapshot(JournalFileHeader)
      /// The header does not let it be read: why.
      case unreadable(String)
      /// It was never completed, and counts for nothing.
      case incomplete
      /// None of the hub's.
      case foreign
    }
  }
}

/// What it comes to.
package struct InspectionSummary: Sendable {
  /// What a start would do.
  package var plan: Result<RecoveryPlan, JournalProblem>
  /// How many stores there would be; nil if there would be none because of damage.
  package var stores: Int?
}

package enum Inspection {
  /// Looks through the files: snapshots first, each in the order of its number.
  ///
  /// - Parameter visit: is given every item; what it is given is borrowed from the files.
  package static func run(
    _ files: [JournalFileBytes], visit: (InspectionItem) -> Void
  ) -> InspectionSummary {
    var names: [StoreID: String] = [:]
    for file in files.sorted(by: { order($0.name) < order($1.name) }) {
      let note = FileNote(file)
      visit(.file(note))
      guard let header = note.header else { continue }
      var scan = RecordScan(file.bytes, salt: header.salt)
      repeat {
        while let (offset, record) = scan.next() {
          var frames = FrameScan(record.frames)
          while let frame = frames.next() { visit(.frame(FrameNote(frame, names: &names), offset: offset)) }
        }
        let start = scan.offset
        if !scan.skip() {
          if scan.endOfBytes > start { visit(.gap(from: start, to: scan.endOfBytes)) }
          break
        }
        visit(.gap(from: start, to: scan.offset))
      } while true
      if header.length > file.bytes.count {
        visit(.gap(from: file.bytes.count, to: Int(clamping: header.length)))
      }
    }
    return summary(of: files)
  }

  private typealias FileNote = InspectionItem.FileNote

  private static func order(_ name: String) -> String {
    guard let file = JournalFileName(name) else { return "9" + name }
    return (file.kind == .snapshot ? "1" : "2") + name
  }

  private static func summary(of files: [JournalFileBytes]) -> InspectionSummary {
    do throws(JournalProblem) {
      let plan = try RecoveryPlan(files)
      let salvage = Salvage(files)
      return InspectionSummary(plan: .success(plan), stores: salvage.stores.count)
    } catch {
      return InspectionSummary(plan: .failure(error), stores: nil)
    }
  }
}

extension InspectionItem.FileNote {
  fileprivate init(_ file: JournalFileBytes) {
    name = file.name
    length = file.bytes.count
    if JournalFileName.isTemporary(file.name) {
      kind = .incomplete
      return
    }
    guard let name = JournalFileName(file.name) else {
      kind = .foreign
      return
    }
    do throws(JournalFileHeader.Problem) {
      let header = try JournalFileHeader(identifying: file.bytes, named: name)
      kind = name.kind == .journal ? .journal(header) : .snapshot(header)
    } catch {
      kind = .unreadable(error.description)
    }
  }

  fileprivate var header: JournalFileHeader? {
    switch kind {
    case .journal(let header), .snapshot(let header): header
    case .unreadable, .incomplete, .foreign: nil
    }
  }
}

extension JournalFileHeader.Problem: CustomStringConvertible {
  package var description: String {
    switch self {
    case .tooShort: "it is shorter than its header"
    case .noMagic: "it does not begin as a file of the hub's"
    case .version(let version): "it is of format \(version), which only a newer hub reads"
    case .checksum: "the checksum of its header is wrong"
    case .misnamed: "its header is that of another file"
    case .truncated(let length): "it is shorter than the \(length) bytes that it once had"
    }
  }
}
