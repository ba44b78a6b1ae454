// What a new connection sets again, by itself.

import HubCore
import Testing

@testable import HubClient

@Suite("Ephemeral values that are set again")
struct EphemeralsTests {
  private func ephemeral(_ value: Int64, _ condition: WriteCondition = .none) -> WriteOperation {
    .set(.name(Self.a), .integer(value), condition: condition, lifetime: Lifetime(ephemeral: true))
  }

  private static let a = try! StoreName("a")
  private static let b = try! StoreName("b")

  private static let epoch = Epoch(high: 1, low: 2)

  private static func result(_ revision: Revision, _ value: Value? = nil) -> WriteResult {
    WriteResult(
      id: StoreID(raw: 1), revision: revision, version: 1, changed: true, durability: .volatile, value: value)
  }

  private static func store(
    _ value: Int64, revision: Revision, initial: Value? = nil
  ) throws -> StoreDescription {
    var schema = Schema(type: .integer)
    schema.initial = initial
    return StoreDescription(
      name: "a",
      state: StoreState(
        id: StoreID(raw: 1), revision: revision, version: 1, time: 0, uid: 0, value: .integer(value)),
      schema: schema, durability: .volatile, declared: false, watchers: 0)
  }

  /// After these writes, which all succeeded.
  private func operations(_ writes: [(WriteOperation, Value?)]) -> [WriteOperation] {
    var ephemerals = Ephemerals()
    for (operation, value) in writes { ephemerals.note(operation, Self.result(7, value), Self.epoch) }
    let operations = ephemerals.conditional + ephemerals.unconditional
    #expect(ephemerals.isEmpty == operations.isEmpty)
    return operations
  }

  @Test("a value without a condition is set again only if no other program has set its store")
  func ownership() throws {
    let cases: [(StoreDescription?, WriteCondition?)] = [
      (nil, WriteCondition(absent: true)),
      (try Self.store(1, revision: 7), WriteCondition(revision: 7, epoch: Self.epoch)),
      (try Self.store(1, revision: 8), nil),
      (try Self.store(0, revision: 8, initial: .integer(0)), WriteCondition(revision: 8, epoch: Self.epoch)),
      (try Self.store(3, revision: 8, initial: .integer(0)), nil),
    ]
    for (store, condition) in cases {
      var ephemerals = Ephemerals()
      ephemerals.note(ephemeral(1), Self.result(7), Self.epoch)
      #expect(ephemerals.again(ephemeral(1), store, Self.epoch) == condition.map { ephemeral(1, $0) })
      #expect(ephemerals.isEmpty == (condition == nil))
    }
    var ephemerals = Ephemerals()
    ephemerals.note(ephemeral(1), Self.result(7), Self.epoch)
    let other = Epoch(high: 3, low: 4)
    #expect(ephemerals.again(ephemeral(1), try Self.store(1, revision: 7), other) == nil)
  }

  @Test("what was set again counts as the client's own change the next time")
  func again() throws {
    var ephemerals = Ephemerals()
    ephemerals.note(ephemeral(1), Self.result(7), Self.epoch)
    let absent = ephemeral(1, WriteCondition(absent: true))
    ephemerals.wasSetAgain(absent, Self.result(9), Self.epoch)
    #expect(
      ephemerals.again(ephemeral(1), try Self.store(1, revision: 9), Self.epoch)
        == ephemeral(1, WriteCondition(revision: 9, epoch: Self.epoch)))
  }

  @Test("a value is set again under its condition, unless that was a revision")
  func conditions() {
    #expect(operations([(ephemeral(1), nil)]) == [ephemeral(1)])
    let absent = ephemeral(1, WriteCondition(absent: true))
    #expect(operations([(absent, nil)]) == [absent])
    #expect(operations([(ephemeral(1, WriteCondition(revision: 5)), nil)]).isEmpty)
    #expect(operations([(ephemeral(1), nil), (ephemeral(2, WriteCondition(revision: 5)), nil)]).isEmpty)
  }

  @Test("the last write of a store decides, and other stores' do not")
  func last() {
    let permanent = WriteOperation.set(.name(Self.a), .integer(3))
    #expect(operations([(ephemeral(1), nil), (ephemeral(2), nil)]) == [ephemeral(2)])
    #expect(operations([(ephemeral(1), nil), (permanent, nil)]).isEmpty)
    #expect(operations([(ephemeral(1), nil), (.remove(.name(Self.a)), nil)]).isEmpty)
    #expect(operations([(ephemeral(1), nil), (.remove(.name(Self.b)), nil)]) == [ephemeral(1)])
  }

  @Test("a value that was computed since is the one that is set again")
  func computed() {
    #expect(
      operations([(ephemeral(1), nil), (.add(.name(Self.a), .integer(4)), .integer(5))]) == [ephemeral(5)])
    #expect(operations([(.add(.name(Self.a), .integer(4)), .integer(5))]).isEmpty)
  }

  @Test("what the hub has refused is forgotten")
  func refused() {
    var ephemerals = Ephemerals()
    ephemerals.note(ephemeral(1), Self.result(7), Self.epoch)
    ephemerals.forget(.set(.name(Self.b), .integer(1)))
    #expect(!ephemerals.isEmpty)
    ephemerals.forget(ephemeral(1))
    #expect(ephemerals.isEmpty)
  }
}
