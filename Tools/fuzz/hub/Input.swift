// Owns how bytes become what clients do: every byte string is some history, and a longer one of the same beginning goes on.

import HubCore
import HubEngine

struct Input {
  private let bytes: UnsafeBufferPointer<UInt8>
  private var offset = 0

  init(_ bytes: UnsafeBufferPointer<UInt8>) { self.bytes = bytes }

  var isAtEnd: Bool { offset >= bytes.count }

  /// Zero behind the end.
  mutating func byte() -> UInt8 {
    if isAtEnd { return 0 }
    defer { offset += 1 }
    return bytes[offset]
  }

  mutating func below(_ count: Int) -> Int { Int(byte()) % count }

  mutating func chance(_ odds: Int = 2) -> Bool { below(odds) == odds - 1 }

  mutating func pick<Element>(_ choices: [Element]) -> Element { choices[below(choices.count)] }

  // MARK: Requests, on few stores, so that they collide

  static let names = ["a", "a.b", "a.c", "a.b.c", "b", "b.c", "flag", "text"].map { try! StoreName($0) }
  static let patterns = ["a", "a.b", "a.*", "**", "*", "b.**", "**.c", "flag", "absent", "*.*.c"].map {
    try! NamePattern($0)
  }

  mutating func name() -> StoreName { pick(Input.names) }

  mutating func value(for name: StoreName) -> Value {
    switch name.text {
    case "flag": .boolean(chance())
    case "text": .string(String(repeating: "x", count: below(60)))
    default: .integer(Int64(below(15)) - 4)
    }
  }

  mutating func operation(isAnybody: Bool = true) -> WriteOperation {
    let name = name()
    let store = StoreReference.name(name)
    switch below(12) {
    case 0...3:
      var lifetime = Lifetime.permanent
      if isAnybody, chance(4) { lifetime.ttl = UInt64(1 + below(5)) }
      if isAnybody, chance(6) { lifetime = Lifetime(ephemeral: true) }
      return .set(store, value(for: name), lifetime: lifetime, force: chance(8))
    case 4: return .add(store, .integer(Int64(below(11)) - 5), clamp: chance())
    case 5: return .toggle(store)
    case 6: return .reset(store)
    case 7, 8: return .remove(store)
    case 9:
      let isBounded = name.text == "a.c"
      return .create(
        name,
        Schema(
          type: value(for: name).type, minimum: isBounded ? .integer(-3) : nil,
          maximum: isBounded ? .integer(9) : nil, durability: pick([nil, .volatile, .synced]),
          description: pick(["", "one", "two"])),
        ifAbsent: chance())
    default:
      return .set(
        store, value(for: name),
        condition: WriteCondition(
          revision: chance() ? UInt64(below(40)) : nil, value: chance() ? value(for: name) : nil,
          absent: chance(3)))
    }
  }

  mutating func watch() -> Request {
    .watch(
      chance(3) ? [pick(Input.patterns), pick(Input.patterns)] : [pick(Input.patterns)],
      policy: chance() ? .every : .latest, schemas: chance(3))
  }

  mutating func reading() -> Request {
    switch below(6) {
    case 0: .get(.name(name()))
    case 1: .describe(.name(name()))
    case 2: .list(pick(Input.patterns), limit: UInt32(1 + below(5)))
    case 3: .clients(limit: UInt32(1 + below(3)))
    case 4: .stats
    default: .ping
    }
  }
}

extension StoreReference {
  /// Histories name stores, and never number them.
  var label: String {
    switch self {
    case .name(let name): name.text
    case .id(let id): "store \(id)"
    }
  }
}
