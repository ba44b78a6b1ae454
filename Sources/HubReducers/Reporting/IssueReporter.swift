// Owns where reported issues go: standard error, a test's failures, or a program's own log.

import HubSystem
import Synchronization

/// A destination for the library's reports.
///
/// `HubReducersTesting` installs one when the process starts, which fails the running test.
public struct IssueReporter: Sendable {
  /// Called where the misuse happens, on the same thread, with no lock held.
  public var report: @Sendable (ReportedIssue) -> Void

  /// A reporter that calls a function, from any thread.
  public init(report: @escaping @Sendable (ReportedIssue) -> Void) { self.report = report }

  /// Replaces the process's reporter.
  public static func install(_ reporter: IssueReporter) { installed.withLock { $0 = reporter } }

  /// The reporter for this task and its children, instead of the installed one.
  @TaskLocal public static var scoped: IssueReporter?

  static var current: IssueReporter { scoped ?? installed.withLock { $0 } }

  private static let installed = Mutex(IssueReporter.standardError)
}

extension IssueReporter {
  /// Prints one line on standard error for each distinct issue, and nothing when it is repeated.
  public static let standardError: IssueReporter = {
    let seen = SeenIssues()
    return IssueReporter { issue in
      guard seen.insert(issue) else { return }
      StandardStream.error.write("\(issue.fileID):\(issue.line): warning: \(issue.message)\n")
    }
  }()
}

/// The issues already printed. Bounded: beyond the limit new ones are printed without being remembered.
private final class SeenIssues: Sendable {
  private static let limit = 1024
  private let issues = Mutex<Set<ReportedIssue>>([])

  func insert(_ issue: ReportedIssue) -> Bool {
    issues.withLock { issues in
      issues.contains(issue) ? false : issues.count < Self.limit ? issues.insert(issue).inserted : true
    }
  }
}
