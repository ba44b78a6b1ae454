// Stores with many choices: a value is found among them without asking each, whatever becomes of the schema.

import TestSupport
import Testing

@testable import HubCore
@testable import HubEngine

@Suite("Many choices") struct ChoiceTests {
  private static func schema(_ range: Range<Int>) -> Schema {
    Schema(type: .integer, choices: range.map { .integer(Int64($0)) })
  }

  private static let name = try! StoreName("mode")

  private static func expect(_ range: Range<Int64>, _ hub: inout EngineFixture, _ session: SessionID) {
    for value in [range.lowerBound, range.upperBound - 1, (range.lowerBound + range.upperBound) / 2] {
      #expect(hub.write(session, .set("mode", .integer(value), force: true)).errorCode == nil, "\(value)")
    }
    for value in [range.lowerBound - 1, range.upperBound] {
      #expect(hub.write(session, .set("mode", .integer(value))).errorCode == .notAChoice, "\(value)")
    }
  }

  @Test(
    "only the choices are accepted: also those of another schema, after it is undone, and by the hub that takes over"
  )
  func accepted() throws {
    var hub = EngineFixture { $0.changeLogBytes = 1 << 22 }
    let session = hub.connect()
    #expect(hub.write(session, .create(Self.name, Self.schema(0..<2000))).errorCode == nil)
    Self.expect(0..<2000, &hub, session)
    #expect(hub.write(session, .create(Self.name, Self.schema(500..<1500))).errorCode == nil)
    Self.expect(500..<1500, &hub, session)
    let refused = hub.ask(
      session, .transaction([.create(Self.name, Self.schema(999..<1001)), .set("mode", .integer(7))]))
    #expect(refused.errorCode == .notAChoice)
    Self.expect(500..<1500, &hub, session)
    _ = hub.turn()
    hub.engine = try EngineImage.engine(from: EngineImage.bytes(of: hub.engine), options: hub.engine.options)
    Self.expect(500..<1500, &hub, session)
    // Few, then none, then another store where this one was.
    #expect(hub.write(session, .create(Self.name, Self.schema(998..<1002))).errorCode == nil)
    Self.expect(998..<1002, &hub, session)
    #expect(
      hub.write(session, .create(Self.name, Schema(type: .integer, minimum: .integer(0)))).errorCode == nil)
    #expect(hub.write(session, .set("mode", .integer(5000))).errorCode == nil)
    _ = hub.write(session, .remove("mode"))
    _ = hub.turn()
    #expect(
      hub.write(session, .create(Self.name, Schema(type: .integer, maximum: .integer(9000)))).errorCode == nil
    )
    #expect(hub.write(session, .set("mode", .integer(5000))).errorCode == nil)
  }

  @Test("a schema costs its creator each of its choices")
  func cost() {
    var costs: [Int] = []
    for count in [10, 2000] {
      var hub = EngineFixture()
      let session = hub.connect()
      let before = hub.engine.work
      #expect(hub.write(session, .create(Self.name, Self.schema(0..<count))).errorCode == nil)
      costs.append(hub.engine.work - before)
    }
    #expect(costs[1] - costs[0] > 1990 * Cost.choice)
  }

  @Test("equal values are found in every type that has choices")
  func types() throws {
    let lists: [[Value]] = [
      (0..<20).map { .double(Double($0) / 4) }, (0..<20).map { .string("s\($0)") },
      (0..<20).map { .data([UInt8($0)]) }, (0..<20).map { .json("[\($0)]") },
    ]
    for choices in lists {
      var hub = EngineFixture()
      let session = hub.connect()
      let schema = Schema(type: choices[0].type, initial: choices[0], choices: choices)
      #expect(hub.write(session, .create(Self.name, schema)).errorCode == nil)
      for choice in choices { #expect(hub.write(session, .set("mode", choice)).errorCode == nil) }
    }
    var hub = EngineFixture()
    let session = hub.connect()
    let doubles = Schema(type: .double, choices: (0..<20).map { .integer($0) })
    #expect(hub.write(session, .create(Self.name, doubles)).errorCode == nil)
    #expect(hub.write(session, .set("mode", .integer(3))).errorCode == nil)
    #expect(hub.write(session, .set("mode", .integer(20))).errorCode == .notAChoice)
  }
}
