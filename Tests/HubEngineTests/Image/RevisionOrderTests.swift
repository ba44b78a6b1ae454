// Stores sorted by their revisions, digit by digit.

import TestSupport
import Testing

@testable import HubCore
@testable import HubEngine

@Suite("Order by revision")
struct RevisionOrderTests {
  @Test("any revisions are sorted, and equal ones keep their order", arguments: 0..<20)
  func sorts(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    let range: ClosedRange<Revision> = [0...3, 0...5000, 1 << 40...1 << 40 + 70_000, 0 ... .max][
      Int(seed % 4)]
    let count = Int.random(in: 0...3000, using: &random)
    let revisions = (0..<count).map { _ in Revision.random(in: range, using: &random) }
    var order = RevisionOrder(capacity: count)
    for (slot, revision) in revisions.enumerated() { order.append(Int32(slot), revision: revision) }
    order.sort()
    let expected = revisions.enumerated().sorted { ($0.element, $0.offset) < ($1.element, $1.offset) }
    #expect(order.entries.map { Int($0.slot) } == expected.map(\.offset))
    #expect(order.entries.map(\.revision) == expected.map(\.element))
  }
}
