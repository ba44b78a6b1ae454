// Which rules are compatible in a schema, what the hub makes of them, and which values they accept.

import HubCore
import TestSupport
import Testing

@Suite struct SchemaTests {
  @Test(
    "a schema whose rules cannot hold together is refused",
    arguments: [
      Schema(type: .string, minimum: .integer(1)),
      Schema(type: .boolean, maximum: .integer(1)),
      Schema(type: .data, minimum: .double(0)),
      Schema(type: .integer, maxBytes: 4),
      Schema(type: .boolean, maxBytes: 1),
      Schema(type: .integer, minimum: .double(1)),
      Schema(type: .integer, minimum: .string("1")),
      Schema(type: .double, minimum: .integer((1 << 53) + 1)),
      Schema(type: .double, initial: .double(1), minimum: .double(.nan)),
      Schema(type: .double, initial: .double(1), maximum: .double(.infinity)),
      Schema(type: .integer, minimum: .integer(2), maximum: .integer(1)),
      Schema(type: .double, minimum: .double(0.5), maximum: .double(0.25)),
      Schema(type: .integer, initial: .integer(4), minimum: .integer(5)),
      Schema(type: .integer, initial: .string("4")),
      Schema(type: .double, initial: .double(.nan)),
      Schema(type: .integer, maximum: .integer(9), choices: [.integer(3), .integer(10)]),
      Schema(type: .integer, choices: [.boolean(true)]),
      Schema(type: .string, initial: .string("c"), choices: [.string("a"), .string("b")]),
      Schema(type: .string, initial: .string("four"), maxBytes: 3),
      Schema(type: .string, choices: [.string("four")], maxBytes: 3),
      Schema(type: .json, maxBytes: 3),
      Schema(type: .string, maxBytes: 0),
      Schema(type: .data, maxBytes: 0),
      Schema(type: .integer, maximum: .integer(-1)),
    ])
  func refused(_ schema: Schema) {
    let error = #expect(throws: HubError.self) { try schema.validated(store: "the.store") }
    #expect(error?.code == .invalidSchema)
    #expect(error?.store == "the.store")
  }

  @Test(
    "a schema that is longer than 32 KiB on the wire is refused, also with more choices than a frame can count"
  )
  func tooLong() throws {
    let choices = (0..<70_000).map { Value.integer($0) }
    for count in [5000, 65_535, 65_536, 70_000] {
      let schema = Schema(type: .integer, choices: Array(choices.prefix(count)))
      #expect(throws: HubError.self) { try schema.validated() }
    }
    #expect(throws: Never.self) {
      try Schema(type: .integer, choices: Array(choices.prefix(2000))).validated()
    }
    let described = Schema(type: .integer, description: String(repeating: "d", count: 70_000))
    #expect(throws: HubError.self) { try described.validated() }
  }

  @Test(
    "without an initial value a store starts at the first of zero, the minimum and the first choice that fits",
    arguments: [
      (Schema(type: .integer), Value.integer(0)),
      (Schema(type: .double), .double(0)),
      (Schema(type: .boolean), .boolean(false)),
      (Schema(type: .string), .string("")),
      (Schema(type: .data), .data([])),
      (Schema(type: .json), .json("null")),
      (Schema(type: .integer, minimum: .integer(-5), maximum: .integer(5)), .integer(0)),
      (Schema(type: .integer, minimum: .integer(3)), .integer(3)),
      (Schema(type: .double, minimum: .integer(3)), .double(3)),
      (Schema(type: .string, choices: [.string("b"), .string("a")]), .string("b")),
      (Schema(type: .string, choices: [.string("b"), .string("")]), .string("")),
      (Schema(type: .integer, minimum: .integer(2), choices: [.integer(9), .integer(2)]), .integer(2)),
      (Schema(type: .integer, minimum: .integer(2), choices: [.integer(9), .integer(3)]), .integer(9)),
      (Schema(type: .boolean, choices: [.boolean(true)]), .boolean(true)),
      (Schema(type: .string, maxBytes: 1), .string("")),
    ])
  func initialValue(_ schema: Schema, _ expected: Value) throws {
    #expect(try schema.validated().initial == expected)
  }

  @Test("rules of a double store may be given as integers")
  func widening() throws {
    let schema = Schema(
      type: .double, initial: .integer(1), minimum: .integer(0), maximum: .integer(2), choices: [.integer(1)])
    let valid = try schema.validated()
    #expect(valid.initial == .double(1))
    #expect(valid.minimum == .double(0))
    #expect(valid.maximum == .double(2))
    #expect(valid.choices == [.double(1)])
  }

  @Test("bounds are inclusive")
  func bounds() {
    let schema = Schema(type: .integer, minimum: .integer(.min), maximum: .integer(5))
    #expect(schema.problem(with: .integer(.min)) == nil)
    #expect(schema.problem(with: .integer(5)) == nil)
    #expect(schema.problem(with: .integer(6))?.code == .outOfRange)
    let doubles = Schema(type: .double, minimum: .double(0), maximum: .double(1))
    #expect(doubles.problem(with: .double(-0.0)) == nil)
    #expect(doubles.problem(with: .double(0.0.nextDown))?.code == .outOfRange)
    #expect(doubles.problem(with: .double(1.0.nextUp))?.code == .outOfRange)
  }

  @Test("a value that breaks a rule is refused with that rule's code")
  func problems() {
    let length = Schema(type: .string, maxBytes: 3)
    #expect(length.problem(with: .string("abc")) == nil)
    #expect(length.problem(with: .string("aé")) == nil)
    #expect(length.problem(with: .string("éé"))?.code == .tooLarge)
    let choices = Schema(type: .string, choices: [.string("\u{E9}")])
    #expect(choices.problem(with: .string("\u{E9}")) == nil)
    #expect(choices.problem(with: .string("e\u{301}"))?.code == .notAChoice)
    #expect(Schema(type: .double).problem(with: .double(.nan))?.code == .invalidValue)
    #expect(Schema(type: .double).problem(with: .double(-.infinity))?.code == .invalidValue)
  }

  @Test(
    "a validated schema takes its own initial value and choices, and stays as it is", .blocking,
    arguments: UInt64(0)..<16)
  func properties(seed: UInt64) throws {
    var generator = WireGenerator(seed: seed)
    var accepted = 0
    for _ in 0..<400 {
      let schema = generator.schema()
      do {
        let valid = try schema.validated()
        accepted += 1
        #expect(valid.initial.map { valid.problem(with: $0) == nil } == true)
        #expect(valid.choices.allSatisfy { valid.problem(with: $0) == nil })
        #expect(try valid.validated() == valid)
        #expect((schema.initial ?? valid.initial)?.converted(to: schema.type) == valid.initial)
        #expect(valid.choices.count == schema.choices.count)
      } catch {
        #expect(error.code == .invalidSchema)
      }
    }
    #expect((100..<400).contains(accepted), "the test has to see both answers")
  }
}
