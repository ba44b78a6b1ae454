// Values and schemas in frames that do not match their tags: refused, never repaired.

import HubCore
import TestSupport
import Testing

@Suite struct DamagedValueTests {
  private static let store: [UInt8] = [1, UInt8(ascii: "a")]

  private static func value(_ tag: UInt8, _ bytes: [UInt8]) -> [UInt8] {
    [tag] + Value.integer(Int64(bytes.count)).bytes.prefix(4) + bytes
  }

  private static func double(_ double: Double) -> [UInt8] { value(2, Value.double(double).bytes) }

  private func setting(_ value: [UInt8]) -> HubError? {
    Message.decoded(rawFrame(WriteKind.set.rawValue, Self.store + value)).failure
  }

  private static let malformedValues: [[UInt8]] = [
    double(.nan), double(.infinity), double(-.infinity), double(.signalingNaN),
    value(3, [2]), value(3, [0xFF]), value(3, []), value(3, [0, 0]),
    value(1, [1, 2, 3]), value(1, []), value(1, [UInt8](repeating: 0, count: 9)), value(2, [0]),
    value(0, []), value(7, [1]), value(255, []),
    [4, 0xFF, 0xFF, 0xFF, 0xFF, 1],
  ]

  @Test(
    "a value of the wrong shape, and a double that is no finite number, is malformed",
    arguments: malformedValues)
  func shapes(_ value: [UInt8]) {
    #expect(setting(value)?.code == .malformed)
  }

  @Test("numbers at their edges, and a negative zero, are values")
  func edges() throws {
    for value in [Value.integer(.min), .integer(.max), .double(-0.0), .double(.leastNonzeroMagnitude)] {
      let message = Message.request(.write(.set(.id(StoreID(raw: 1)), value)), id: 0)
      #expect(try Message.decoded(message.frame).get() == message)
    }
  }

  static let noText: [[UInt8]] = [
    [0xFF], [0xC3], [0xC3, 0x28], [0xE2, 0x82], [0xC0, 0x80], [0xED, 0xA0, 0x80], [0xF4, 0x90, 0x80, 0x80],
    [0x61, 0x80], [0xF8, 0x88, 0x80, 0x80, 0x80],
  ]

  @Test("a string that is not UTF-8 is an invalid value, in every place for a value", arguments: noText)
  func strings(_ bytes: [UInt8]) {
    for tag: UInt8 in [4, 6] {
      let value = Self.value(tag, bytes)
      #expect(setting(value)?.code == .invalidValue)
      let fine = Self.value(1, Value.integer(1).bytes)
      let expecting = rawFrame(WriteKind.set.rawValue, flags: 1 << 2, Self.store + fine + value)
      #expect(Message.decoded(expecting).failure?.code == .invalidValue)
      let adding = rawFrame(WriteKind.add.rawValue, Self.store + value)
      #expect(Message.decoded(adding).failure?.code == .invalidValue)
    }
    #expect(setting(Self.value(5, bytes)) == nil, "data is any bytes")
  }

  /// A schema for strings with one flagged field.
  private static func schema(_ flags: UInt8, _ field: [UInt8]) -> [UInt8] {
    let body = [4, flags] + field
    return Value.integer(Int64(body.count)).bytes.prefix(4) + body
  }

  @Test("text in a schema that is not UTF-8 makes the frame malformed, for hub and client", arguments: noText)
  func schemas(_ bytes: [UInt8]) {
    let value = Self.value(4, bytes)
    let description = Value.integer(Int64(bytes.count)).bytes.prefix(2) + bytes
    let schemas = [
      Self.schema(1 << 0, value), Self.schema(1 << 1, value), Self.schema(1 << 2, value),
      Self.schema(1 << 3, [2, 0] + Self.value(4, [97]) + value), Self.schema(1 << 6, Array(description)),
    ]
    for schema in schemas {
      let create = Self.store + schema
      #expect(Message.decoded(rawFrame(WriteKind.create.rawValue, create)).failure?.code == .malformed)
      let client = HubPeer()
      _ = client.send(Message.request(.hello(name: "test"), id: 1).frame)
      let answer = client.send(rawFrame(WriteKind.create.rawValue, request: 2, create))
      #expect(answer.map { $0[4] } == [ReplyKind.error.rawValue])
      let prefix = [UInt8](repeating: 0, count: 36)
      let created = rawFrame(EventKind.created.rawValue, prefix + create + Self.value(4, []))
      #expect(Message.decoded(created).failure?.code == .malformed)
    }
  }

  @Test("a schema may have fields after the known ones, and may not end before them")
  func schemaLength() throws {
    let known = Self.schema(1 << 4, [9, 0, 0, 0])
    let longer = Value.integer(Int64(known.count)).bytes.prefix(4) + known.dropFirst(4) + [1, 2, 3, 4]
    let frame = rawFrame(WriteKind.create.rawValue, request: 1, Self.store + longer)
    let expected = Request.write(.create(try StoreName("a"), Schema(type: .string, maxBytes: 9)))
    #expect(try Message.decoded(frame).get() == .request(expected, id: 1))
    let shorter = Value.integer(5).bytes.prefix(4) + known.dropFirst(4)
    let cut = rawFrame(WriteKind.create.rawValue, Self.store + shorter)
    #expect(Message.decoded(cut).failure?.code == .malformed)
  }

  @Test("a type, durability or flag combination that does not exist is malformed")
  func schemaFields() {
    for schema in [
      [2, 0, 0, 0, 0, 0], [2, 0, 0, 0, 7, 0], Self.schema(1 << 5, [0]), Self.schema(1 << 5, [4]),
    ] {
      let frame = rawFrame(WriteKind.create.rawValue, Self.store + schema)
      #expect(Message.decoded(frame).failure?.code == .malformed)
    }
  }

  @Test("a schema with more choices than can be counted is encoded as far as they can be")
  func manyChoices() throws {
    let choices = (0..<70_000).map { Value.integer($0) }
    let create = Request.write(.create(try StoreName("a"), Schema(type: .integer, choices: choices)))
    guard
      case .request(.write(.create(_, let schema, _)), _) =
        try Message.decoded(Message.request(create, id: 1).frame).get()
    else { return }
    #expect(schema.choices == Array(choices.prefix(65_535)))
  }
}
