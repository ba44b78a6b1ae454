// Owns expecting analytics in a test: an ordered script that fails on a missing, extra or different event.

public import HubReducers
import Synchronization

extension AnalyticsClient {
  /// Expects this to be sent next, after what was expected before. Two equal expectations need two events.
  ///
  /// ```swift
  /// } withDependencies: {
  ///   $0.analyticsClient.expect(.event(name: "ButtonTapped"))
  /// }
  /// ```
  /// Anything else that is sent fails the test at once; what was never sent fails it when the store under test
  /// ends.
  public mutating func expect(
    _ expected: AnalyticsData..., fileID: StaticString = #fileID, file filePath: StaticString = #filePath,
    line: UInt = #line,
    column: UInt = #column
  ) {
    let script = expectations as? AnalyticsScript ?? AnalyticsScript()
    script.append(expected, IssueSite(fileID: fileID, filePath: filePath, line: line, column: column))
    self = AnalyticsClient(sendAnalytics: { script.send($0) }, expectations: script)
  }

  /// Fails the test for what was expected and not sent so far.
  func failUnmetExpectations() { (expectations as? AnalyticsScript)?.failUnmet() }
}

/// What is still to be sent, in order.
private final class AnalyticsScript: Sendable {
  private struct Line {
    var data: AnalyticsData
    var location: IssueSite
  }

  private struct Contents {
    var lines: [Line] = []
    var lastLocation: IssueSite?
  }

  private let contents = Mutex(Contents())

  /// Nothing can be sent any more.
  deinit { failUnmet() }

  func append(_ expected: [AnalyticsData], _ location: IssueSite) {
    contents.withLock { contents in
      contents.lines += expected.map { Line(data: $0, location: location) }
      contents.lastLocation = location
    }
  }

  func send(_ data: AnalyticsData) {
    let (next, location) = contents.withLock { contents in
      (contents.lines.isEmpty ? nil : contents.lines.removeFirst(), contents.lastLocation)
    }
    guard next?.data != data, let location = next?.location ?? location else { return }
    fail(
      next.map { "\($0.data) was expected, but \(data) was sent." }
        ?? "\(data) was sent, but nothing more was expected.", at: location)
  }

  func failUnmet() {
    let unmet = contents.withLock { contents in
      defer { contents.lines = [] }
      return contents.lines
    }
    for line in unmet { fail("\(line.data) was expected, but never sent.", at: line.location) }
  }
}
