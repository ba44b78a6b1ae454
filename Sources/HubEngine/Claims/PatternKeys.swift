// Whether two claimed patterns have a name in common: each new one is compared with all others, which takes no memory.

import HubCore

/// A pattern of at most 63 components, as numbers.
struct PatternKeys {
  let pattern: NamePattern
  /// A literal's hash; of two literals that have the same, patterns are taken to meet.
  private let keys: [UInt64]
  /// The places of `**`, and of all other components.
  private let any: UInt64
  private let other: UInt64
  /// The places of `*`.
  private let one: UInt64

  /// Different in each process, so that colliding literals cannot be chosen.
  private static let seed = UInt64.random(in: 1 ... .max)

  init(_ pattern: NamePattern) {
    precondition(pattern.components.count < 64, "a claimed pattern is short")
    self.pattern = pattern
    keys = pattern.components.map { component in
      guard case .literal(let bytes) = component else { return 0 }
      var state = PatternKeys.seed
      for byte in bytes { state = (state ^ UInt64(byte)) &* 0x0000_0100_0000_01B3 }
      return (state ^ state >> 29) | 1
    }
    var (any, one): (UInt64, UInt64) = (0, 0)
    for (place, component) in pattern.components.enumerated() {
      if component == .any { any |= 1 << UInt64(place) }
      if component == .one { one |= 1 << UInt64(place) }
    }
    (self.any, self.one) = (any, one)
    other = (1 << UInt64(keys.count) - 1) & ~any
  }

  func cost(ofMeeting other: PatternKeys) -> Int {
    differs(from: other) ? Cost.passed : 20 + keys.count * other.keys.count
  }

  /// Both begin with a literal, and these are not the same.
  private func differs(from other: PatternKeys) -> Bool {
    keys[0] != 0 && other.keys[0] != 0 && keys[0] != other.keys[0]
  }

  /// Whether there is a name that both match.
  func meets(_ their: PatternKeys) -> Bool {
    if differs(from: their) { return false }
    // Bit j: whether the rest of this pattern can match the rest of theirs from component j on. Of neither is anything left:
    var reached: UInt64 = 1 << UInt64(their.keys.count)
    reached |= reached >> 1 & their.any
    for place in keys.indices.reversed() {
      if any >> UInt64(place) & 1 != 0 {
        // It takes any number of their components.
        reached = reached == 0 ? 0 : UInt64.max >> UInt64(reached.leadingZeroBitCount)
        continue
      }
      var fits = their.one
      if one >> UInt64(place) & 1 != 0 {
        fits = their.other
      } else {
        for index in their.keys.indices where their.keys[index] == keys[place] { fits |= 1 << UInt64(index) }
      }
      // Both advance by one component, or their `**` takes this one, or nothing.
      reached = reached >> 1 & fits | reached & their.any
      reached |= reached >> 1 & their.any
    }
    return reached & 1 != 0
  }
}
