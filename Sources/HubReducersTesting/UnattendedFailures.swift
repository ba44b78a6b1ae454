// Owns failures that belong to no test: those of a test store in another program, or after the last test.

import Glibc
import HubReducers

enum UnattendedFailures {
  /// Writes the failure to standard error, each time, and sees to it that the process does not end in success.
  static func record(_ issue: ReportedIssue) {
    StandardError.write("\(issue.place): error: \(issue.message)\n")
    failsProcess
  }

  private static let failsProcess: Void = {
    on_exit(
      { status, _ in
        guard status == 0 else { return }
        fflush(nil)
        _exit(EXIT_FAILURE)
      }, nil)
  }()
}
