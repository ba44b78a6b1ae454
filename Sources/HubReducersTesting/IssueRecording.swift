// Owns the bridge from the library's reports to failures of the running test.

import HubReducers
import Testing

/// Makes every issue that the library reports fail the test that is running.
enum IssueRecording {
  /// Takes effect once per process.
  static let installed: Void = IssueReporter.install(
    IssueReporter { issue in
      Issue.record(
        Comment(rawValue: issue.message),
        sourceLocation: SourceLocation(
          fileID: issue.fileID, filePath: issue.filePath, line: issue.line, column: issue.column))
    })
}

/// Fails the running test.
func fail(_ message: String, at location: SourceLocation) {
  Issue.record(Comment(rawValue: message), sourceLocation: location)
}

/// Mentions something in the running test's output without failing it.
func note(_ message: String, at location: SourceLocation) {
  Issue.record(Comment(rawValue: message), severity: .warning, sourceLocation: location)
}
