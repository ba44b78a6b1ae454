// An event as environment variables.

internal import HubCore

enum ExecEnvironment {
  /// A longer value is on standard input only: the kernel takes at most 128 KiB in one variable.
  static let longestValue = 96 << 10

  static let names = [
    "STATEHUB_STORE", "STATEHUB_KIND", "STATEHUB_REVISION", "STATEHUB_EPOCH", "STATEHUB_SKIPPED",
    "STATEHUB_VALUE",
  ]

  /// Whether a line of an environment is one of these.
  static func isVariable(_ line: [UInt8]) -> Bool {
    names.contains { line.starts(with: $0.utf8) && line.dropFirst($0.utf8.count).first == UInt8(ascii: "=") }
  }

  /// `NAME=value` each. `STATEHUB_SKIPPED` is empty if unknown; `STATEHUB_VALUE` is missing after a removal, and for a value that
  /// an environment cannot contain.
  static func variables(for event: StoreEvent) -> [[UInt8]] {
    var variables = [
      Array("STATEHUB_STORE=\(event.name)".utf8),
      Array("STATEHUB_KIND=\(event.kind.name)".utf8),
      Array("STATEHUB_REVISION=\(event.revision)".utf8),
      Array("STATEHUB_EPOCH=\(event.epoch)".utf8),
      Array("STATEHUB_SKIPPED=\(event.skipped.map { String($0) } ?? "")".utf8),
    ]
    if let value = event.value, let bytes = text(of: value) {
      variables.append(Array("STATEHUB_VALUE=".utf8) + bytes)
    }
    return variables
  }

  static func text(of value: Value) -> [UInt8]? {
    // Data may contain any byte; base64 is always valid.
    let bytes = if case .data = value { Array(ValueText.line(value).utf8) } else { ValueText.raw(value) }
    return bytes.count <= longestValue && !bytes.contains(0) ? bytes : nil
  }
}
