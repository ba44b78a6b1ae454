// What the engine's owner reports about a session, for `clients`.

/// As of the last report.
package struct SessionUse: Sendable {
  /// In units of `Effort`, about nanoseconds.
  package var cost: UInt64 = 0
  package var held = 0

  package init(cost: UInt64 = 0, held: Int = 0) { (self.cost, self.held) = (cost, held) }
}
