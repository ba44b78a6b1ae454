// What a load has applied so far, for the message if it fails.

internal import HubCore

struct LoadTally {
  private var applied: ClosedRange<Int>?
  private var current: ClosedRange<Int>?
  private var isUnknown = false
  /// The current step is one store, and something of it has been done.
  private var hasBegun = false
  private(set) var revision: Revision = 0
  /// The number of revisions used: for transactions, and for single writes.
  private(set) var steps = 0

  mutating func begin(_ lines: ClosedRange<Int>) {
    current = lines
    hasBegun = false
  }

  mutating func advance(to revision: Revision) {
    self.revision = max(self.revision, revision)
    steps += 1
    hasBegun = true
  }

  mutating func finish() {
    guard let current else { return }
    applied = (applied?.lowerBound ?? current.lowerBound)...current.upperBound
    self.current = nil
  }

  /// The current step has failed; without an answer its outcome is unknown.
  mutating func fail(_ failure: Failure) {
    guard case .hub(let error) = failure else { return }
    isUnknown = [.connectionLost, .timeout, .outcomeUnknown, .shuttingDown, .notReading].contains(error.code)
  }

  /// What was applied, for the end of a message.
  var description: String {
    var text =
      applied.map { "\(LoadTally.text($0)) applied, at revision \(revision)" } ?? "nothing was applied"
    if hasBegun, let current {
      text += "; the schema of line \(current.lowerBound) is applied, not its value"
    }
    if isUnknown, let current { text += "; whether \(LoadTally.text(current)) applied is unknown" }
    return text
  }

  private static func text(_ lines: ClosedRange<Int>) -> String {
    lines.count == 1 ? "line \(lines.lowerBound) is" : "lines \(lines.lowerBound) to \(lines.upperBound) are"
  }
}
