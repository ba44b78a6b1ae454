// How much a hub may send when a whole state is requested, because it may not be the hub that the user expects.

import HubCore

struct SnapshotRoom {
  static let least = 256 << 20
  private let limit: Int
  private let advice: String
  private var taken = 0

  /// - Parameter advice: what to do instead.
  init(limit: Int = least, advice: String) { (self.limit, self.advice) = (limit, advice) }

  /// - Throws: `tooLarge`.
  mutating func take(_ event: HubEvent) throws(Failure) {
    taken += event.memory
    guard taken <= limit else {
      throw .hub(HubError(.tooLarge, "the matching stores take more than \(limit >> 20) MiB: \(advice)"))
    }
  }
}

extension HubEvent {
  /// About what it takes in memory.
  fileprivate var memory: Int {
    switch self {
    case .created(let name, let schema, let state, _, _, _):
      name.utf8.count + schema.encodedLength + state.value.memory
    case .current(let name, let state): name.utf8.count + state.value.memory
    case .change(let state, _, _): state.value.memory
    case .removed, .synced, .resumed, .forget, .ended, .forward, .withdraw, .ask: 0
    }
  }
}

extension Value {
  fileprivate var memory: Int {
    switch self {
    case .string(let text), .json(let text): 128 + text.utf8.count
    case .data(let bytes): 128 + bytes.count
    case .integer, .double, .boolean: 128
    }
  }
}
