// Owns failures that belong to no test: those of a test store in another program, or after the last test.

import HubReducers
import HubSystem

enum UnattendedFailures {
  /// Writes the failure to standard error, each time, and ensures that the process does not exit successfully.
  static func record(_ issue: ReportedIssue) {
    StandardStream.error.write("\(issue.place): error: \(issue.message)\n")
    failsProcess
  }

  private static let failsProcess: Void = CurrentProcess.failAtExit()
}
