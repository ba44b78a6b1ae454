// docs/vectors/schemas.json: schemas as sent, as the hub completes them, which are refused, and what they accept.

import HubCore
import TestSupport
import Testing

enum SchemaVectors {
  private static let integers = Schema(type: .integer, minimum: .integer(5), maximum: .integer(9))
  private static let modes = Schema(type: .string, choices: [.string("on"), .string("off")], maxBytes: 3)

  private static let valid: [(String, Schema)] = [
    ("integer", Schema(type: .integer)), ("double", Schema(type: .double)),
    ("boolean", Schema(type: .boolean)),
    ("string", Schema(type: .string)), ("data", Schema(type: .data)), ("json", Schema(type: .json)),
    ("the minimum is the initial value, since 0 is below it", integers),
    ("the first choice is the initial value, since the empty string is none", modes),
    ("a lower bound alone", Schema(type: .integer, minimum: .integer(-3))),
    ("one number only", Schema(type: .integer, minimum: .integer(4), maximum: .integer(4))),
    (
      "integers in a schema for doubles become doubles",
      Schema(
        type: .double, initial: .integer(2), minimum: .integer(1), maximum: .double(2.5),
        choices: [.integer(2)])
    ),
    (
      "everything that an integer can have",
      Schema(
        type: .integer, initial: .integer(7), minimum: .integer(5), maximum: .integer(9),
        choices: [.integer(5), .integer(7)], durability: .synced, description: "Gr\u{F6}\u{DF}e")
    ),
    ("a longest length", Schema(type: .data, maxBytes: 1)),
    ("the longest length of all", Schema(type: .json, maxBytes: .max)),
  ]

  private static let invalid: [(String, Schema)] = [
    ("the minimum is above the maximum", Schema(type: .integer, minimum: .integer(2), maximum: .integer(1))),
    ("bounds go with numbers", Schema(type: .string, minimum: .string("a"))),
    ("the minimum is of another type", Schema(type: .integer, minimum: .double(1))),
    ("no double is exactly the minimum", Schema(type: .double, minimum: .integer(1 << 53 + 1))),
    ("maxBytes applies to string, data and json", Schema(type: .integer, maxBytes: 8)),
    ("maxBytes must be at least 1", Schema(type: .string, maxBytes: 0)),
    ("a choice is of another type", Schema(type: .string, choices: [.integer(1)])),
    (
      "a choice is outside the bounds",
      Schema(type: .integer, minimum: .integer(0), choices: [.integer(1), .integer(-1)])
    ),
    ("a choice is too long", Schema(type: .string, choices: [.string("long")], maxBytes: 3)),
    (
      "the initial value is outside the bounds",
      Schema(type: .integer, initial: .integer(10), maximum: .integer(9))
    ),
    (
      "the initial value is no choice", Schema(type: .string, initial: .string("dim"), choices: modes.choices)
    ),
    ("the initial value is of another type", Schema(type: .boolean, initial: .integer(0))),
    (
      "neither zero nor a minimum nor a choice obeys the rules", Schema(type: .integer, maximum: .integer(-1))
    ),
    (
      "it takes more than 32,768 bytes",
      Schema(type: .data, initial: .data([UInt8](repeating: 7, count: 32_768)))
    ),
  ]

  /// Values that a store with the schema has, or the error of a set.
  private static let judged: [(Schema, Value, HubError.Code?)] = [
    (integers, .integer(5), nil), (integers, .integer(9), nil), (integers, .integer(4), .outOfRange),
    (integers, .integer(10), .outOfRange), (integers, .double(6), .typeMismatch), (modes, .string("on"), nil),
    (modes, .string("On"), .notAChoice), (modes, .string("none"), .tooLarge),
    (modes, .string(""), .notAChoice),
    (Schema(type: .double, maximum: .double(1)), .integer(1), nil),
    (Schema(type: .double, maximum: .double(1)), .integer(2), .outOfRange),
    (Schema(type: .data, maxBytes: 2), .data([1, 2]), nil),
    (Schema(type: .data, maxBytes: 2), .data([1, 2, 3]), .tooLarge),
  ]

  private static func bytes(_ schema: Schema) -> [UInt8] {
    var out = OutputBuffer()
    out.append(schema)
    return out.array
  }

  private static func judgement(_ schema: Schema, _ value: Value) -> HubError.Code? {
    guard let fit = value.converted(to: schema.type) else { return .typeMismatch }
    return schema.problem(with: fit)?.code
  }

  /// The longest one is described by its rule: no person reads 65,000 digits.
  private static func shown(_ schema: Schema) -> [(String, JSONValue?)] {
    bytes(schema).count > 1000 ? [] : [("hex", .hex(bytes(schema))), ("schema", .schema(schema))]
  }

  static var json: JSONValue {
    [
      "valid": .list(
        valid.map { about, schema in
          guard let completed = try? schema.validated() else {
            Issue.record("refused: \(about)")
            return .null
          }
          #expect((try? completed.validated()) == completed, "\(about): completing is done once")
          return JSONValue.object([("about", .text(about))]).adding(shown(schema)).adding([
            ("completed", .hex(bytes(completed))), ("completedSchema", .schema(completed)),
          ])
        }),
      "invalid": .list(
        invalid.map { about, schema in
          #expect(throws: HubError.self, "\(about)") { try schema.validated() }
          return JSONValue.object([("about", .text(about))]).adding(shown(schema)).adding([
            ("error", "invalidSchema")
          ])
        }),
      "judged": .list(
        judged.map { schema, value, error in
          #expect(judgement(try! schema.validated(), value) == error, "\(value)")
          return [
            "schema": .hex(bytes(schema)), "value": .hex(rawValue(value.type.rawValue, value.bytes)),
            "error": error.map { .text("\($0)") } ?? .null,
          ]
        }),
    ]
  }
}
