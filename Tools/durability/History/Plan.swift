// What a writer does next: repeatable from its seed and what its stores hold, and never anything that a hub would refuse.

internal import HubCore
internal import TestSupport

public struct Plan: Sendable {
  private let writer: Int
  private var random: SeededGenerator

  public init(writer: Int, seed: UInt64) {
    self.writer = writer
    random = SeededGenerator(seed: seed &* 0x9E37_79B9_7F4A_7C15 &+ UInt64(writer))
  }

  /// How many steps are sent without waiting for answers.
  public mutating func depth() -> Int {
    Int.random(in: 0..<4, using: &random) == 0 ? 1 : .random(in: 2...12, using: &random)
  }

  /// Whether the next batch waits a little, so that not all kills meet a busy hub.
  public mutating func pauseMicroseconds() -> UInt32 { .random(in: 0..<3000, using: &random) }

  /// - Parameter writesVolatile: as long as nobody does, a hub's journal holds everything that anybody is shown.
  public mutating func step(_ number: Int, on stores: [String: Cell], writesVolatile: Bool = true) -> Step {
    let indices = (0..<Places.storesPerWriter).filter {
      writesVolatile || !Places.isVolatile(Places.own(writer, $0))
    }
    let token = Token.make(writer: writer, step: number)
    switch Int.random(in: 0..<20, using: &random) {
    case 0..<10: return Step(number, own(token, stores, indices, 1))
    case 10..<15: return Step(number, own(token, stores, indices, .random(in: 2...6, using: &random)))
    case 15..<17:
      let cell = cell(token)
      return Step(number, Places.pair.map { .set($0, cell) } + [tally(token)])
    default: return Step(number, [.count(Places.counter), tally(token)] + own(token, stores, indices, 1))
    }
  }

  /// What tells whether a step on shared stores has happened.
  private func tally(_ token: Int64) -> Write { .set(Places.tally(writer), Cell(.integer, token: token)) }

  /// Writes to so many different stores of the writer's own.
  private mutating func own(
    _ token: Int64, _ stores: [String: Cell], _ indices: [Int], _ count: Int
  ) -> [Write] {
    indices.shuffled(using: &random).prefix(count).map { index in
      let name = Places.own(writer, index)
      let exists = stores[name] != nil
      if exists, Int.random(in: 0..<12, using: &random) == 0 { return .remove(name) }
      if !exists, let durability = Durability(name: Places.durability(at: index)) {
        return .create(name, durability, cell(token, as: stores[name]?.form ?? form(index)))
      }
      return .set(name, cell(token, as: stores[name]?.form ?? form(index)))
    }
  }

  /// A store keeps its type, also when it is removed and made again.
  private func form(_ index: Int) -> Cell.Form { Cell.Form.allCases[index % Cell.Form.allCases.count] }

  private mutating func cell(_ token: Int64, as form: Cell.Form = .string) -> Cell {
    let size: Int =
      switch Int.random(in: 0..<40, using: &random) {
      case 0: .random(in: 500...3000, using: &random)
      case 1..<12: .random(in: 4...30, using: &random)
      default: .random(in: 0...4, using: &random)
      }
    return Cell(form, token: token, size: size * 8)
  }
}
