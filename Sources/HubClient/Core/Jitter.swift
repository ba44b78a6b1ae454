// The random numbers of the back-off, from a seed, so that tests can be repeated exactly.

enum Jitter {
  /// One step of SplitMix64.
  static func next(after state: UInt64) -> UInt64 {
    var word = state &+ 0x9E37_79B9_7F4A_7C15
    word = (word ^ (word >> 30)) &* 0xBF58_476D_1CE4_E5B9
    word = (word ^ (word >> 27)) &* 0x94D0_49BB_1331_11EB
    return word ^ (word >> 31)
  }
}
