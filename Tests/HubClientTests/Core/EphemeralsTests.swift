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

  /// After these writes, which all succeeded.
  private func operations(_ writes: [(WriteOperation, Value?)]) -> [WriteOperation] {
    var ephemerals = Ephemerals()
    for (operation, value) in writes { ephemerals.note(operation, value) }
    #expect(ephemerals.isEmpty == ephemerals.operations.isEmpty)
    return ephemerals.operations
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
    ephemerals.note(ephemeral(1), nil)
    ephemerals.forget(.set(.name(Self.b), .integer(1)))
    #expect(!ephemerals.isEmpty)
    ephemerals.forget(ephemeral(1))
    #expect(ephemerals.isEmpty)
  }
}
