// How statectl fails: one error type, its line on standard error, and its exit status.

internal import HubCore
internal import HubSystem

/// The exit statuses, all of them.
enum ExitStatus {
  static let done: Int32 = 0
  static let other: Int32 = 1
  static let usage: Int32 = 2
  static let noHub: Int32 = 3
  static let noSuchStore: Int32 = 4
  static let conflict: Int32 = 5
  static let rejected: Int32 = 6
  static let denied: Int32 = 7
  static let quota: Int32 = 8
  static let version: Int32 = 9
  static let ended: Int32 = 10
  static let lost: Int32 = 11
  static let unavailable: Int32 = 12
  static let unanswered: Int32 = 13
  /// Of `apply`: a success that has changed something.
  static let changed: Int32 = 14
  static let timeout: Int32 = 124
  static let notExecutable: Int32 = 126
  static let notFound: Int32 = 127
}

enum Failure: Error, Hashable, Sendable {
  /// The command line is wrong. The hint suggests a correction.
  case usage(String, hint: String? = nil)
  case hub(HubError)
  /// The system refused something: what was tried, and why.
  case system(String, SystemError)
  /// The reader has closed the output: the quiet end.
  case outputClosed
  /// Everything was already printed; only the status is left.
  case status(Int32)
  /// In a script, with the line's number.
  indirect case inLine(Int, Failure)
  /// In a file, with its path.
  indirect case inFile(String, Failure)
  /// Some of several operations may have been applied: which ones.
  indirect case partly(Failure, applied: String)

  /// Why a value or name was refused locally.
  static func rejected(_ store: String, _ reason: String) -> Failure {
    .hub(HubError(.invalidValue, store: store, reason))
  }

  /// The same, with another error of the hub.
  func with(_ change: (inout HubError) -> Void) -> Failure {
    guard case .hub(var error) = self else { return self }
    change(&error)
    return .hub(error)
  }

  var status: Int32 {
    switch self {
    case .usage: ExitStatus.usage
    case .hub(let error): error.code.exitStatus
    case .system: ExitStatus.other
    case .outputClosed: ExitStatus.done
    case .status(let status): status
    case .inLine(_, let failure), .inFile(_, let failure), .partly(let failure, _): failure.status
    }
  }

  /// The line for standard error, without the program's name; nil if there is none.
  var message: String? {
    switch self {
    case .usage(let reason, let hint): Failure.line(reason, hint)
    case .hub(let error): Failure.line(error.description, nil)
    case .system(let what, let problem): "\(what): \(problem)"
    case .outputClosed, .status: nil
    case .inLine(let line, let failure): failure.message.map { "line \(line): \($0)" }
    case .inFile(let path, let failure): failure.message.map { "\(path): \($0)" }
    case .partly(let failure, let applied): failure.message.map { "\($0); \(applied)" }
    }
  }

  /// Prints it on standard error.
  func complain() {
    if let message { statectl.complain(message) }
  }

  private static func line(_ reason: String, _ hint: String?) -> String {
    hint.map { "\(reason) (\($0))" } ?? reason
  }
}

extension HubError.Code {
  var exitStatus: Int32 {
    switch self {
    case .noHub, .connectionLost: ExitStatus.noHub
    case .noSuchStore: ExitStatus.noSuchStore
    case .conflict, .claimed: ExitStatus.conflict
    case .invalidName, .invalidPattern, .typeMismatch, .outOfRange, .notAChoice, .tooLarge, .invalidValue,
      .overflow, .invalidSchema, .schemaConflict, .declared, .undeclared, .reserved, .noInitialValue,
      .frameTooLarge, .undecodable, .refused:
      ExitStatus.rejected
    case .denied: ExitStatus.denied
    case .quota: ExitStatus.quota
    case .unsupportedVersion: ExitStatus.version
    case .shuttingDown, .notReading: ExitStatus.ended
    case .timeout: ExitStatus.timeout
    case .unavailable: ExitStatus.unavailable
    case .unanswered: ExitStatus.unanswered
    case .malformed, .unknownKind, .notSupported, .helloExpected, .durabilityUnknown, .storageFailed,
      .invalidConfiguration, .reloadFailed, .outcomeUnknown, .protocolViolation, .closed:
      ExitStatus.other
    }
  }
}
