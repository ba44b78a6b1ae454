// Whether bytes are JSON according to RFC 8259. Foundation's decoder accepts more than that, and the hub does not.

struct JSONScanner {
  private let bytes: [UInt8]
  private var index = 0

  private struct Refusal: Error {}

  /// The hub does not accept deeper documents, either.
  private static let deepest = 128

  static func accepts(_ bytes: some Sequence<UInt8>) -> Bool {
    var scanner = JSONScanner(bytes: Array(bytes))
    do {
      try scanner.value(depth: 0)
      return scanner.index == scanner.bytes.count
    } catch {
      return false
    }
  }

  private var next: UInt8? { index < bytes.count ? bytes[index] : nil }

  private mutating func take(_ byte: Character) throws(Refusal) {
    guard next == byte.asciiValue else { throw Refusal() }
    index += 1
  }

  private mutating func takes(_ byte: Character) -> Bool {
    guard next == byte.asciiValue else { return false }
    index += 1
    return true
  }

  private mutating func space() {
    while let byte = next, [32, 9, 10, 13].contains(byte) { index += 1 }
  }

  /// A value with the space around it.
  private mutating func value(depth: Int) throws(Refusal) {
    if depth > JSONScanner.deepest { throw Refusal() }
    space()
    if takes("{") {
      space()
      if !takes("}") {
        repeat {
          space()
          try string()
          space()
          try take(":")
          try value(depth: depth + 1)
        } while takes(",")
        try take("}")
      }
    } else if takes("[") {
      space()
      if !takes("]") {
        repeat { try value(depth: depth + 1) } while takes(",")
        try take("]")
      }
    } else if next == Character("\"").asciiValue {
      try string()
    } else if !takes(word: "true"), !takes(word: "false"), !takes(word: "null") {
      try number()
    }
    space()
  }

  private mutating func takes(word: String) -> Bool {
    guard bytes[index...].starts(with: word.utf8) else { return false }
    index += word.utf8.count
    return true
  }

  private mutating func string() throws(Refusal) {
    try take("\"")
    while let byte = next, byte != Character("\"").asciiValue {
      if byte < 0x20 { throw Refusal() }
      index += 1
      guard byte == Character("\\").asciiValue else { continue }
      guard let escaped = next else { throw Refusal() }
      index += 1
      if escaped == Character("u").asciiValue {
        for _ in 0..<4 { try digit { UInt8(ascii: "a")...UInt8(ascii: "f") ~= $0 | 0x20 } }
      } else if !"\"\\/bfnrt".utf8.contains(escaped) {
        throw Refusal()
      }
    }
    try take("\"")
  }

  private mutating func number() throws(Refusal) {
    _ = takes("-")
    if !takes("0") { try digits() }
    if takes(".") { try digits() }
    if takes("e") || takes("E") {
      if !takes("+") { _ = takes("-") }
      try digits()
    }
  }

  private mutating func digits() throws(Refusal) {
    try digit { _ in false }
    while let byte = next, UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte { index += 1 }
  }

  private mutating func digit(_ orOther: (UInt8) -> Bool) throws(Refusal) {
    guard let byte = next, UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte || orOther(byte) else {
      throw Refusal()
    }
    index += 1
  }
}
