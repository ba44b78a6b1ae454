// docs/vectors/messages.json: bytes and fields of every message, what receivers skip, and what they refuse.

import HubCore
import TestSupport
import Testing

enum MessageVectors {
  private static let big = try! StoreName(String(repeating: "a.", count: 127) + "b")
  private static func state(_ value: Value) -> StoreState {
    StoreState(
      id: StoreID(raw: .max), revision: .max, version: .max, time: .min, uid: .max, value: value)
  }

  /// In addition to the page's own: fields at their limits, every type, every operation, every reason and error.
  private static let further: [(String, Message)] =
    [
      ("get-longest-name", .request(.get(.name(big)), id: .max)),
      ("get-highest-number", .request(.get(.id(StoreID(raw: .max))), id: 0)),
      (
        "hello-later-client",
        .request(
          .hello(minimumVersion: 1, maximumVersion: 9, capabilities: 1 << 63, name: "Gr\u{FC}\u{DF}e"), id: 1)
      ),
      (
        "transaction-of-everything",
        .request(
          .transaction([
            .set("a", .integer(.min), condition: WriteCondition(revision: 0), lifetime: Lifetime(ttl: 1)),
            .add("b", .double(-0.0), clamp: true), .toggle("c"), .reset("d"),
            .remove("e", condition: WriteCondition(revision: 7)),
            .create(try! StoreName("f"), Schema(type: .data, maxBytes: 1), ifAbsent: true),
          ]), id: 3)
      ),
      ("transaction-empty", .request(.transaction([]), id: 3)),
      (
        "remove-if-epoch",
        .request(.write(.remove("a", condition: WriteCondition(epoch: Epoch(high: 1, low: 2)))), id: 3)
      ),
      (
        "watch-everything",
        .request(
          .watch(
            [.everything, try! NamePattern("*.b")], policy: .every,
            bookmark: Bookmark(epoch: Epoch(high: .max, low: 0), revision: .max), schemas: true), id: 4)
      ),
      (
        "watch-interval",
        .request(.watch([.everything], filter: try! WatchFilter(atMost: .milliseconds(100))), id: 4)
      ),
      (
        "watch-interval-deadband",
        .request(
          .watch(
            [try! NamePattern("a")], bookmark: Bookmark(epoch: Epoch(high: 1, low: 2), revision: 3),
            filter: try! WatchFilter(atMost: .seconds(1), by: 0.5)), id: 4)
      ),
      (
        "watch-percent",
        .request(.watch([try! NamePattern("a")], filter: try! WatchFilter(by: .percent(5))), id: 4)
      ),
      (
        "watch-when-equal",
        .request(
          .watch(
            [try! NamePattern("a")],
            filter: try! WatchFilter(
              when: WatchCondition(.equal, [.string("on"), .boolean(true), .integer(3)]))), id: 4)
      ),
      (
        "watch-when-present",
        .request(
          .watch(
            [.everything], filter: try! WatchFilter(atMost: .milliseconds(100), by: 0.5, when: .present)),
          id: 4)
      ),
      (
        "watch-all-parts",
        .request(
          .watch(
            [.everything],
            filter: try! WatchFilter(
              atMost: .milliseconds(100), by: .percent(5), when: .present, deadline: .milliseconds(1500))),
          id: 4)
      ),
      (
        "watch-when-less-or-equal",
        .request(
          .watch(
            [try! NamePattern("a")],
            filter: try! WatchFilter(when: WatchCondition(.lessOrEqual, [.double(-1.5)]))), id: 4)
      ),
      ("list-after-any-text", .request(.list(.everything, after: "\u{FC}", limit: 0), id: 5)),
      ("committed-empty", .reply(.committed(revision: 7, []), id: 3)),
      ("listed-empty", .reply(.listed([], more: false), id: 5)),
      ("value-extremes", .reply(.value(state(.integer(.min))), id: 6)),
      ("current-longest-name", .event(.current(name: big.text, state(.boolean(true))))),
    ]
    + values.enumerated().map { index, value in
      ("current-\(value.type)-\(index)", .event(.current(name: "a", state(value))))
    }
    + [EndReason.shuttingDown, .notReading, .protocolError, .quota].map { (reason: EndReason) in
      ("ended-\(reason)", .event(.ended(reason, message: "why")))
    }
    + HubError.Code.allCases.filter { $0.rawValue < 100 }.map {
      ("error-\($0)", .reply(.error(HubError($0, store: "a", "why", revision: 1, operation: 2)), id: 8))
    }

  private static let values: [Value] = [
    .integer(.max), .integer(-1), .double(-0.0), .double(.leastNonzeroMagnitude),
    .double(-.greatestFiniteMagnitude), .double(0.1), .boolean(false), .string(""),
    .string("a\u{0}b\u{1F600}"), .data([]), .data([0, 255]), .json("null"), .json(" {\"a\": [1, 2.50]}\n"),
  ]

  static var messages: [(String, Message)] {
    ProtocolVectors.all.sorted { ($0.value.frame[4], $0.key) < ($1.value.frame[4], $1.key) }
      .map { ($0.key, $0.value) } + further
  }

  // MARK: What is skipped

  /// Frames of a later version, and the message that this version reads.
  private static let later: [(String, String, [UInt8])] = [
    ("get", "bytes behind the last field", appending([1, 2, 3], to: "get")),
    ("set", "bytes behind the last field", appending([0xFF], to: "set")),
    ("set", "a flag of a later version", flagging(0x80, "set")),
    ("watch", "flags of a later version", flagging(0xF0, "watch")),
    ("welcome", "a capability's field behind the release", appending([9, 9, 9, 9], to: "welcome")),
    ("change", "a field behind the value", appending([0], to: "change")),
    ("created", "flags of a later version", flagging(0xF8, "created")),
    ("synced", "a field behind the revision", appending([1, 0, 0, 0], to: "synced")),
    ("error", "a field behind the message", appending([0, 0], to: "error")),
    ("pong", "the reserved field of the header", reserving(0xFFFF, "pong")),
  ]

  private static func frame(_ name: String) -> [UInt8] { ProtocolVectors.all[name]!.frame }
  private static func appending(_ bytes: [UInt8], to name: String) -> [UInt8] {
    frame(name).replacingPayload(frame(name).payload + bytes)
  }
  private static func flagging(_ flags: UInt8, _ name: String) -> [UInt8] {
    var frame = frame(name)
    frame[5] |= flags
    return frame
  }
  private static func reserving(_ field: UInt16, _ name: String) -> [UInt8] {
    var frame = frame(name)
    frame.replaceSubrange(6..<8, with: littleEndian(field))
    return frame
  }

  // MARK: What a client refuses

  /// What a hub must not send. What a hub refuses is in exchanges.json.
  private static let broken: [(String, [UInt8])] = [
    ("a change without value", frame("change").replacingPayload(Array(frame("change").payload.prefix(36)))),
    ("a change whose value is cut", frame("change").replacingPayload(frame("change").payload.dropLast())),
    ("a change to NaN", changed(rawValue(2, littleEndian(Double.nan.bitPattern)))),
    ("a change to a boolean 2", changed(rawValue(3, [2]))),
    ("a change to a type that does not exist", changed(rawValue(7, []))),
    ("a current whose name is cut", rawFrame(0x43, frame("current").payload.prefix(36) + [9, 0x61])),
    (
      "a created whose schema ends early",
      rawFrame(0x41, frame("created").payload.prefix(36) + short("a") + [1, 0, 0, 0, 2])
    ),
    ("a synced of 7 bytes", rawFrame(0x44, [1, 2, 3, 4, 5, 6, 7])),
    ("a forget without revision", rawFrame(0x46, [UInt8](repeating: 1, count: 16))),
    ("a listed of four billion", rawFrame(0x85, request: 1, [0xFF, 0xFF, 0xFF, 0xFF])),
    (
      "a committed that holds another frame",
      rawFrame(0x84, request: 1, littleEndian(UInt64(1)) + frame("pong"))
    ),
    ("a written of no durability", rawFrame(0x83, request: 1, [UInt8](repeating: 0, count: 25))),
  ]

  private static func changed(_ value: [UInt8]) -> [UInt8] {
    rawFrame(0x40, frame("change").payload.prefix(36) + value)
  }

  static var json: JSONValue {
    for (name, message) in messages {
      #expect((try? Message.decoded(message.frame).get()) == message, "decoding \(name)")
    }
    for (name, about, bytes) in later {
      #expect((try? Message.decoded(bytes).get()) == ProtocolVectors.all[name], "\(name), \(about)")
    }
    for (name, bytes) in broken { #expect(Message.decoded(bytes).failure?.code == .malformed, "\(name)") }
    return [
      "messages": .list(
        messages.map { name, message in
          JSONValue.object([("name", .text(name)), ("hex", .hex(message.frame))])
            .adding([("kind", .text("\(FrameKind(message.frame))")), ("flags", .number(message.frame[5]))])
            .adding([
              ("request", .number(message.frame.withByteView { $0.load(UInt32.self, at: 8) })),
              ("fields", message.innerFields),
            ])
        }),
      "readAs": .list(
        later.map { ["message": .text($0.0), "about": .text($0.1), "hex": .hex($0.2)] }),
      "refused": .list(broken.map { ["about": .text($0.0), "hex": .hex($0.1), "error": "malformed"] }),
    ]
  }
}
