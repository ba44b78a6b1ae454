// Memory of stores that have gone: it is given back step by step, while others create stores, watch, and catch up.

import TestSupport
import Testing

@testable import HubCore
@testable import HubEngine

@Suite("Giving memory back")
struct ReleasingTests {
  /// In which order stores go.
  enum Order: CaseIterable {
    case ascending, descending, mixed

    func apply(_ numbers: [Int]) -> [Int] {
      switch self {
      case .ascending: return numbers
      case .descending: return numbers.reversed()
      case .mixed:
        var generator = SeededGenerator(seed: 3)
        return numbers.shuffled(using: &generator)
      }
    }
  }

  private static let count = 10_000

  /// A hub with many stores, and a session that watches half of them.
  private func filled() -> EngineFixture {
    var fixture = EngineFixture {
      $0.changeLogBytes = 1 << 20
      $0.maximumUserStores = .max
    }
    let session = fixture.connect()
    _ = fixture.ask(session, .watch([try! NamePattern("even.**")]))
    for number in 0..<Self.count { set(number, by: session, in: &fixture) }
    _ = fixture.turn()
    return fixture
  }

  private func name(_ number: Int) -> StoreName {
    try! StoreName(number % 2 == 0 ? "even.s\(number)" : "odd.s\(number)")
  }

  private func set(_ number: Int, by session: SessionID, in fixture: inout EngineFixture) {
    _ = fixture.write(session, .set(.name(name(number)), .integer(Int64(number))))
  }

  @Test(
    "stores that stay, come and are watched are what they were, whatever has gone",
    arguments: Order.allCases)
  func keeps(order: Order) {
    var fixture = filled()
    let session = SessionID(raw: 3)
    let staying = Set(stride(from: 7, to: Self.count, by: 1009))
    let going = order.apply((0..<Self.count).filter { !staying.contains($0) })
    for (index, number) in going.enumerated() {
      #expect(fixture.write(session, .remove(.name(name(number)))).result != nil)
      if index % 500 == 0 { _ = fixture.turn() }
    }
    _ = fixture.turn()
    #expect(fixture.engine.stores.used == Self.count)
    let freed = fixture.engine.freedBytes
    #expect(freed > Self.count * MemoryCost.store / 2)

    var cursor = ReleaseCursor()
    var (bytes, steps, isComplete) = (0, 0, false)
    while !isComplete {
      isComplete = fixture.engine.releaseFreed(&cursor) {
        bytes += $0.count
        $0.initializeMemory(as: UInt8.self, repeating: 0)
      }
      // Others go on meanwhile.
      set(Self.count + steps, by: session, in: &fixture)
      _ = fixture.turn()
      #expect(fixture.engine.brokenInvariants() == [])
      steps += 1
    }
    #expect(steps > 1)
    #expect(bytes > Self.count * MemoryLayout<StoreRecord>.stride * 8 / 10)
    for index in 0..<fixture.engine.feed.patterns.limit {
      #expect(fixture.engine.feed.patterns[index].order.hasManyStale == false)
    }
    // What stayed and what came can be read, and is told to who comes now.
    for number in staying.sorted() + (Self.count..<Self.count + steps) {
      #expect(fixture.ask(session, .get(.name(name(number)))).state?.value == .integer(Int64(number)))
    }
    let late = fixture.connect(4)
    _ = fixture.ask(late, .watch([.everything]))
    let shown = fixture.turn()[4, default: []].filter { if case .current = $0 { true } else { false } }
    #expect(shown.count == staying.count + steps)
    for number in 0..<Self.count where number % 100 == 0 { set(number, by: session, in: &fixture) }
    _ = fixture.turn()
    #expect(fixture.engine.brokenInvariants() == [])
  }
}
