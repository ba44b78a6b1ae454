// The bridge's log: lines on standard error, with a priority in front if the journal reads them.

internal import Glibc

/// Writes lines.
package struct Log: Sendable {
  /// As syslog(3) counts them.
  package enum Level: Int, Sendable, CaseIterable {
    case error = 3, warning, notice, info, debug

    package init?(name: String) {
      guard let level = Level.allCases.first(where: { "\($0)" == name }) else { return nil }
      self = level
    }
  }

  private let level: Level
  private let front: @Sendable (Level) -> String

  package init(_ level: Level) {
    self.level = level
    let isJournal = Log.standardErrorIsJournal
    front = { isJournal ? "<\($0.rawValue)>" : "statehub-bridge: " }
  }

  package func write(_ level: Level, _ text: String) {
    guard level.rawValue <= self.level.rawValue else { return }
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map { "\(front(level))\($0)\n" }
    let bytes = Array(lines.joined().utf8)
    _ = bytes.withUnsafeBytes { Glibc.write(2, $0.baseAddress, $0.count) }
  }

  /// A key, without what would confuse a terminal or fill a line.
  static func shown(_ key: String) -> String {
    let plain = key.unicodeScalars.map { $0.value < 32 || $0.value == 127 ? "?" : String($0) }.joined()
    return plain.count > 120 ? plain.prefix(119) + "…" : plain
  }

  /// sd_journal_stream(3): the variable names the device and inode of the stream.
  private static var standardErrorIsJournal: Bool {
    guard let stream = getenv("JOURNAL_STREAM").map({ String(cString: $0) }) else { return false }
    var status = stat()
    return fstat(2, &status) == 0 && stream == "\(status.st_dev):\(status.st_ino)"
  }
}
