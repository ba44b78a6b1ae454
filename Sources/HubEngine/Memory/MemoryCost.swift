// What is charged to a user's account: slightly more than the actual memory, so that the limits bound the hub's memory.
//
// `MemoryFormulaTests` compares it with the memory of real hubs.

import HubCore

/// In bytes.
enum MemoryCost {
  /// A store without its name, its schema's texts and a long value: its record, its places in the tables that find it by
  /// name, by order of names and by order of changes, its membership in `**`, and its lifetime.
  static let store = 512
  /// A watch, as one of its session's and one of its pattern's.
  static let watch = 128
  /// A pattern without its text, as its users share it.
  static let pattern = 512
  /// Of a pattern: its node in the tree, and the component itself.
  static let component = 176
  /// A store that matches a pattern: the membership, and its places in the order of changes, of which half may be stale.
  static let membership = 96
  /// The filter of a session's watches, and its slot among the resting ones.
  static let filter = 256
  /// What a session's filter keeps about the last value that it was sent.
  static let sentValue = 96
  /// What a session with a deadline keeps about a store, its alarm, and what is kept about the store for all such sessions.
  static let deadline = 384
  /// A list that takes several steps, with its page.
  static let list = 256 << 10
  /// A connection: 2 KiB of the hub's, up to 8.5 KiB in a small send buffer, and the kernel's records of it. The first few of a
  /// user count nothing, so that a user at the limit can still remove something.
  static let connection = 16 << 10
  static let freeConnections = 8
  /// Of an array, a string or a block that is allocated.
  static let allocation = 48

  /// A store without its value.
  static func store(_ nameLength: Int, _ schema: Schema) -> Int { store(nameLength) + schema.memory }
  /// The same without its schema.
  static func store(_ nameLength: Int) -> Int { store + nameLength }

  /// What its users share of a pattern.
  static func pattern(_ pattern: NamePattern) -> Int {
    self.pattern + component * pattern.components.count + 4 * pattern.text.utf8.count
  }

  /// Watches of these patterns, if no one else uses them.
  static func watches(_ patterns: [String]) -> Int {
    var sum = (watch + pattern + component) * patterns.count
    for var text in patterns {
      // Counts the dots in the bytes, several at a time, which an iteration over the string's characters would not do.
      sum += text.withUTF8 { bytes in
        4 * bytes.count + component * bytes.reduce(0) { $0 &+ ($1 == UInt8(ascii: ".") ? 1 : 0) }
      }
    }
    return sum
  }

  /// A filter's condition, once for the session, and for each of its watches the group that it may lead.
  static func condition(_ condition: WatchCondition, watches: Int) -> Int {
    condition.encodedLength + (allocation + 24) * condition.operands.count + 256 * watches
  }

  /// A watch that takes several steps: its texts until it has begun.
  static func request(_ frame: FrameView) -> Int { 8 * frame.bytes.count }
}

extension Value {
  /// The memory that it takes besides its own slot.
  fileprivate var memory: Int {
    switch self {
    case .integer, .double, .boolean: 0
    case .string(let text), .json(let text): Self.memory(of: text)
    case .data(let bytes): MemoryCost.allocation + bytes.count
    }
  }

  /// A text of up to 15 bytes is where it is named.
  fileprivate static func memory(of text: String) -> Int {
    text.utf8.count > 15 ? MemoryCost.allocation + text.utf8.count : 0
  }
}

extension Schema {
  /// The memory that it takes besides its own slot, in bytes.
  var memory: Int {
    var sum = description.isEmpty ? 0 : Value.memory(of: description)
    if let initial { sum += initial.memory }
    if let minimum { sum += minimum.memory }
    if let maximum { sum += maximum.memory }
    if choices.isEmpty { return sum }
    // The choices are also in a set, each with its bytes.
    sum +=
      MemoryCost.allocation + choices.count * (2 * MemoryLayout<Value>.stride + 2 * MemoryCost.allocation)
    for choice in choices { sum += choice.memory }
    return sum
  }
}
