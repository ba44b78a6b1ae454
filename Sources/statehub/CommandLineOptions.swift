// The options of the command line. It parses them and does not act on them.

import HubCore
import HubServer

/// The command line of `statehub`, understood.
struct CommandLineOptions {
  enum Task {
    case serve
    case checkConfiguration
    case showHelp
    case showVersion
  }

  var task = Task.serve
  var socket: String?
  var configuration: String?
  var requiresDeclaration = false
  var isVolatile = false
  var stateDirectory: String?
  var logLevel: LogLevel?

  /// A command line that cannot be understood: what is wrong, and what would be right.
  struct UsageError: Error {
    let message: String
  }

  private static let options = [
    "--socket", "--config", "--check-config", "--require-declaration", "--state-dir", "--volatile",
    "--log-level",
    "--version", "--help",
  ]

  /// - Parameter words: without the program's name.
  init(parsing words: [String]) throws(UsageError) {
    var rest = words[...]
    while let word = rest.popFirst() {
      let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
      let name = parts[0]
      let attached = parts.count == 2 ? parts[1] : nil

      func value(_ what: String) throws(UsageError) -> String {
        guard let value = attached ?? rest.popFirst(), !value.isEmpty else {
          throw UsageError(message: "\(name) needs \(what)")
        }
        return value
      }
      func alone() throws(UsageError) {
        if attached != nil { throw UsageError(message: "\(name) takes no value") }
      }

      switch name {
      case "--socket": socket = try value("a path")
      case "--config": configuration = try value("a file")
      case "--state-dir": stateDirectory = try value("a directory")
      case "--log-level": logLevel = try CommandLineOptions.logLevel(value("a level"))
      case "--check-config":
        try alone()
        task = .checkConfiguration
      case "--require-declaration":
        try alone()
        requiresDeclaration = true
      case "--volatile":
        try alone()
        isVolatile = true
      case "--help", "-h":
        try alone()
        task = .showHelp
        return
      case "--version":
        try alone()
        task = .showVersion
        return
      case _ where word.hasPrefix("-"): throw CommandLineOptions.unknown(name)
      default: throw UsageError(message: "unexpected argument: \(word)")
      }
    }
    if isVolatile, stateDirectory != nil {
      throw UsageError(message: "--volatile keeps nothing on disk: it cannot be combined with --state-dir")
    }
  }

  private static func unknown(_ name: String) -> UsageError {
    let hint = Suggestion.nearest(name, in: options).map { " (did you mean \($0)?)" } ?? ""
    return UsageError(message: "unknown option: \(name)\(hint)")
  }

  private static func logLevel(_ name: String) throws(UsageError) -> LogLevel {
    if let level = LogLevel(name: name) { return level }
    let all = LogLevel.allCases.map(\.description).joined(separator: ", ")
    throw UsageError(message: "unknown log level: \(name) (allowed: \(all))")
  }
}
