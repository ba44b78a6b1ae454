// Owns random JSON for tests: trees, spellings of them, and damage; the same seed gives the same texts.

import HubCore
import TestSupport

struct JSONGenerator {
  var random: SeededGenerator

  init(seed: UInt64) {
    random = SeededGenerator(seed: seed)
  }

  /// A tree of at most `depth` levels of containers.
  mutating func value(depth: Int) -> JSONValue {
    switch Int.random(in: 0..<(depth > 0 ? 8 : 5), using: &random) {
    case 0: JSONValue(.null)
    case 1: JSONValue(.boolean(Bool.random(using: &random)))
    case 2:
      JSONValue(.number(JSONNumber(Int64.random(in: .min ... .max, using: &random) >> Int64(count(63)))))
    case 3: JSONValue(.number(double()))
    case 4: JSONValue(.string(string()))
    case 5, 6: JSONValue(.array((0..<count(5)).map { _ in value(depth: depth - 1) }))
    default:
      JSONValue(.object((0..<count(5)).map { JSONMember(string() + "\($0)", value(depth: depth - 1)) }))
    }
  }

  mutating func string() -> String {
    var text = ""
    for _ in 0..<count(20) { text.unicodeScalars.append(scalar()) }
    return text
  }

  /// The text of a tree with random spaces, and with random characters written as escapes.
  mutating func spelling(of value: JSONValue) -> String {
    switch value.content {
    case .null: "null"
    case .boolean(let value): "\(value)"
    case .number(let number): number.text
    case .string(let text): spelling(of: text)
    case .array(let elements):
      "[" + space() + elements.map { spelling(of: $0) + space() }.joined(separator: "," + space()) + "]"
    case .object(let members):
      "{" + space()
        + members.map { spelling(of: $0.key) + space() + ":" + space() + spelling(of: $0.value) + space() }
        .joined(separator: "," + space()) + "}"
    }
  }

  /// `text` with a few of its bytes replaced, removed, doubled or inserted, mostly by bytes that JSON uses.
  mutating func damaged(_ text: [UInt8]) -> [UInt8] {
    let fragments =
      #"{}[],:"'\/*ntru0123456789.eE+-_ufalsex "#.utf8 + [0x00, 0x1F, 0x7F, 0x80, 0xC3, 0xE2, 0xFF]
    var text = text
    for _ in 0...count(3) {
      let place = Int.random(in: 0...text.count, using: &random)
      let byte = fragments.randomElement(using: &random)!
      switch count(3) {
      case 0 where place < text.count: text[place] = byte
      case 1 where place < text.count: text.remove(at: place)
      case 2: text.removeSubrange(place..<min(text.count, place + count(8)))
      default: text.insert(byte, at: place)
      }
    }
    return text
  }

  private mutating func spelling(of text: String) -> String {
    var spelled = "\""
    for scalar in text.unicodeScalars {
      let mustEscape = scalar == "\"" || scalar == "\\" || scalar.value < 0x20
      if mustEscape || count(7) == 0 {
        for unit in String(scalar).utf16 {
          let digits = String(unit, radix: 16, uppercase: Bool.random(using: &random))
          spelled += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
        }
      } else {
        spelled.unicodeScalars.append(scalar)
      }
    }
    return spelled + "\""
  }

  private mutating func scalar() -> Unicode.Scalar {
    let ranges: [ClosedRange<UInt32>] = [0x20...0x7E, 0x20...0x7E, 0...0x1F, 0x7F...0x7FF, 0x800...0x10FFFF]
    while true {
      let value = UInt32.random(in: ranges.randomElement(using: &random)!, using: &random)
      if let scalar = Unicode.Scalar(value) { return scalar }
    }
  }

  private mutating func double() -> JSONNumber {
    while true {
      if let number = JSONNumber(Double(bitPattern: random.next())) { return number }
    }
  }

  private mutating func space() -> String {
    ["", "", "", " ", "\n", "\t", "\r\n  "].randomElement(using: &random)!
  }

  private mutating func count(_ most: Int) -> Int { Int.random(in: 0...most, using: &random) }
}
