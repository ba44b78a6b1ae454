// Tests that the page for those who come from The Composable Architecture agrees with what is public: what it calls the same is
// there, and what it says is missing is not.

import FoundationEssentials
import TestSupport
import Testing

@Suite("The page about coming from The Composable Architecture")
struct MigrationPageTests {
  /// A row of a table: the names on the left, and what is said of them.
  struct Row: CustomTestStringConvertible {
    var names: [String]
    var isMissing: Bool
    var testDescription: String { names.joined(separator: ", ") }
  }

  private static let page = "Sources/HubReducers/HubReducers.docc/Coming-from-The-Composable-Architecture.md"

  static let rows: [Row] = {
    return readFile("\(checkout)/\(page)").split(separator: "\n").compactMap { line in
      let cells = line.split(separator: "|").map { String($0).trimmed }
      guard line.hasPrefix("| "), cells.count > 1, cells[1] == "none" || cells[1].hasPrefix("same") else {
        return nil
      }
      return Row(names: names(in: cells[0]), isMissing: cells[1] == "none")
    }
  }()

  @Test("counts no function twice, and none too few")
  func count() throws {
    let text = readFile("\(checkout)/\(Self.page)")
    let counted = try #require(text.firstMatch(of: #/\*\*(\d+) of (\d+) functions\s+pass/#))
    let failed = text.matches(of: #/\n\| (\d+) \| /#).compactMap { Int($0.1) }
    let sum = failed.reduce(0, +)
    #expect(Int(counted.1).map { $0 + sum } == Int(counted.2), "\(failed)")
  }

  /// The last identifier of each piece of code: `b` of `a.b(c:)`.
  private static func names(in cell: String) -> [String] {
    cell.split(separator: "`", omittingEmptySubsequences: false).enumerated().filter { $0.offset % 2 == 1 }
      .compactMap { _, code in
        let head = code.prefix { $0 != "(" && $0 != " " && $0 != "<" && $0 != "[" }
        return head.split { !$0.isLetter && !$0.isNumber && $0 != "_" }.last.map(String.init)
      }
  }

  /// The names that the libraries declare as public, of the lists that another test holds to the code.
  private static let declared: Set<String> = {
    let pages = ["HubReducers", "HubReducersTesting", "HubReducersSamples"].map {
      readFile("\(checkout)/docs/api/\($0).md")
    }
    let keywords: Set = [
      "struct", "class", "enum", "protocol", "func", "var", "let", "case", "typealias", "macro",
      "associatedtype",
    ]
    var names: Set<String> = []
    for line in pages.joined(separator: "\n").split(separator: "\n") {
      let words = line.split { !$0.isLetter && !$0.isNumber && $0 != "_" }
      for (keyword, name) in zip(words, words.dropFirst()) where keywords.contains(String(keyword)) {
        names.insert(String(name))
      }
    }
    return names
  }()

  @Test("says the truth about every name", arguments: rows)
  func names(row: Row) {
    for name in row.names where !Self.isOfTheLanguage(name) {
      #expect(Self.declared.contains(name) != row.isMissing, "\(name)")
    }
  }

  @Test("has tables")
  func rowCount() {
    #expect(Self.rows.count > 40)
    #expect(Self.rows.contains { $0.isMissing && !$0.names.isEmpty })
  }

  /// What stands in the examples of the page, but is no name of the library, or one that the lists leave out.
  private static func isOfTheLanguage(_ name: String) -> Bool {
    let others: Set = [
      "case", "count", "x", "member", "nested", "optional", "value", "Observations",
      "withObservationTracking",
      "dynamicMemberLookup",
    ]
    return name.hasPrefix("_") || others.contains(name)
  }
}

extension String {
  fileprivate var trimmed: String { String(drop { $0 == " " }.reversed().drop { $0 == " " }.reversed()) }
}
