// What the hub answers to a set: shapes of values, conditions, rules, lifetimes.

import HubCore
import TestSupport

extension ExchangeVectors {
  private static func setting(_ value: [UInt8], flags: UInt8 = 0, _ rest: [UInt8] = []) -> [UInt8] {
    raw(.set, flags: flags, short("a") + value + rest)
  }

  private static let one = rawValue(1, littleEndian(Int64(1)))
  private static func double(_ double: Double) -> [UInt8] { rawValue(2, littleEndian(double.bitPattern)) }
  private static func conditional(_ store: StoreReference, _ condition: WriteCondition, _ value: Int64 = 5)
    -> Request
  {
    .write(.set(store, .integer(value), condition: condition))
  }
  private static func a(_ value: Int64 = 1) -> Request { set("a", .integer(value)) }

  private static let deep =
    [UInt8](repeating: UInt8(ascii: "["), count: 129) + [UInt8](repeating: UInt8(ascii: "]"), count: 129)

  static let setting = shapes + names + conditions + rules + lifetimes

  private static let shapes: [Exchange] = [
    Exchange("set-type-0", "no type has the number 0", setting(rawValue(0, [])), .error(.malformed)),
    Exchange("set-type-7", "nor 7", setting(rawValue(7, [1])), .error(.malformed)),
    Exchange(
      "set-integer-7-bytes", "an integer has 8 bytes", setting(rawValue(1, [0, 0, 0, 0, 0, 0, 0])),
      .error(.malformed)),
    Exchange(
      "set-integer-9-bytes", "not more", setting(rawValue(1, [0, 0, 0, 0, 0, 0, 0, 0, 0])),
      .error(.malformed)),
    Exchange("set-double-4-bytes", "a double, too", setting(rawValue(2, [0, 0, 0, 0])), .error(.malformed)),
    Exchange("set-boolean-2", "a boolean is 0 or 1", setting(rawValue(3, [2])), .error(.malformed)),
    Exchange("set-boolean-empty", "in one byte", setting(rawValue(3, [])), .error(.malformed)),
    Exchange("set-nan", "a double is a number", setting(double(.nan)), .error(.malformed)),
    Exchange("set-infinity", "a finite one", setting(double(-.infinity)), .error(.malformed)),
    Exchange(
      "set-value-cut", "the content is longer than the frame", setting([5, 4, 0, 0, 0, 1, 2, 3]),
      .error(.malformed)),
    Exchange(
      "set-no-if-revision", "the field of a flag is missing", setting(one, flags: 0x01), .error(.malformed)),
    Exchange(
      "set-no-ttl", "also behind another", setting(one, flags: 0x21, littleEndian(UInt64(1))),
      .error(.malformed)),
    Exchange(
      "set-if-value-shape", "if-value has the shape of a value", setting(one, flags: 0x04, rawValue(3, [2])),
      .error(.malformed)),
    Exchange("set-string", "a string that is not UTF-8", setting(rawValue(4, noText)), .error(.invalidValue)),
    Exchange(
      "set-string-surrogate", "nor is half a surrogate pair", setting(rawValue(4, [0xED, 0xA0, 0x80])),
      .error(.invalidValue)),
    Exchange("set-json", "not JSON", setting(rawValue(6, Array("{a:1}".utf8))), .error(.invalidValue)),
    Exchange("set-json-empty", "nothing is not JSON", setting(rawValue(6, [])), .error(.invalidValue)),
    Exchange(
      "set-json-deep", "129 levels",
      setting(
        rawValue(6, deep)),
      .error(.invalidValue)),
    Exchange(
      "set-json-surrogate", "an escape may be half a surrogate pair, as RFC 8259's grammar allows",
      setting(rawValue(6, Array("\"\\ud800\"".utf8))), .written(changed: true, version: 1)),
    Exchange(
      "set-more", "unknown flags, and bytes behind the known fields, are ignored",
      setting(one, flags: 0x80, [9, 9]), .written(changed: true, version: 1)),
  ]

  private static let names: [Exchange] = [
    Exchange("set-new", "creates the store", a(), .written(changed: true, version: 1)),
    Exchange("set-no-name", "no store is named", raw(.set, [0] + one), .error(.malformed)),
    Exchange("set-name", "no name ends with a dot", raw(.set, short("a.") + one), .error(.invalidName)),
    Exchange(
      "set-name-no-utf8", "a name that is not UTF-8", raw(.set, short(noText) + one), .error(.invalidName)),
    Exchange("set-reserved", "the hub's names", set("statehub.x", .integer(1)), .error(.reserved)),
    Exchange("set-statehub", "also without dot", set("statehub", .integer(1)), .error(.reserved)),
    Exchange(
      "set-statehubs", "only these", set("statehubs.x", .integer(1)), .written(changed: true, version: 1)),
    Exchange(
      "set-undeclared", "a hub that requires declarations", hub: HubSetup(requiresDeclaration: true), a(),
      .error(.undeclared)),
    Exchange(
      "set-undeclared-created", "creating is declaring", hub: HubSetup(requiresDeclaration: true),
      before: [create("a", Schema(type: .integer))], a(), .written(changed: true, version: 2)),
    Exchange(
      "set-missing-number", "a number cannot be created", set(.id(number), .integer(1)), .error(.noSuchStore)),
    Exchange(
      "set-stores", "the hub's limit of stores", hub: HubSetup(maximumStores: 1), before: [a()],
      set("b", .integer(1)), .error(.quota)),
    Exchange(
      "set-bytes", "the hub's limit of memory", hub: HubSetup(maximumMemory: 8000), before: [a()],
      set("b", .string(String(repeating: "b", count: 8000))), .error(.quota)),
    Exchange(
      "set-longer", "also for a value that grows", hub: HubSetup(maximumMemory: 8000),
      before: [set("b", .string("abc"))], set("b", .string(String(repeating: "b", count: 8000))),
      .error(.quota)),
  ]

  private static let conditions: [Exchange] = [
    Exchange(
      "if-revision", "holds", before: [a()], conditional("a", WriteCondition(revision: 1)),
      .written(changed: true, version: 2)),
    Exchange(
      "if-revision-older", "tells the revision now", before: [a(), a(2)],
      conditional("a", WriteCondition(revision: 1)), .error(.conflict, revision: 2)),
    Exchange(
      "if-revision-0", "there is no such store", conditional("a", WriteCondition(revision: 0)),
      .written(changed: true, version: 1)),
    Exchange(
      "if-revision-0-exists", "there is one", before: [a()], conditional("a", WriteCondition(revision: 0)),
      .error(.conflict, revision: 1)),
    Exchange(
      "if-revision-absent", "there was one", conditional("a", WriteCondition(revision: 3)), .error(.conflict)),
    Exchange(
      "if-epoch", "both hold", before: [a()],
      conditional("a", WriteCondition(revision: 1, epoch: ProtocolVectors.epoch)),
      .written(changed: true, version: 2)),
    Exchange(
      "if-epoch-other", "the revision is of another epoch", before: [a()],
      conditional("a", WriteCondition(revision: 1, epoch: Epoch(high: 1, low: 1))),
      .error(.conflict, revision: 1)),
    Exchange(
      "if-epoch-alone", "without if-revision it has no effect", before: [a()],
      conditional("a", WriteCondition(epoch: Epoch(high: 1, low: 1))), .written(changed: true, version: 2)),
    Exchange(
      "if-epoch-alone-cut", "but its field is there", setting(one, flags: 0x02, [1, 2, 3]), .error(.malformed)
    ),
    Exchange(
      "if-absent", "there is no such store", conditional("a", WriteCondition(absent: true)),
      .written(changed: true, version: 1)),
    Exchange(
      "if-absent-exists", "there is one", before: [a()], conditional("a", WriteCondition(absent: true)),
      .error(.conflict, revision: 1)),
    Exchange(
      "if-absent-number", "the condition holds, but a number names no new store",
      conditional(.id(number), WriteCondition(absent: true)), .error(.noSuchStore)),
    Exchange(
      "if-revision-0-number", "the same", conditional(.id(number), WriteCondition(revision: 0)),
      .error(.noSuchStore)),
    Exchange(
      "if-revision-number", "the condition does not hold",
      conditional(.id(number), WriteCondition(revision: 3)),
      .error(.conflict)),
    Exchange(
      "if-value", "holds", before: [a()], conditional("a", WriteCondition(value: .integer(1))),
      .written(changed: true, version: 2)),
    Exchange(
      "if-value-other", "another value", before: [a()], conditional("a", WriteCondition(value: .integer(2))),
      .error(.conflict, revision: 1)),
    Exchange(
      "if-value-absent", "no value", conditional("a", WriteCondition(value: .integer(2))), .error(.conflict)),
    Exchange(
      "if-value-type", "the types are compared, too: integer 1 is not double 1.0",
      before: [set("a", .double(1))],
      .write(.set("a", .double(2), condition: WriteCondition(value: .integer(1)))),
      .error(.conflict, revision: 1)),
    Exchange(
      "if-value-no-utf8", "text that is none equals nothing", before: [set("a", .string("a"))],
      raw(.set, flags: 0x04, short("a") + rawValue(4, [0x61]) + rawValue(4, noText)),
      .error(.conflict, revision: 1)),
    Exchange(
      "if-equal", "conditions are looked at before the value", before: [a()],
      conditional("a", WriteCondition(revision: 9), 1), .error(.conflict, revision: 1)),
    Exchange(
      "if-all", "all conditions must hold", before: [a()],
      conditional("a", WriteCondition(revision: 1, value: .integer(2))), .error(.conflict, revision: 1)),
  ]

  private static let level = Schema(type: .integer, minimum: .integer(0), maximum: .integer(100))
  private static let mode = Schema(
    type: .string, initial: .string("on"), choices: [.string("on"), .string("off")], maxBytes: 8)

  private static let rules: [Exchange] = [
    Exchange(
      "set-equal", "an equal value is no change", before: [a()], a(), .written(changed: false, version: 1)),
    Exchange(
      "set-force", "unless it shall be one", before: [a()], .write(.set("a", .integer(1), force: true)),
      .written(changed: true, version: 2)),
    Exchange(
      "set-zero", "0.0 and -0.0 differ", before: [set("a", .double(0))], set("a", .double(-0.0)),
      .written(changed: true, version: 2)),
    Exchange(
      "set-other-type", "the store's type stays", before: [a()], set("a", .string("x")), .error(.typeMismatch)
    ),
    Exchange(
      "set-double-for-integer", "no double becomes an integer", before: [a()], set("a", .double(1)),
      .error(.typeMismatch)),
    Exchange(
      "set-integer-for-double", "an integer becomes the double that is exactly it",
      before: [set("a", .double(1))], a(), .written(changed: false, version: 1)),
    Exchange(
      "set-integer-without-double", "if there is one: 2^53 + 1 has none", before: [set("a", .double(1))],
      a(9_007_199_254_740_993), .error(.typeMismatch)),
    Exchange("set-below", "below the minimum", before: [create("a", level)], a(-1), .error(.outOfRange)),
    Exchange("set-above", "above the maximum", before: [create("a", level)], a(101), .error(.outOfRange)),
    Exchange(
      "set-at-bound", "bounds are inclusive", before: [create("a", level)], a(100),
      .written(changed: true, version: 2)),
    Exchange(
      "set-no-choice", "none of the choices", before: [create("a", mode)], set("a", .string("dim")),
      .error(.notAChoice)),
    Exchange(
      "set-too-long", "more bytes than maxBytes", before: [create("a", mode)], set("a", .string("123456789")),
      .error(.tooLarge)),
  ]

  private static let lifetimes: [Exchange] = [
    Exchange(
      "ttl-0", "a ttl is at least 1", .write(.set("a", .integer(1), lifetime: Lifetime(ttl: 0))),
      .error(.invalidValue)),
    Exchange(
      "ttl-longest", "any other number is one",
      .write(.set("a", .integer(1), lifetime: Lifetime(ttl: .max))), .written(changed: true, version: 1)),
    Exchange(
      "ttl-and-ephemeral", "both hold: the value ends with what comes first",
      before: [set("a", .integer(1), Lifetime(ttl: 1500, ephemeral: true))], .describe("a"),
      .reply(.described)),
    Exchange(
      "ttl-ended-by-set", "every set decides anew, also of an equal value",
      before: [set("a", .integer(1), Lifetime(ttl: 1500)), a()], .describe("a"), .reply(.described)),
    Exchange(
      "ttl-kept-by-add", "add keeps the lifetime",
      before: [set("a", .integer(1), Lifetime(ttl: 1500)), .write(.add("a", .integer(1)))], .describe("a"),
      .reply(.described)),
    Exchange(
      "ttl-kept-by-create", "so does create, which changes the schema",
      before: [set("a", .integer(1), Lifetime(ttl: 1500)), create("a", level)], .describe("a"),
      .reply(.described)),
    Exchange(
      "ttl-ended-by-reset", "reset ends it",
      before: [create("a", level), set("a", .integer(1), Lifetime(ttl: 1500)), .write(.reset("a"))],
      .describe("a"), .reply(.described)),
  ]
}
