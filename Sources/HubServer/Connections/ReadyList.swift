// Owns which sessions are served in this turn and the next.

/// Sessions in serving order, each at most once unless its descriptor was reused in the meantime. Bounded by the number
/// of descriptors.
struct ReadyList {
  /// The sessions of the next turn.
  private var coming: [Int32] = []
  /// The sessions of this turn, and how many of them were handed out.
  private(set) var serving: [Int32] = []
  private var index = 0
  /// Those that were passed over in this turn.
  private var passed: [Int32] = []

  var isEmpty: Bool { coming.isEmpty }
  /// Between two turns: every session in the list.
  var all: [Int32] { coming }

  @inline(__always)
  mutating func append(_ descriptor: Int32) { coming.append(descriptor) }

  /// From now on `next` returns the sessions that are in the list.
  @inline(__always)
  mutating func begin() { swap(&coming, &serving) }

  /// Before any was handed out: those at these places, which ascend, come after the others. The order within both stays.
  mutating func postpone(_ places: some Sequence<Int>) {
    for place in places {
      passed.append(serving[place])
      serving[place] = -1
    }
    serving.removeAll { $0 < 0 }
    serving += passed
    passed.removeAll(keepingCapacity: true)
  }

  @inline(__always)
  mutating func next() -> Int32? {
    guard index < serving.count else { return nil }
    defer { index += 1 }
    return serving[index]
  }

  /// The session that was handed out waits for the next turn.
  mutating func pass(_ descriptor: Int32) { passed.append(descriptor) }

  /// Ends the turn. The next one begins with the sessions that were passed over, then those that had no turn.
  @inline(__always)
  mutating func end() {
    if index < serving.count || !passed.isEmpty { keepRest() }
    index = 0
    // There are few of them, and `removeAll(keepingCapacity:)` would take longer than serving one.
    while serving.popLast() != nil {}
  }

  private mutating func keepRest() {
    passed.append(contentsOf: serving[index...])
    passed.append(contentsOf: coming)
    swap(&coming, &passed)
    passed.removeAll(keepingCapacity: true)
  }
}
