// Which names a store can have; the patterns over names have their own file.

import HubCore
import TestSupport
import Testing

@Suite struct StoreNameTests {
  @Test(
    "a name is dot-separated components of letters, digits, _ and -",
    arguments: ["a", "number", "audio.volume", "A-Z_0.9", "-", "_._", "a.b.c.d.e", "0"])
  func valid(_ text: String) throws {
    #expect(try StoreName(text).text == text)
  }

  @Test(
    "a text that is not a name is refused with a reason that names the text",
    arguments: [
      "", ".", "a.", ".a", "a..b", "a b", "a/b", "a*", "*", "**", "é", "a\u{0301}", "a\0", "a\n", "a:b", "日本",
    ])
  func invalid(_ text: String) {
    let error = #expect(throws: HubError.self) { try StoreName(text) }
    #expect(error?.code == .invalidName)
    #expect(error?.store == text)
    #expect(error?.message.isEmpty == false)
  }

  @Test("a name has at most 255 bytes")
  func length() throws {
    #expect(try StoreName(String(repeating: "n", count: 255)).text.utf8.count == 255)
    #expect(throws: HubError.self) { try StoreName(String(repeating: "n", count: 256)) }
    #expect(throws: HubError.self) { try StoreName(String(repeating: "a.", count: 128) + "a") }
  }

  @Test("of all single bytes exactly 64 make a name")
  func bytes() {
    let valid = (UInt8.min...UInt8.max).filter { byte in
      [byte].withByteView { StoreName.problem(in: $0) } == nil
    }
    let expected = Array("-0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz".utf8)
    #expect(valid == expected)
  }

  @Test("names are ordered by their bytes, as lists are")
  func order() throws {
    let texts = ["a-b", "a.b", "a", "B", "a0", "b", "a_b", "aB"]
    let sorted = try texts.map { try StoreName($0) }.sorted().map(\.text)
    #expect(sorted == texts.sorted { Array($0.utf8).lexicographicallyPrecedes(Array($1.utf8)) })
  }

  @Test("statehub and everything under it is reserved, names that merely begin with it are not")
  func reserved() throws {
    for text in ["statehub", "statehub.x", "statehub.a.b"] { #expect(try StoreName(text).isReserved) }
    for text in ["statehubs", "statehub-x", "a.statehub", "Statehub"] {
      #expect(try !StoreName(text).isReserved)
    }
  }

  @Test("any text is a name exactly if the rule says so", arguments: UInt64(0)..<8)
  func rule(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    let alphabet = Array("ab.._-Z9 */é")
    for _ in 0..<2000 {
      let text = String(
        (0..<Int.random(in: 0...7, using: &random)).map { _ in alphabet.randomElement(using: &random)! })
      let components = text.split(separator: ".", omittingEmptySubsequences: false)
      let expected = components.allSatisfy { component in
        !component.isEmpty
          && component.unicodeScalars.allSatisfy { "abZ9_-".unicodeScalars.contains($0) }
      }
      #expect(((try? StoreName(text)) != nil) == expected, "\(text)")
    }
  }
}
