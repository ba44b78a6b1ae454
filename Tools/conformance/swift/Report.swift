// What an adapter reports: a line of JSON each, written whole.

import Glibc
import HubClient
import HubCore
import Synchronization

/// Lines of several tasks, one after the other.
enum Report {
  private static let lock = Mutex<Void>(())

  static func write(_ fill: (inout JSONWriter) -> Void) {
    var writer = JSONWriter()
    writer.beginObject()
    fill(&writer)
    writer.endObject()
    writer.newline()
    let line = writer.bytes
    lock.withLock { _ in
      var sent = 0
      while sent < line.count {
        let count = line[sent...].withUnsafeBytes { Glibc.write(STDOUT_FILENO, $0.baseAddress, $0.count) }
        if count <= 0 { exit(1) }
        sent += count
      }
    }
  }

  static func answer(_ id: Int, _ fill: (inout JSONWriter) -> Void) {
    write { writer in
      writer.key("id")
      writer.integer(Int64(id))
      writer.key("reply")
      writer.beginObject()
      fill(&writer)
      writer.endObject()
    }
  }

  static func failure(_ id: Int, _ error: HubError) {
    write { writer in
      writer.key("id")
      writer.integer(Int64(id))
      writer.text("error", "\(error.code)")
      writer.text("message", error.message)
      writer.text("store", error.store ?? "")
      writer.key("operation")
      writer.integer(Int64(error.operation))
      writer.whole("revision", error.revision)
    }
  }

  static func event(_ label: String, _ event: StoreEvent) {
    write { writer in
      writer.text("watch", label)
      writer.text("event", "\(event.kind)")
      writer.whole("revision", event.revision)
      writer.text("epoch", "\(event.epoch)")
      guard event.kind.isAboutStore else { return }
      writer.text("name", event.name)
      writer.whole("version", event.version)
      writer.key("skipped")
      if let skipped = event.skipped { writer.integer(Int64(skipped)) } else { writer.null() }
      writer.shown(event.value)
      writer.key("overdue")
      writer.boolean(event.isOverdue)
    }
  }

  static func end(_ label: String, _ error: HubError) {
    write { writer in
      writer.text("watch", label)
      writer.text("ended", "\(error.code)")
    }
  }
}

extension JSONWriter {
  mutating func text(_ name: String, _ value: String) {
    key(name)
    string(value)
  }

  mutating func whole(_ name: String, _ value: UInt64) { text(name, String(value)) }

  /// Under the key `value`, as the vectors write values.
  mutating func shown(_ value: Value?) {
    guard let value else { return }
    key("value")
    beginObject()
    text("type", value.type.description)
    switch value {
    case .integer(let number): text("value", String(number))
    case .double(let number):
      key("value")
      double(number)
    case .boolean(let truth):
      key("value")
      boolean(truth)
    case .string(let content): text("value", content)
    case .json(let content): text("value", content)
    case .data(let bytes): text("hex", bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined())
    }
    endObject()
  }

  mutating func result(_ result: WriteResult) {
    key("revision")
    integer(Int64(clamping: result.revision))
    whole("version", result.version)
    key("changed")
    boolean(result.changed)
    text("durability", result.durability.description)
    shown(result.value)
  }
}
