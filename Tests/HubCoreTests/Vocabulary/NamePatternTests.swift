// Patterns over store names, compared with the simplest matcher that could be right.

import HubCore
import TestSupport
import Testing

@Suite struct NamePatternTests {
  /// By definition: `**` takes any number of components, `*` takes one, a literal takes its equal.
  private static func naive(_ pattern: ArraySlice<Substring>, _ name: ArraySlice<Substring>) -> Bool {
    guard let first = pattern.first else { return name.isEmpty }
    if first == "**" {
      return (0...name.count).contains { naive(pattern.dropFirst(), name.dropFirst($0)) }
    }
    guard let component = name.first, first == "*" || first == component else { return false }
    return naive(pattern.dropFirst(), name.dropFirst())
  }

  private static func naive(_ pattern: String, _ name: String) -> Bool {
    naive(pattern.split(separator: ".")[...], name.split(separator: ".")[...])
  }

  /// Every text of 1 to `count` components.
  private static func texts(of components: [String], upTo count: Int) -> [String] {
    var all = components
    var last = components
    for _ in 1..<count {
      last = last.flatMap { head in components.map { "\(head).\($0)" } }
      all += last
    }
    return all
  }

  @Test("every short pattern matches exactly the short names that the definition says")
  func exhaustive() throws {
    let names = try Self.texts(of: ["a", "b"], upTo: 5).map { try StoreName($0) }
    for text in Self.texts(of: ["a", "b", "*", "**"], upTo: 4) {
      let pattern = try NamePattern(text)
      for name in names where pattern.matches(name) != Self.naive(text, name.text) {
        Issue.record("\(text) against \(name): \(pattern.matches(name))")
      }
    }
  }

  @Test("long patterns with many wildcards match as the definition says", .blocking, arguments: UInt64(0)..<8)
  func random(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    func text(_ parts: [String], _ count: ClosedRange<Int>) -> String {
      (0..<Int.random(in: count, using: &random)).map { _ in parts.randomElement(using: &random)! }
        .joined(separator: ".")
    }
    var matches = 0
    for _ in 0..<3000 {
      let pattern = text(["a", "ab", "b", "*", "**", "**"], 1...8)
      let name = text(["a", "ab", "b"], 1...10)
      let expected = Self.naive(pattern, name)
      #expect(try NamePattern(pattern).matches(StoreName(name)) == expected, "\(pattern) against \(name)")
      matches += expected ? 1 : 0
    }
    #expect(matches > 300, "the test has to see both answers")
  }

  @Test(
    "a component is compared whole",
    arguments: [("audio", "audiox"), ("audiox", "audio"), ("a.b", "ab"), ("*", "a.b"), ("a.*", "a")])
  func wholeComponents(_ pattern: String, _ name: String) throws {
    #expect(try !NamePattern(pattern).matches(StoreName(name)))
  }

  @Test("many ** over a long name are answered at once")
  func manyWildcards() throws {
    let pattern = try NamePattern((0..<50).map { _ in "**.a" }.joined(separator: ".") + ".b")
    #expect(try !pattern.matches(StoreName((0..<127).map { _ in "a" }.joined(separator: "."))))
  }

  @Test("** matches every name, a plain name only itself")
  func extremes() throws {
    let name = try StoreName("audio.volume")
    #expect(NamePattern.everything.matches(name))
    #expect(try NamePattern("**").matches(name))
    #expect(try NamePattern("audio.volume").matches(name))
    #expect(try NamePattern("audio.volume").isLiteral)
    #expect(try !NamePattern("audio.*").isLiteral)
    #expect(!NamePattern.everything.isLiteral)
  }

  @Test(
    "a text that is not a pattern is refused with a reason that names the text",
    arguments: ["", ".", "a.", ".a", "a..b", "a*", "*a", "***", "a.b*.c", "é", "a b", "?", "[a]"])
  func invalid(_ text: String) {
    let error = #expect(throws: HubError.self) { try NamePattern(text) }
    #expect(error?.code == .invalidPattern)
    #expect(error?.store == text)
  }

  @Test("a pattern has at most 255 bytes")
  func length() throws {
    #expect(throws: Never.self) { try NamePattern(String(repeating: "p", count: 255)) }
    #expect(throws: HubError.self) { try NamePattern(String(repeating: "p", count: 256)) }
  }
}
