// What the hub answers to the writes other than set: add, toggle, reset, remove, create.

import HubCore
import TestSupport

extension ExchangeVectors {
  private static func add(_ delta: Value, clamp: Bool = false) -> Request {
    .write(.add("a", delta, clamp: clamp))
  }
  private static func a(_ value: Int64 = 1) -> Request { set("a", .integer(value)) }
  private static let bounded = create("a", Schema(type: .integer, minimum: .integer(0), maximum: .integer(9)))
  private static let chosen = create("a", Schema(type: .integer, choices: [.integer(0), .integer(5)]))
  private static let declared = HubSetup(declarations: [(volume, Schema(type: .integer))])
  private static let declaredStore: StoreReference = "audio.volume"

  static let adding: [Exchange] = [
    Exchange(
      "add", "the reply tells the sum", before: [a()], add(.integer(4)), .written(changed: true, version: 2)),
    Exchange(
      "add-0", "nothing changes", before: [a()], add(.integer(0)), .written(changed: false, version: 1)),
    Exchange("add-cut", "no delta", raw(.add, short("a")), .error(.malformed)),
    Exchange(
      "add-name", "no name", raw(.add, short(".") + rawValue(1, littleEndian(Int64(1)))), .error(.invalidName)
    ),
    Exchange("add-missing", "there is nothing to add to", add(.integer(1)), .error(.noSuchStore)),
    Exchange(
      "add-string", "no number is stored", before: [set("a", .string("1"))], add(.integer(1)),
      .error(.typeMismatch)),
    Exchange("add-double", "a double to an integer", before: [a()], add(.double(1)), .error(.typeMismatch)),
    Exchange("add-text", "no number is added", before: [a()], add(.string("1")), .error(.typeMismatch)),
    Exchange(
      "add-integer", "an integer to a double", before: [set("a", .double(0.5))], add(.integer(1)),
      .written(changed: true, version: 2)),
    Exchange("add-overflow", "beyond the type", before: [a(.max)], add(.integer(1)), .error(.overflow)),
    Exchange(
      "add-overflow-double", "beyond the doubles", before: [set("a", .double(.greatestFiniteMagnitude))],
      add(.double(.greatestFiniteMagnitude)), .error(.overflow)),
    Exchange("add-range", "beyond the maximum", before: [bounded], add(.integer(10)), .error(.outOfRange)),
    Exchange("add-choice", "none of the choices", before: [chosen], add(.integer(1)), .error(.notAChoice)),
    Exchange(
      "add-clamp", "the maximum", before: [bounded], add(.integer(10), clamp: true),
      .written(changed: true, version: 2)),
    Exchange(
      "add-clamp-overflow", "the greatest integer", before: [a(.max - 1)], add(.integer(5), clamp: true),
      .written(changed: true, version: 2)),
    Exchange(
      "add-clamp-at-bound", "there already: nothing changes", before: [a(.max)],
      add(.integer(5), clamp: true), .written(changed: false, version: 1)),
    Exchange(
      "add-clamp-choice", "choices are no bounds", before: [chosen], add(.integer(1), clamp: true),
      .error(.notAChoice)),
    Exchange(
      "toggle", "the reply tells the value", before: [set("a", .boolean(false))], .write(.toggle("a")),
      .written(changed: true, version: 2)),
    Exchange("toggle-cut", "no store", raw(.toggle, []), .error(.malformed)),
    Exchange("toggle-name", "no name", raw(.toggle, short("a b")), .error(.invalidName)),
    Exchange("toggle-missing", "no such store", .write(.toggle("a")), .error(.noSuchStore)),
    Exchange("toggle-integer", "no boolean", before: [a()], .write(.toggle("a")), .error(.typeMismatch)),
    Exchange(
      "toggle-choice", "one choice only",
      before: [create("a", Schema(type: .boolean, initial: .boolean(true), choices: [.boolean(true)]))],
      .write(.toggle("a")), .error(.notAChoice)),
    Exchange(
      "reset", "the reply tells the initial value", before: [bounded, a(5)], .write(.reset("a")),
      .written(changed: true, version: 3)),
    Exchange(
      "reset-initial", "it holds it already", before: [bounded], .write(.reset("a")),
      .written(changed: false, version: 1)),
    Exchange("reset-cut", "no store", raw(.reset, [0]), .error(.malformed)),
    Exchange("reset-name", "no name", raw(.reset, short("a..")), .error(.invalidName)),
    Exchange("reset-missing", "no such store", .write(.reset("a")), .error(.noSuchStore)),
    Exchange(
      "reset-set", "a store that was made by set has no initial value", before: [a()], .write(.reset("a")),
      .error(.noInitialValue)),
    Exchange(
      "reset-bytes", "the initial value does not fit into the hub any more",
      hub: HubSetup(maximumMemory: 16_000),
      before: [
        create("a", Schema(type: .string, initial: .string(String(repeating: "a", count: 4000)))),
        set("a", .string("")), set("b", .string(String(repeating: "b", count: 6000))),
      ],
      .write(.reset("a")), .error(.quota)),
    Exchange(
      "remove", "version and revision of the removal", before: [a()], .write(.remove("a")),
      .written(changed: true, version: 2)),
    Exchange("remove-cut", "if-revision is missing", raw(.remove, flags: 1, short("a")), .error(.malformed)),
    Exchange("remove-name", "no name", raw(.remove, short("*")), .error(.invalidName)),
    Exchange("remove-missing", "no such store", .write(.remove("a")), .error(.noSuchStore)),
    Exchange(
      "remove-missing-if", "whatever the condition",
      .write(.remove("a", condition: WriteCondition(revision: 7))), .error(.noSuchStore)),
    Exchange(
      "remove-if", "holds", before: [a()], .write(.remove("a", condition: WriteCondition(revision: 1))),
      .written(changed: true, version: 2)),
    Exchange(
      "remove-if-older", "does not", before: [a(), a(2)],
      .write(.remove("a", condition: WriteCondition(revision: 1))), .error(.conflict, revision: 2)),
    Exchange(
      "remove-if-0", "a store that exists is not of revision 0", before: [a()],
      .write(.remove("a", condition: WriteCondition(revision: 0))), .error(.conflict, revision: 1)),
    Exchange(
      "remove-if-epoch-alone", "without if-revision it has no effect", before: [a()],
      .write(.remove("a", condition: WriteCondition(epoch: Epoch(high: 1, low: 1)))),
      .written(changed: true, version: 2)),
    Exchange(
      "remove-declared", "the configuration decides", hub: declared, .write(.remove(declaredStore)),
      .error(.declared)),
  ]

  private static let choices = Schema(type: .integer, choices: [.integer(2)])

  static let creating: [Exchange] = [
    Exchange(
      "create", "with the first value that the rules allow", create("a", choices),
      .written(changed: true, version: 1)),
    Exchange(
      "create-equal", "an equal schema, completed: nothing happens", before: [create("a", choices)],
      create("a", choices), .written(changed: false, version: 1)),
    Exchange(
      "create-zero-choices", "a list of no choices is no rule",
      before: [.write(.create(try! StoreName("a"), Schema(type: .integer)))],
      raw(.create, short("a") + littleEndian(UInt32(4)) + [1, 0x08, 0, 0]),
      .written(changed: false, version: 1)),
    Exchange("create-cut", "no schema", raw(.create, short("a")), .error(.malformed)),
    Exchange(
      "create-type", "no type has the number 7", raw(.create, short("a") + littleEndian(UInt32(2)) + [7, 0]),
      .error(.malformed)),
    Exchange(
      "create-durability", "no durability has the number 0",
      raw(.create, short("a") + littleEndian(UInt32(3)) + [1, 0x20, 0]), .error(.malformed)),
    Exchange(
      "create-no-utf8", "text in a schema that is none",
      raw(.create, short("a") + littleEndian(UInt32(11)) + [4, 0x44] + rawValue(4, noText) + [0, 0]),
      .error(.malformed)),
    Exchange(
      "create-more", "fields behind the known ones are ignored",
      raw(.create, short("a") + littleEndian(UInt32(5)) + [1, 0x80, 1, 2, 3]),
      .written(changed: true, version: 1)),
    Exchange(
      "create-no-name", "a store is created by name", raw(.create, [0] + littleEndian(UInt32(2)) + [1, 0]),
      .error(.invalidName)),
    Exchange(
      "create-name", "a name", raw(.create, short("a.") + littleEndian(UInt32(2)) + [1, 0]),
      .error(.invalidName)),
    Exchange(
      "create-reserved", "not the hub's", create("statehub.a", Schema(type: .integer)), .error(.reserved)),
    Exchange(
      "create-schema", "no value obeys it",
      create("a", Schema(type: .integer, minimum: .integer(2), maximum: .integer(1))), .error(.invalidSchema)),
    Exchange(
      "create-if-absent", "the store exists", before: [a()],
      .write(.create(try! StoreName("a"), Schema(type: .integer), ifAbsent: true)),
      .error(.conflict, revision: 1)),
    Exchange(
      "create-declared", "the configuration decides", hub: declared, create("audio.volume", choices),
      .error(.declared)),
    Exchange(
      "create-declared-equal", "and says the same", hub: declared,
      create("audio.volume", Schema(type: .integer)),
      .written(changed: false, version: 1)),
    Exchange(
      "create-other-type", "the value is of another type", before: [set("a", .string("x"))],
      create("a", Schema(type: .integer)), .error(.schemaConflict)),
    Exchange(
      "create-value", "the value breaks a rule", before: [a(7)], create("a", choices), .error(.schemaConflict)
    ),
    Exchange(
      "create-widening", "an integer becomes a double", before: [a(7)], create("a", Schema(type: .double)),
      .written(changed: true, version: 2)),
    Exchange(
      "create-stores", "the hub's limit of stores", hub: HubSetup(maximumStores: 1), before: [a()],
      create("b", choices), .error(.quota)),
  ]
}
