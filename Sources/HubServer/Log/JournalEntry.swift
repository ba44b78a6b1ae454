// A log line as the journal takes it, with fields alongside the text. It writes bytes, and sends them in one call.

import HubSystem

/// An entry in the journal's native protocol: one line per field, or the field's length if its value has several lines.
struct JournalEntry {
  private static let socket = "/run/systemd/journal/socket"

  let level: LogLevel
  let id: MessageID
  let message: String

  var bytes: [UInt8] {
    var bytes: [UInt8] = []
    func append(_ field: String, _ value: String) {
      bytes += field.utf8
      if value.utf8.contains(UInt8(ascii: "\n")) {
        bytes.append(UInt8(ascii: "\n"))
        withUnsafeBytes(of: UInt64(value.utf8.count).littleEndian) { bytes += $0 }
      } else {
        bytes.append(UInt8(ascii: "="))
      }
      bytes += value.utf8
      bytes.append(UInt8(ascii: "\n"))
    }
    append("MESSAGE", message)
    append("PRIORITY", "\(level.rawValue)")
    append("MESSAGE_ID", id.rawValue)
    append("SYSLOG_IDENTIFIER", "statehub")
    return bytes
  }

  /// Lines are rare: each opens its own socket, so nothing is kept that a restarted journal would make stale.
  ///
  /// - Returns: false if the journal did not take it. There is no waiting.
  func send() -> Bool {
    guard let socket = try? Socket.datagrams(to: JournalEntry.socket) else { return false }
    let bytes = bytes
    return bytes.withUnsafeBytes { Socket.send($0, to: socket.raw) } == .bytes(bytes.count)
  }
}
