// Owns catching the library's reports in a test, instead of failing it.

import HubReducers
import HubReducersTesting
import Synchronization

/// The messages of the issues that `operation` reports.
func issues(isolation: isolated (any Actor)? = #isolation, during operation: () async throws -> Void)
  async rethrows -> [String]
{
  let collector = IssueCollector()
  try await IssueReporter.$scoped.withValue(collector.reporter, operation: operation, isolation: isolation)
  return collector.messages
}

/// The issues that `operation` reports.
func reports(isolation: isolated (any Actor)? = #isolation, during operation: () async throws -> Void)
  async rethrows -> [ReportedIssue]
{
  let collector = IssueCollector()
  try await IssueReporter.$scoped.withValue(collector.reporter, operation: operation, isolation: isolation)
  return collector.reports
}

/// The messages of the issues that `operation` reports.
func issues(during operation: () throws -> Void) rethrows -> [String] {
  let collector = IssueCollector()
  try IssueReporter.$scoped.withValue(collector.reporter, operation: operation)
  return collector.messages
}

/// The messages of what fails the test while `operation` runs, which does not fail it: of its test stores, and of the library.
func testFailures(isolation: isolated (any Actor)? = #isolation, during operation: () async throws -> Void)
  async rethrows -> [String]
{
  let collector = IssueCollector()
  try await IssueRecording.$captured.withValue(
    { collector.reporter.report($0) }, operation: operation, isolation: isolation)
  return collector.messages
}

final class IssueCollector: Sendable {
  private let collected = Mutex<[ReportedIssue]>([])

  var reports: [ReportedIssue] { collected.withLock { $0 } }
  var messages: [String] { reports.map(\.message) }

  var reporter: IssueReporter {
    IssueReporter { issue in self.collected.withLock { $0.append(issue) } }
  }
}
