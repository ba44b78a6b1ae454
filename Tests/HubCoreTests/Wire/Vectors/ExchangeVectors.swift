// What the hub answers to single requests: opening, reading, exploring. Writes and watches have their own files.

import HubCore
import TestSupport

enum ExchangeVectors {
  static let all = opening + reading + adding + creating + setting + transactions + looking + watching

  static let noText: [UInt8] = [0x61, 0xFF]
  static let volume = try! StoreName("audio.volume")
  static func set(_ name: StoreReference, _ value: Value, _ lifetime: Lifetime = .permanent) -> Request {
    .write(.set(name, value, lifetime: lifetime))
  }
  static func create(_ name: String, _ schema: Schema) -> Request {
    .write(.create(try! StoreName(name), schema))
  }
  static let number = StoreID(raw: 0x7700_0000)

  private static func hello(_ lowest: UInt16, _ highest: UInt16, magic: UInt32 = Frame.magic, name: [UInt8])
    -> [UInt8]
  {
    raw(
      .hello,
      littleEndian(magic) + littleEndian(lowest) + littleEndian(highest) + littleEndian(UInt64(0))
        + short(name)
    )
  }

  private static let opening: [Exchange] = [
    Exchange(
      "hello", "a range of versions that contains 1", greeted: false, hello(1, 9, name: [0x61]),
      .reply(.welcome)),
    Exchange(
      "hello-capabilities", "capabilities that no version has are ignored", greeted: false,
      raw(
        .hello,
        littleEndian(Frame.magic) + [1, 0, 1, 0] + littleEndian(UInt64.max - 1) + short("a")),
      .reply(.welcome)),
    Exchange(
      "hello-magic", "another magic number", greeted: false, hello(1, 1, magic: 0x4855_4253, name: []),
      .error(.helloExpected), closes: true),
    Exchange(
      "hello-cut", "the name is longer than the frame", greeted: false,
      hello(1, 1, name: [0x61, 0x62]).replacingPayload(hello(1, 1, name: [0x61, 0x62]).payload.dropLast()),
      .error(.helloExpected), closes: true),
    Exchange(
      "hello-name", "a name that is not UTF-8", greeted: false, hello(1, 1, name: noText),
      .error(.helloExpected), closes: true),
    Exchange(
      "hello-other-versions", "no version in common", greeted: false, hello(2, 3, name: []),
      .error(.unsupportedVersion), closes: true),
    Exchange(
      "hello-no-version", "a range without versions", greeted: false, hello(1, 0, name: []),
      .error(.unsupportedVersion), closes: true),
    Exchange(
      "no-hello", "the first frame is another one", greeted: false, raw(.ping, []), .error(.helloExpected),
      closes: true),
    Exchange("hello-again", "hello comes once", hello(1, 1, name: []), .error(.malformed)),
    Exchange("ping", "the payload of a request that has none is ignored", raw(.ping, [1, 2]), .reply(.pong)),
    Exchange(
      "reserved-field", "the reserved field of the header is ignored",
      [0, 0, 0, 0, 2, 0, 0xFF, 0xFF] + littleEndian(Exchange.request), .reply(.pong)),
    Exchange("kind-0", "a kind that no version has", rawFrame(0, request: 100, []), .error(.unknownKind)),
    Exchange("kind-0x19", "the first free kind", rawFrame(0x19, request: 100, []), .error(.unknownKind)),
    Exchange("kind-change", "an event is no request", rawFrame(0x40, request: 100, []), .error(.unknownKind)),
    Exchange("kind-pong", "a reply is no request", rawFrame(0x81, request: 100, []), .error(.unknownKind)),
    Exchange("kind-error", "nor is an error", rawFrame(0xFF, request: 100, []), .error(.unknownKind)),
  ]

  private static let one = [set("a", .integer(1))]

  private static let reading: [Exchange] = [
    Exchange("get", "by name", before: one, .get("a"), .reply(.value)),
    Exchange("get-number", "by number", before: one, .get(.id(StoreID(raw: 1 << 24))), .reply(.value)),
    Exchange("get-nothing", "the payload ends before the name", raw(.get, []), .error(.malformed)),
    Exchange("get-cut", "the name is longer than the frame", raw(.get, [3, 0x61]), .error(.malformed)),
    Exchange(
      "get-half-number", "an empty name, and a number of 7 bytes", raw(.get, [0, 1, 2, 3, 4, 5, 6, 7]),
      .error(.malformed)),
    Exchange(
      "get-more", "bytes behind the known fields, and flags that get does not have, are ignored",
      before: one, raw(.get, flags: 0xFF, short("a") + [1, 2, 3]), .reply(.value)),
    Exchange("get-missing", "no such name", .get("b"), .error(.noSuchStore)),
    Exchange("get-missing-number", "no such number", .get(.id(number)), .error(.noSuchStore)),
    Exchange("get-number-0", "0 is no store's number", .get(.id(StoreID(raw: 0))), .error(.noSuchStore)),
    Exchange("get-reserved", "names of the hub can be asked for", .get("statehub.x"), .error(.noSuchStore)),
    Exchange("get-dots", "an empty component", raw(.get, short("a..b")), .error(.invalidName)),
    Exchange("get-no-utf8", "a name that is not UTF-8", raw(.get, short(noText)), .error(.invalidName)),
    Exchange("describe", "a store", before: one, .describe("a"), .reply(.described)),
    Exchange("describe-cut", "no name", raw(.describe, []), .error(.malformed)),
    Exchange("describe-missing", "no such name", .describe("b"), .error(.noSuchStore)),
    Exchange("describe-name", "a glob is no name", raw(.describe, short("a.*")), .error(.invalidName)),
  ]

  private static let looking: [Exchange] = [
    Exchange(
      "list", "in the order of names", before: [set("b", .integer(1)), set("a", .integer(2))],
      .list(.everything), .reply(.listed)),
    Exchange(
      "list-limit-0", "a limit of 0 is 1", before: [set("b", .integer(1)), set("a", .integer(2))],
      .list(.everything, limit: 0), .reply(.listed)),
    Exchange(
      "list-after", "after is compared by its bytes and need be no name",
      before: [set("a-b", .integer(1)), set("a.b", .integer(2))],
      raw(.list, littleEndian(UInt32(9)) + short("**") + short("a-\u{7F}")), .reply(.listed)),
    Exchange(
      "list-after-accent", "by its bytes, not as text: e with an accent in two characters stands before f",
      before: [set("e", .integer(1)), set("f", .integer(2))],
      raw(.list, littleEndian(UInt32(9)) + short("**") + short("e\u{301}")), .reply(.listed)),
    Exchange(
      "list-after-no-utf8", "nor UTF-8: these bytes stand behind every name that begins with a",
      before: [set("a", .integer(1)), set("b", .integer(2))],
      raw(.list, littleEndian(UInt32(9)) + short("**") + short(noText)), .reply(.listed)),
    Exchange(
      "list-empty", "an empty pattern is none",
      raw(.list, littleEndian(UInt32(9)) + [0, 0]), .error(.invalidPattern)),
    Exchange(
      "list-no-utf8", "a pattern that is not UTF-8",
      raw(.list, littleEndian(UInt32(9)) + short(noText) + [0]), .error(.invalidPattern)),
    Exchange(
      "list-cut", "without after", raw(.list, littleEndian(UInt32(9)) + short("**")), .error(.malformed)),
    Exchange("clients", "this client", .clients(), .reply(.clientList)),
    Exchange("clients-cut", "without after", raw(.clients, littleEndian(UInt32(9))), .error(.malformed)),
    Exchange(
      "access", "without rules everybody may do everything", .access(try! StoreName("audio.volume")),
      .reply(.explained)),
    Exchange(
      "access-as", "another user",
      .access(try! StoreName("audio.volume"), as: AccessQuestion(uid: 7)), .reply(.explained)),
    Exchange(
      "access-invalid", "a pattern is no name", raw(.access, [0] + short("audio.*")), .error(.invalidName)),
    Exchange(
      "access-cut", "with fewer groups than announced",
      raw(.access, [1] + short("a") + littleEndian(UInt32(7)) + [9, 0] + littleEndian(UInt32(1))),
      .error(.malformed)),
    Exchange("log", "a hub that keeps no history", .log(.everything), .error(.notSupported)),
    Exchange(
      "log-invalid", "a pattern that is none", raw(.log, [UInt8](repeating: 0, count: 16) + short("a..b")),
      .error(.invalidPattern)),
    Exchange("log-cut", "without a pattern", raw(.log, [UInt8](repeating: 0, count: 16)), .error(.malformed)),
    Exchange("monitor", "not by the hub's own user or root", .monitor(), .error(.denied)),
    Exchange(
      "monitor-cut", "with fewer kinds than announced", raw(.monitor, [0, 0, 0, 0, 0, 2, 4]),
      .error(.malformed)),
    Exchange("provide", "not allowed by anything", offer(), .error(.denied)),
    Exchange("provide-reserved", "the hub's own names", offer(["statehub.**"]), .error(.reserved)),
    Exchange("provide-nothing", "no pattern", offer([]), .error(.malformed)),
    Exchange(
      "provide-many", "17 patterns", offer((0..<17).map { "dev.n\($0)" }), .error(.tooLarge)),
    Exchange("provide-window", "no write at a time", offer(window: 0), .error(.outOfRange)),
    Exchange(
      "provide-name", "a name that is none", raw(.provide, short("a..b") + [UInt8](repeating: 0, count: 10)),
      .error(.invalidName)),
    Exchange(
      "provide-pattern", "a pattern that is none",
      raw(.provide, short("a") + [UInt8](repeating: 0, count: 8) + [1, 0] + short("a*")),
      .error(.invalidPattern)),
    Exchange(
      "provide-cut", "without patterns", raw(.provide, short("a") + [1, 0, 0, 0]), .error(.malformed)),
    Exchange(
      "standing", "a claim that there is not", .standing(try! StoreName("dev"), .live), .error(.noSuchStore)),
    Exchange(
      "standing-name", "a name that is none", raw(.standing, short("a..b") + [1, 0, 0]), .error(.invalidName)),
    Exchange(
      "standing-state", "a state that is none", raw(.standing, short("a") + [9, 0, 0]), .error(.malformed)),
    Exchange("decide", "a ticket that there was not", .decide(7, .accept()), .error(.malformed)),
    Exchange("decide-cut", "without a verdict", raw(.decide, littleEndian(UInt64(7))), .error(.malformed)),
    Exchange("restrict", "to reading", .restrict(.reading), .reply(.restricted)),
    Exchange(
      "restrict-again", "to less than before", before: [.restrict(.reading)], .restrict(.nothing),
      .reply(.restricted)),
    Exchange(
      "restrict-back", "to more than before", before: [.restrict(.nothing)], .restrict(.reading),
      .error(.denied)),
    Exchange(
      "restrict-set", "a write after reading is all that is left", before: [.restrict(.reading)],
      set("a", .integer(1)), .error(.denied)),
    Exchange(
      "restrict-get", "a read after that", before: one + [.restrict(.reading)], .get("a"), .reply(.value)),
    Exchange(
      "restrict-stats", "a read after nothing is left", before: [.restrict(.nothing)], .stats,
      .error(.denied)),
    Exchange("restrict-ping", "a ping after that", before: [.restrict(.nothing)], .ping, .reply(.pong)),
    Exchange("restrict-cut", "to what is missing", raw(.restrict, []), .error(.malformed)),
    Exchange("restrict-3", "to what no version has", raw(.restrict, [3]), .error(.malformed)),
    Exchange("reload-embedded", "a hub in another program", .reload, .error(.notSupported)),
    Exchange(
      "reload-denied", "the hub runs as root, the client as user 1000",
      hub: HubSetup(canReload: true), .reload, .error(.denied)),
  ]
}
