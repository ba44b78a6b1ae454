// The environment of a command: statectl's own, with variables that describe why it runs.

internal import HubCore
internal import HubSystem

enum ExecEnvironment {
  /// A variable, and its value; nil: the command does not have it.
  typealias Variable = (name: String, value: [UInt8]?)

  /// A longer value is on standard input only: the kernel takes at most 128 KiB in one variable.
  static let longestValue = 96 << 10

  /// Lines of an environment. Variables of an outer command are replaced, because they concern something else.
  static func lines(_ variables: [Variable]) -> [[UInt8]] {
    let inherited = Environment.lines.filter { line in
      !variables.contains { line.starts(with: "\($0.name)=".utf8) }
    }
    return inherited + variables.compactMap { name, value in value.map { Array("\(name)=".utf8) + $0 } }
  }

  /// `STATEHUB_SKIPPED` is empty if unknown; `STATEHUB_VALUE` is missing after a removal, and for a value that an
  /// environment cannot contain.
  static func variables(for event: StoreEvent) -> [Variable] {
    [
      ("STATEHUB_STORE", Array(event.name.utf8)),
      ("STATEHUB_KIND", Array("\(event.kind)".utf8)),
      ("STATEHUB_REVISION", Array("\(event.revision)".utf8)),
      ("STATEHUB_EPOCH", Array("\(event.epoch)".utf8)),
      ("STATEHUB_SKIPPED", Array((event.skipped.map { String($0) } ?? "").utf8)),
      ("STATEHUB_OVERDUE", event.isOverdue ? Array("true".utf8) : nil),
      ("STATEHUB_VALUE", event.value.flatMap(text)),
    ]
  }

  static func text(of value: Value) -> [UInt8]? {
    // Data may contain any byte; base64 is always valid.
    let bytes = if case .data = value { Array(ValueText.line(value).utf8) } else { ValueText.raw(value) }
    return bytes.count <= longestValue && !bytes.contains(0) ? bytes : nil
  }
}
