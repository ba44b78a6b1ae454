// Owns the turn's requests and replies since its first write to a persistent store.

import HubCore

/// Replies that wait for the turn's write to the journal. If that fails, all requests in here are carried out again.
/// Bounded by what a turn may change, and each session's pause limit.
struct TurnReplies: ~Copyable {
  struct Step {
    var descriptor: Int32
    var count: Int
    /// The replies wait for the disk.
    var isSynced: Bool
  }

  private(set) var steps: [Step] = []
  private var bytes = OutputBuffer(capacity: 16 << 10)
  /// The session of each request, and the requests themselves, in order.
  private(set) var askers: [Int32] = []
  private(set) var requests = OutputBuffer(capacity: 16 << 10)
  /// How many bytes of the first step are valid even if the write fails.
  private var prefix = 0
  /// The next step to return, and where its bytes begin.
  private var next = 0
  private var start = 0

  private static let keptBytes = 256 << 10

  var isEmpty: Bool { askers.isEmpty && steps.isEmpty }
  /// Whether a reply waits for the disk.
  var isSynced: Bool { steps.contains { $0.isSynced } }

  /// A request was carried out.
  ///
  /// - Parameter before: the length of its session's replies before it.
  @inline(__always)
  mutating func note(_ frame: FrameView, from descriptor: Int32, before: Int) {
    if askers.isEmpty { prefix = before }
    askers.append(descriptor)
    requests.append(frame.bytes)
  }

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

  /// The part of the first step that is valid although the write has failed, and its session.
  var standing: (descriptor: Int32, bytes: ByteView)? {
    guard prefix > 0, let first = steps.first else { return nil }
    return (first.descriptor, bytes.view.slice(0, min(prefix, first.count)))
  }

  private mutating func clear() {
    if isEmpty { return }
    steps.removeAll(keepingCapacity: true)
    askers.removeAll(keepingCapacity: true)
    bytes.clear(keeping: TurnReplies.keptBytes)
    requests.clear(keeping: TurnReplies.keptBytes)
    (prefix, next, start) = (0, 0, 0)
  }
}
