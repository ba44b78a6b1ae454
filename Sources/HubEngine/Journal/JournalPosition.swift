// A position in the journal, comparable across its segments.

import HubCore

/// A segment's number and an offset in its file, as one number that only grows: `number << 40 | offset`.
package struct JournalPosition: Hashable, Comparable, Sendable, CustomStringConvertible {
  package var raw: UInt64

  package init(raw: UInt64) { self.raw = raw }

  package init(segment: UInt64, offset: Int) {
    raw = segment << JournalPosition.offsetBits | UInt64(offset)
  }

  static let offsetBits: UInt64 = 40

  /// Before everything.
  package static let zero = JournalPosition(raw: 0)

  package var segment: UInt64 { raw >> JournalPosition.offsetBits }
  package var offset: Int { Int(raw & (1 << JournalPosition.offsetBits - 1)) }

  package static func < (a: JournalPosition, b: JournalPosition) -> Bool { a.raw < b.raw }

  package var description: String { "\(segment):\(offset)" }
}
