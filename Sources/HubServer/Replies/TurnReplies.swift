// Owns the turn's replies since its first change for the journal.

import HubCore

/// Replies that wait for the turn's write to the journal. Bounded by what a turn may change, and each session's pause limit.
struct TurnReplies: ~Copyable {
  struct Step {
    var descriptor: Int32
    var count: Int
    /// The replies wait for the disk.
    var isSynced: Bool
  }

  private(set) var steps: [Step] = []
  private var bytes = OutputBuffer(capacity: 16 << 10)
  /// The next step to return, and where its bytes begin.
  private var next = 0
  private var start = 0

  private static let keptBytes = 256 << 10

  var isEmpty: Bool { steps.isEmpty }
  /// Whether a reply waits for the disk.
  var isSynced: Bool { steps.contains { $0.isSynced } }

  mutating func append(_ replies: ByteView, for descriptor: Int32, isSynced: Bool) {
    steps.append(Step(descriptor: descriptor, count: replies.count, isSynced: isSynced))
    bytes.append(replies)
  }

  /// Returns the steps one by one, each with its bytes, which are valid until the next mutation. After the last one
  /// everything is cleared.
  mutating func takeStep() -> (Step, ByteView)? {
    guard next < steps.count else {
      clear()
      return nil
    }
    let step = steps[next]
    defer { (next, start) = (next + 1, start + step.count) }
    return (step, bytes.view.slice(start, step.count))
  }

  private mutating func clear() {
    if isEmpty { return }
    steps.removeAll(keepingCapacity: true)
    bytes.clear(keeping: TurnReplies.keptBytes)
    (next, start) = (0, 0)
  }
}
