// Owns that docs/configuration.md is true: its examples, its errors, and every key, default and range.

import HubCore
import HubEngine
import TestSupport
import Testing

@testable import HubServer

struct ConfigurationPageTests {
  private let page: Page

  init() throws {
    page = try Page()
  }

  @Test("the example is a valid configuration that declares what it shows")
  func example() throws {
    let configuration = try read(page.block("json5", under: "## Example"))
    #expect(configuration.engine.requiresDeclaration)
    #expect(configuration.logLevel == .warning)
    #expect(configuration.maxClients == 200)
    #expect(configuration.declarations.count == 6)
    #expect(Set(configuration.declarations.map(\.schema.type)) == Set(ValueType.allCases))
  }

  @Test(
    "the example, cut short or robbed of a byte anywhere, is read without a crash, and errors lie in the file"
  )
  func damage() throws {
    let text = Array(try page.block("json5", under: "## Example").utf8)
    let lines = text.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).count
    for place in text.indices {
      let cut = Array(text[..<place])
      var options = standard
      let error = #expect(throws: ConfigurationError.self) {
        try options.configure(parsing: cut.span, file: "cut.json5")
      }
      #expect(options == standard)
      expectPlaces(of: error, in: 1...lines)
      var robbed = text
      robbed.remove(at: place)
      do {
        try options.configure(parsing: robbed.span, file: "robbed.json5")
      } catch {
        expectPlaces(of: error, in: 1...lines)
      }
    }
  }

  private func expectPlaces(of error: ConfigurationError?, in lines: ClosedRange<Int>) {
    let problems = error?.problems ?? []
    #expect(!problems.isEmpty && problems.allSatisfy { lines ~= $0.position.line })
  }

  @Test("the example of mistakes is answered with the errors that the page shows")
  func errors() throws {
    let text = try page.block("json5", under: "## Errors")
    let error = #expect(throws: ConfigurationError.self) { try read(text) }
    #expect(try error?.description == page.block("", under: "## Errors"))
  }

  @Test("the tables list every key and no other")
  func keys() throws {
    #expect(try page.rows(under: "## Settings").flatMap(\.keys) == Setting.keys)
    #expect(try page.rows(under: "## Stores").flatMap(\.keys) == Page.storeKeys)
  }

  @Test("the settings that wait for the next start are those that the page names")
  func waiting() throws {
    let waiting = Setting.all.filter { if case .waits = $0.onReload { true } else { false } }
    #expect(
      try page.codes(from: "A reload applies all of them except ", to: ":") == waiting.compactMap(\.key)
    )
  }

  @Test("every default that the page gives for a setting is the default")
  func defaults() throws {
    var checked = 0
    for row in try page.rows(under: "## Settings") where row.isDefaultLiteral {
      #expect(try read("{ \(row.keys[0]): \(row.standard.code[0]) }") == standard, "\(row.keys[0])")
      checked += 1
    }
    #expect(checked == 20)
  }

  @Test("every range that the page gives is accepted up to its ends, and not beyond")
  func ranges() throws {
    let settings = try page.rows(under: "## Settings").map { ($0, "{ KEY: VALUE }") }
    let rules = try page.rows(under: "## Stores").map {
      ($0, "{ stores: { s: { type: 'data', KEY: VALUE } } }")
    }
    var checked = 0
    for (row, template) in settings + rules {
      guard let range = row.range else { continue }
      func text(_ value: Int) -> String {
        template.replacing("KEY", with: row.keys[0]).replacing("VALUE", with: String(value))
      }
      for value in [range.lowerBound, range.upperBound] {
        #expect(throws: Never.self) { try read(text(value)) }
      }
      for value in [range.lowerBound - 1, range.upperBound + 1] {
        #expect(throws: ConfigurationError.self) { try read(text(value)) }
      }
      checked += 1
    }
    #expect(checked == 13)
  }

  @Test("the words that the page lists for a key are all that there are")
  func words() throws {
    let words = try Dictionary(
      (page.rows(under: "## Settings") + page.rows(under: "## Stores")).map { ($0.keys[0], $0.value.code) },
      uniquingKeysWith: { first, second in first == second ? first : [] })
    func quoted(_ values: [some CustomStringConvertible]) -> [String] { values.map { "\"\($0)\"" } }
    #expect(words["logLevel"] == quoted(LogLevel.allCases))
    #expect(words["durability"] == quoted(Durability.allCases))
    #expect(words["type"] == quoted(ValueType.allCases))
    #expect(words["defaultAccess"] == quoted(DefaultAccess.allCases))
  }
}

/// `docs/configuration.md`, as far as tests read it.
private struct Page {
  private let text: String

  static let storeKeys = StoreKey.words

  init() throws {
    text = readFile("\(checkout)/docs/configuration.md")
  }

  private func section(_ heading: String) throws -> Substring {
    let start = try #require(text.firstRange(of: heading + "\n")).upperBound
    let end = text[start...].firstRange(of: "\n## ")?.lowerBound ?? text.endIndex
    return text[start..<end]
  }

  /// What stands between backquotes in this part of the page.
  func codes(from start: String, to end: String) throws -> [String] {
    let rest = text[try #require(text.firstRange(of: start)).upperBound...]
    return rest[..<(try #require(rest.firstRange(of: end)).lowerBound)].matches(of: /`([^`]+)`/).map {
      String($0.1)
    }
  }

  /// The first block of a section that is fenced as `language`, without its last line break.
  func block(_ language: String, under heading: String) throws -> String {
    let parts = try section(heading).split(separator: "```", omittingEmptySubsequences: false)
    let fenced = stride(from: 1, to: parts.count, by: 2).map { parts[$0] }
    let block = try #require(fenced.first { $0.hasPrefix(language + "\n") })
    return String(block.dropFirst(language.count + 1).dropLast())
  }

  /// The rows of a section's tables that are about keys.
  func rows(under heading: String) throws -> [Row] {
    try section(heading).split(separator: "\n").filter { $0.hasPrefix("| `") }.map { line in
      Row(cells: line.split(separator: "|").map { $0.trimmingPrefix(" ") })
    }
  }

  struct Row {
    let cells: [Substring]

    var keys: [String] { cells[0].code }
    var value: Substring { cells[1] }
    var standard: Substring { cells[2] }

    /// True if the default is one piece of code, and not a sentence.
    var isDefaultLiteral: Bool { standard.split(separator: "`").count == 2 && standard.hasPrefix("`") }

    /// The range in `integer, 1 to 10`.
    var range: ClosedRange<Int>? {
      guard let match = value.firstMatch(of: /integer, (\d+) to (\d+)/),
        let low = Int(match.1), let high = Int(match.2)
      else { return nil }
      return low...high
    }
  }
}

extension Substring {
  /// The text between backquotes.
  fileprivate var code: [String] {
    let parts = split(separator: "`", omittingEmptySubsequences: false)
    return stride(from: 1, to: parts.count, by: 2).map { String(parts[$0]) }
  }
}
