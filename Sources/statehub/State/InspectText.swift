// An inspection as human-readable text: a line for each file, frame and gap, and a summary.

import HubCore
import HubServer
import HubSystem

struct InspectText: InspectWriter {
  private var text = ""
  private var user: Int32?
  private(set) var output = Output()
  private var lastOffset = -1

  /// More of a value is not shown.
  private static let valueLimit = 60

  mutating func begin(user: Int32?) { self.user = user }

  mutating func add(_ item: InspectionItem) {
    switch item {
    case .file(let file):
      lastOffset = -1
      line("\(file.name): \(text(file))")
    case .frame(let frame, let offset):
      let place = offset == lastOffset ? "" : String(offset)
      lastOffset = offset
      line(InspectText.padded(place, 12, left: true) + "  " + InspectText.text(frame))
    case .gap(let from, let to):
      lastOffset = -1
      line(
        InspectText.padded(String(from), 12, left: true) + "  \(to - from) bytes without a complete record")
    }
    if text.utf8.count > 1 << 16 { flush() }
  }

  mutating func add(_ summary: InspectionSummary, isFirst: Bool) {
    if !isFirst { line("") }
    switch summary.plan {
    case .failure(let problem): line("\(problem)")
    case .success(let plan) where plan.isFresh: line("It has no state: a hub starts empty.")
    case .success(let plan):
      line("stores:    \(summary.stores ?? 0)")
      line("epoch:     \(plan.epoch)")
      line("revisions: up to \(plan.revisionLimit) may have been used")
      line("journal:   \(plan.segments.count) segments, \(plan.records) records, ends at \(plan.end)")
      line(
        "end:       "
          + (plan.endedWell
            ? "the hub stopped cleanly" : "open: the hub is running or was killed, or its machine went down"))
      if let cut = plan.cut {
        line(
          "torn:      \(cut.bytes) bytes of \(cut.file) from offset \(cut.offset) are incomplete and were never "
            + "confirmed on disk: a start removes them")
      }
      if !plan.obsolete.isEmpty { line("not used:  \(plan.obsolete.joined(separator: ", "))") }
    }
  }

  mutating func flush() {
    output.write(text)
    text = ""
  }

  private mutating func line(_ line: String) { text += line + "\n" }

  private func text(_ file: InspectionItem.FileNote) -> String {
    switch file.kind {
    case .readable(let header):
      "\(header.kind), format \(JournalFileHeader.format), made \(MomentText.human(header.time)), \(file.length) bytes"
    case .unreadable(let reason): "\(file.length) bytes with a broken header: \(reason)"
    case .incomplete: "incomplete, without effect"
    case .foreign where file.name == "lock":
      if let user { "process \(user) uses the directory" } else { "no process uses the directory" }
    case .foreign: "not the hub's"
    }
  }

  private static func text(_ frame: FrameNote) -> String {
    var words = padded(frame.kind, 10)
    if let revision = frame.revision { words += "revision \(revision) " }
    if let store = frame.store { words += "store \(store) " }
    if let name = frame.name { words += "\(name) " }
    if let version = frame.version { words += "version \(version) " }
    for (name, text) in frame.details { words += "\(name) \(text) " }
    if let value = frame.value { words += "= \(shown(value)) " }
    return String(words.dropLast(words.hasSuffix(" ") ? 1 : 0))
  }

  private static func shown(_ value: Value) -> String {
    guard value.type == .string || value.type == .json else { return value.description }
    let quoted = JSONWriter.quoted(String(value.description.prefix(valueLimit)))
    return value.description.count > valueLimit ? "\(quoted)... (\(value.bytes.count) bytes)" : quoted
  }

  private static func padded(_ text: String, _ width: Int, left: Bool = false) -> String {
    let space = String(repeating: " ", count: max(0, width - text.utf8.count))
    return left ? space + text : text + space
  }
}
