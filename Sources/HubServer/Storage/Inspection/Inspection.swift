// The content of a state directory, file by file and frame by frame, and what a hub would load from it. A function of
// bytes.

import HubCore
package import HubEngine

/// What an inspection finds, in order.
package enum InspectionItem {
  case file(FileNote)
  /// A frame, in the record at this offset of the last named file.
  case frame(FrameNote, offset: Int)
  /// Bytes that are not a whole record.
  case gap(from: Int, to: Int)

  package struct FileNote: Sendable {
    package var name: String
    package var length: Int
    package var kind: Kind

    package enum Kind: Sendable {
      case readable(JournalFileHeader)
      /// Its header makes it unreadable, for this reason.
      case unreadable(String)
      /// It was never completed, and is ignored.
      case incomplete
      /// Not one of the hub's.
      case foreign
    }
  }
}

/// The result.
package struct InspectionSummary: Sendable {
  /// What a start would do.
  package var plan: Result<RecoveryPlan, JournalProblem>
  /// How many stores there would be; nil if there would be none because of damage.
  package var stores: Int?

  /// What a repair would do something about; nil: nothing.
  var problem: JournalProblem? {
    switch plan {
    case .failure(let problem): problem
    // A start may refuse the tail: only the note outside the directory shows whether clients have seen it.
    case .success(let plan):
      plan.cut.map { JournalProblem(.damaged, $0.file, at: $0.offset, "there is no complete record") }
    }
  }
}

package enum Inspection {
  /// Visits the files: snapshots first, each kind in the order of its numbers.
  ///
  /// - Parameters:
  ///   - progress: called from time to time with the number of further bytes read.
  ///   - visit: is given every item, borrowed from the files.
  package static func visit(
    _ files: [JournalFileBytes], progress: (Int) -> Void = { _ in }, _ visit: (InspectionItem) -> Void
  ) {
    var names: [StoreID: String] = [:]
    for file in files.sorted(by: { order($0.name) < order($1.name) }) {
      visit(.file(FileNote(file)))
      guard !JournalFileName.isTemporary(file.name), let name = JournalFileName(file.name),
        let header = try? JournalFileHeader(salvaging: file.bytes, named: name)
      else { continue }
      var scan = RecordScan(file.bytes, header)
      var told = 0
      while let piece = scan.nextPiece() {
        switch piece {
        case .record(let record, let offset):
          var frames = FrameCursor(record.frames)
          while let frame = frames.next() {
            FrameNote.each(of: frame, names: &names) { visit(.frame($0, offset: offset)) }
          }
        case .gap(let bytes): visit(.gap(from: bytes.lowerBound, to: bytes.upperBound))
        }
        if scan.offset - told > 1 << 20 {
          progress(scan.offset - told)
          told = scan.offset
        }
      }
      let length = Int(clamping: header.length)
      if length > file.bytes.count { visit(.gap(from: file.bytes.count, to: length)) }
      progress(max(0, file.bytes.count - told))
    }
  }

  /// What a start would make of the files.
  ///
  /// - Parameters:
  ///   - boot: the machine's current boot.
  ///   - origin: returns the origin of the file with this name.
  package static func summary(
    of files: [JournalFileBytes], boot: BootID, origin: (String) -> FileOrigin
  ) -> InspectionSummary {
    do throws(JournalProblem) {
      let plan = try RecoveryPlan(files)
      let newest = plan.segments.last.map { files[$0.file].name }
      let rule = try EpochRule(plan, boot: boot, origin: newest.map(origin) ?? plan.origin)
      var options = HubEngine.Options()
      options.journals = true
      let engine = try plan.engine(files, options: options, rule: rule, boot: boot, now: Clocks.now)
      return InspectionSummary(plan: .success(plan), stores: engine.storeCount)
    } catch {
      return InspectionSummary(plan: .failure(error), stores: nil)
    }
  }

  private typealias FileNote = InspectionItem.FileNote

  private static func order(_ name: String) -> String {
    guard let file = JournalFileName(name) else { return "9" + name }
    return (file.kind == .snapshot ? "1" : "2") + name
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
    do throws(JournalProblem) {
      kind = .readable(try JournalFileHeader(identifying: file.bytes, named: name))
    } catch {
      kind = .unreadable(error.reason)
    }
  }
}
