// The severity of a log line: those of syslog's levels that the hub uses.

/// The raw values are syslog's priorities.
package enum LogLevel: Int, CaseIterable, Comparable, Sendable, CustomStringConvertible {
  case error = 3
  case warning = 4
  case info = 6
  case debug = 7

  package init?(name: String) {
    guard let level = LogLevel.allCases.first(where: { $0.description == name }) else { return nil }
    self = level
  }

  package var description: String {
    switch self {
    case .error: "error"
    case .warning: "warning"
    case .info: "info"
    case .debug: "debug"
    }
  }

  package static func < (a: LogLevel, b: LogLevel) -> Bool { a.rawValue < b.rawValue }
}
