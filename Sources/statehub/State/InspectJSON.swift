// An inspection as JSON lines for programs: files, frames, gaps, and a summary as the last.

import HubCore
import HubEngine
import HubServer
import HubSystem

struct InspectJSON: InspectWriter {
  private var writer = JSONWriter()
  private var file = ""
  private var user: Int32?
  private(set) var output = Output()

  mutating func begin(user: Int32?) { self.user = user }

  mutating func add(_ item: InspectionItem) {
    writer.beginObject()
    switch item {
    case .file(let note):
      file = note.name
      add(note)
    case .frame(let frame, let offset):
      add("file", file)
      add("offset", UInt64(offset))
      add(frame)
    case .gap(let from, let to):
      add("file", file)
      add("offset", UInt64(from))
      add("kind", "gap")
      add("bytes", UInt64(to - from))
    }
    end()
  }

  mutating func add(_ summary: InspectionSummary, isFirst: Bool) {
    writer.beginObject()
    add("kind", "summary")
    switch summary.plan {
    case .failure(let problem):
      add("state", problem.kind.rawValue)
      add("file", problem.file)
      add("offset", UInt64(problem.offset))
      add("reason", problem.reason)
    case .success(let plan):
      add("state", plan.isFresh ? "empty" : plan.cut != nil ? "torn" : plan.endedWell ? "ended" : "open")
      add("stores", UInt64(summary.stores ?? 0))
      add("epoch", plan.epoch.description)
      add("revisionLimit", plan.revisionLimit)
      add("segments", UInt64(plan.segments.count))
      add("records", UInt64(plan.records))
      add("end", plan.end.description)
      if let cut = plan.cut {
        add("file", cut.file)
        add("offset", UInt64(cut.offset))
        add("bytes", UInt64(cut.bytes))
      }
    }
    end()
  }

  mutating func flush() {
    output.write(String(decoding: writer.bytes, as: UTF8.self))
    writer = JSONWriter()
  }

  private mutating func end() {
    writer.endObject()
    writer.newline()
    if writer.bytes.count > 1 << 16 { flush() }
  }

  private mutating func add(_ note: InspectionItem.FileNote) {
    add("file", note.name)
    switch note.kind {
    case .readable(let header):
      add("kind", header.kind.description)
      add("format", UInt64(JournalFileHeader.format))
      add("number", header.number)
      add("time", MomentText.rfc3339(header.time))
    case .unreadable(let reason):
      add("kind", "unreadable")
      add("reason", reason)
    case .incomplete: add("kind", "incomplete")
    case .foreign where note.name == "lock":
      add("kind", "lock")
      if let user { add("pid", UInt64(user)) }
    case .foreign: add("kind", "foreign")
    }
    add("bytes", UInt64(note.length))
  }

  private mutating func add(_ frame: FrameNote) {
    add("kind", frame.kind)
    if let revision = frame.revision { add("revision", revision) }
    if let store = frame.store { add("store", store.raw) }
    if let name = frame.name { add("name", name) }
    if let version = frame.version { add("version", version) }
    if let uid = frame.uid { add("uid", UInt64(uid)) }
    if let time = frame.time { add("time", MomentText.rfc3339(time)) }
    // Every value has its type.
    for (name, text) in frame.details where name != "type" { add(name, text) }
    if let value = frame.value { add(value) }
  }

  /// As in a dump: json is a string that holds its text.
  private mutating func add(_ value: Value) {
    add("type", value.type.description)
    writer.key("value")
    writer.value(value, json: .asText)
  }

  private mutating func add(_ name: String, _ text: String) {
    writer.key(name)
    writer.string(text)
  }

  private mutating func add(_ name: String, _ number: UInt64) {
    writer.key(name)
    writer.raw(String(number).utf8)
  }
}
