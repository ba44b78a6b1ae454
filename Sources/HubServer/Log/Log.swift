// The hub's log: lines to standard error, or entries of the journal if standard error leads there. A healthy hub writes one
// line when it starts and one when it stops.

import HubCore
import HubSystem

/// Writes lines. Lines that clients can cause are limited by kind, so that none of them fills the disk.
struct Log {
  /// Kinds of lines that clients can cause.
  enum Kind: Int, CaseIterable {
    case descriptorsExhausted
    case tooManyClients
    case userLimit
    case limitMet
    case slowedDown
    case acceptFailed
    case notReading
    case brokenFrames

    fileprivate var title: String {
      switch self {
      case .descriptorsExhausted: "connections refused because no descriptor was left"
      case .tooManyClients: "connections beyond maxClients"
      case .userLimit: "connections beyond a user's limit"
      case .limitMet: "requests beyond a limit"
      case .slowedDown: "users slowed down"
      case .acceptFailed: "connections that could not be accepted"
      case .notReading: "clients disconnected for holding too much memory"
      case .brokenFrames: "clients disconnected for invalid frames"
      }
    }

    fileprivate var id: MessageID {
      switch self {
      case .descriptorsExhausted: .descriptorsExhausted
      case .tooManyClients: .tooManyClients
      case .userLimit: .userLimit
      case .limitMet: .limitMet
      case .slowedDown: .slowedDown
      case .acceptFailed: .acceptFailed
      case .notReading: .notReading
      case .brokenFrames: .brokenFrames
      }
    }
  }

  private var level: LogLevel
  /// Lines about every connection and refused request are written. Stored, because it is read often.
  private(set) var isDebugging: Bool
  private var limits: [RateLimit]

  init(level: LogLevel) {
    self.level = level
    isDebugging = level >= .debug
    limits = Kind.allCases.map { _ in RateLimit() }
  }

  mutating func setLevel(_ level: LogLevel) {
    self.level = level
    isDebugging = level >= .debug
  }

  /// Lines are kept until this call, which comes when the process has given up what it does not need.
  func begin() { LogWriter.standard.begin() }

  /// How long the end of the hub may wait for the log's reader, in milliseconds, and an execution, while which clients wait.
  private static let (endPatience, executionPatience) = (1000, 100)

  /// Waits for the lines to be written, but not for long. The last call of a process.
  func end() { LogWriter.standard.flush(milliseconds: Log.endPatience) }

  /// The program executed next in this process logs how many lines were lost.
  func prepareExecution() {
    let lost = LogWriter.standard.flush(milliseconds: Log.executionPatience)
    if lost > 0 { Environment[LogWriter.variable] = "\(lost)" }
  }

  func abandonExecution() { Environment[LogWriter.variable] = nil }

  /// Writes a line that needs no explanation.
  func write(_ level: LogLevel, _ message: @autoclosure () -> String) { write(level, nil, message()) }

  /// Writes a line, without waiting for it.
  ///
  /// - Parameter id: what the journal's catalogue explains about it.
  func write(_ level: LogLevel, _ id: MessageID?, _ message: @autoclosure () -> String) {
    guard level <= self.level else { return }
    append(level, id, message(), isOneLine: level == .debug)
  }

  private func append(_ level: LogLevel, _ id: MessageID?, _ message: String, isOneLine: Bool) {
    let message = Log.visible(message, isOneLine: isOneLine)
    LogWriter.standard.append(LogLine(level: level, id: id, message: message))
  }

  /// Escapes what forges lines or commands terminals. Text from clients stays on one line: they choose the names of
  /// stores, and their own.
  static func visible(_ message: String, isOneLine: Bool) -> String {
    if isOneLine { return message.visible }
    return message.split(separator: "\n", omittingEmptySubsequences: false).map { String($0).visible }
      .joined(separator: "\n")
  }

  /// Writes a line of a limited kind.
  ///
  /// - Parameter time: CLOCK_BOOTTIME nanoseconds.
  mutating func write(
    _ level: LogLevel, _ kind: Kind, at time: UInt64, _ message: @autoclosure () -> String
  ) {
    guard level <= self.level else { return }
    let (isAdmitted, suppressed) = limits[kind.rawValue].admit(at: time)
    if suppressed > 0 { write(level, Log.summary(kind, suppressed)) }
    if isAdmitted { append(level, kind.id, message(), isOneLine: true) }
  }

  /// Reports suppressed lines that were not reported yet.
  mutating func writeSuppressed() {
    for kind in Kind.allCases {
      let suppressed = limits[kind.rawValue].takeSuppressed()
      if suppressed > 0 { write(.warning, Log.summary(kind, suppressed)) }
    }
  }

  private static func summary(_ kind: Kind, _ suppressed: Int) -> String {
    "\(suppressed) more \(kind.title) were not logged"
  }
}
