// Owns the bridge from the library's reports, and a test store's failures, to the test that is running: under Swift
// Testing, under XCTest, or under neither.

package import HubReducers
import HubSystem
import HubTesting
import Testing

/// Fails the running test.
func fail(_ message: String, at site: IssueSite) { IssueRecording.fail(ReportedIssue(message, at: site)) }

/// Mentions something in the running test's output without failing the test.
func note(_ message: String, at site: IssueSite) { IssueRecording.note(ReportedIssue(message, at: site)) }

package enum IssueRecording {
  /// The library's reports fail tests from the very first one on, and tests have a hub: linking this module runs it before
  /// `main`. What a program installs later replaces it.
  @section(".init_array") @used
  private static let atLaunch: @convention(c) () -> Void = {
    IssueReporter.install(IssueReporter { fail($0) })
    HubOfTests.install { .inMemory() }
  }

  /// Failures and notes of this task and its children go here instead of to the running test: tests of what fails a test
  /// use it, so that nothing they provoke is printed as an issue.
  @TaskLocal package static var captured: (@Sendable (ReportedIssue) -> Void)?

  static func fail(_ issue: ReportedIssue) {
    if let captured {
      captured(issue)
    } else if isSwiftTesting {
      Issue.record(Comment(rawValue: issue.message), sourceLocation: issue.location)
    } else if !XCTestFailures.record(issue) {
      UnattendedFailures.record(issue)
    }
  }

  static func note(_ issue: ReportedIssue) {
    if let captured {
      captured(issue)
    } else if isSwiftTesting {
      Issue.record(Comment(rawValue: issue.message), severity: .warning, sourceLocation: issue.location)
    } else {
      StandardStream.error.write("\(issue.place): note: \(issue.message)\n")
    }
  }

  /// In a task of a Swift Testing test, or anywhere in a process that runs such tests: each of the two frameworks has its
  /// own process.
  private static var isSwiftTesting: Bool { Test.current != nil || isProcessOfSwiftTesting }

  private static let isProcessOfSwiftTesting: Bool = {
    let arguments = CurrentProcess.arguments.map { String(decoding: $0, as: UTF8.self) }
    return arguments.contains("--testing-library=swift-testing")
      || zip(arguments, arguments.dropFirst()).contains { $0 == ("--testing-library", "swift-testing") }
  }()
}

extension ReportedIssue {
  var location: SourceLocation {
    SourceLocation(fileID: fileID, filePath: filePath, line: line, column: column)
  }

  /// `/folder/File.swift:7`, the form that editors and terminals recognise.
  var place: String { "\(filePath):\(line)" }
}

enum UnattendedFailures {
  /// Writes the failure to standard error, each time, and ensures that the process does not exit successfully.
  static func record(_ issue: ReportedIssue) {
    StandardStream.error.write("\(issue.place): error: \(issue.message)\n")
    failsProcess
  }

  private static let failsProcess: Void = CurrentProcess.failAtExit()
}
