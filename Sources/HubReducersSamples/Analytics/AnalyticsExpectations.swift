// Owns expecting analytics in a test: an ordered script that fails on a missing, extra or different event.

import HubReducers
import Synchronization

extension AnalyticsClient {
  /// Expects this to be sent next, after what was expected before. Two equal expectations need two events.
  ///
  /// ```swift
  /// } withDependencies: {
  ///   $0.analyticsClient.expect(.event(name: "ButtonTapped"))
  /// }
  /// ```
  /// Any other data fails the test immediately; missing data fails it when the store under test ends. The test's target
  /// links `HubReducersTesting`, which turns reports into failures.
  public mutating func expect(
    _ expected: AnalyticsData..., fileID: StaticString = #fileID, file filePath: StaticString = #filePath,
    line: UInt = #line,
    column: UInt = #column
  ) {
    let script = expectations ?? AnalyticsScript()
    script.append(expected, IssueSite(fileID, filePath, line, column))
    self = AnalyticsClient(expectations: script)
  }
}

/// What is still to be sent, in order.
final class AnalyticsScript: Sendable {
  private struct Line {
    var data: AnalyticsData
    var location: IssueSite
  }

  private struct Contents {
    var lines: [Line] = []
    var lastLocation: IssueSite?
  }

  private let contents = Mutex(Contents())

  /// Nothing more can be sent.
  deinit {
    for line in contents.withLock({ $0.lines }) {
      line.location.report("\(line.data) was expected, but never sent.")
    }
  }

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
    location.report(
      next.map { "\($0.data) was expected, but \(data) was sent." }
        ?? "\(data) was sent, but nothing more was expected.")
  }
}
