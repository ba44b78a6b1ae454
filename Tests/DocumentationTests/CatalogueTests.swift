// Every block of Swift in the DocC catalogues is code that is compiled and run: by this folder, or as part of a package
// that depends on this one.

import FoundationEssentials
import TestSupport
import Testing

@Suite("The catalogues")
struct CatalogueTests {
  static let pages = ["HubClient", "HubReducers", "HubReducersTesting"].flatMap { module in
    files(in: "Sources/\(module)/\(module).docc", ending: ".md")
  }

  /// The files of this folder, and of the package that depends on this one, each as its lines.
  private static let snippets =
    ([
      "Tests/DocumentationTests", "\(fixture)", "\(fixture)/Sources/CounterFeature",
      "\(fixture)/Tests/CounterTests", "\(fixture)/Tests/CounterXCTests",
    ]
    .flatMap { files(in: $0, ending: ".swift") }).map(lines)

  /// It is built, and its tests are run, by the end-to-end tests.
  private static let fixture = "Tests/Fixtures/DependsOnStatehub"

  private static func files(in folder: String, ending: String) -> [String] {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: "\(checkout)/\(folder)")) ?? []
    return names.filter { $0.hasSuffix(ending) }.sorted().map { "\(folder)/\($0)" }
  }

  private static func lines(of file: String) -> [Substring] {
    readFile("\(checkout)/\(file)").split(separator: "\n", omittingEmptySubsequences: false)
  }

  @Test("show Swift that is compiled, word for word", arguments: pages)
  func blocks(page: String) {
    for block in Block.all(in: Self.lines(of: page)) {
      switch block.language {
      case "swift":
        #expect(
          Self.snippets.contains { block.occurs(in: $0) },
          "\(page):\(block.line): no file that is compiled has these lines")
      case "console": continue
      default: Issue.record("\(page):\(block.line): a block of code says what it is: swift or console")
      }
    }
  }

  @Test("and the README show a feature that is compiled")
  func readMe() throws {
    let blocks = Block.all(in: Self.lines(of: "README.md"))
    let feature = try #require(blocks.first { $0.lines.contains { $0.contains(".subscribe(") } })
    #expect(Self.snippets.contains { feature.occurs(in: $0) })
  }

  @Test("are all there, with code in each of them")
  func complete() {
    #expect(Self.pages.count >= 8)
    for module in ["HubClient", "HubReducers", "HubReducersTesting"] {
      let blocks = Self.pages.filter { $0.contains("/\(module).docc/") }
        .flatMap { Block.all(in: Self.lines(of: $0)) }
      #expect(blocks.contains { $0.language == "swift" }, "\(module) shows no code")
    }
  }

  @Test("a block is found if all its lines are there in a row, indented alike, and not otherwise")
  func matching() {
    let code: [Substring] = ["  struct A {", "", "    let b: Int", "  }"]
    func isFound(_ lines: Substring...) -> Bool {
      Block(language: "swift", line: 1, lines: lines).occurs(in: code)
    }
    #expect(isFound("struct A {", "", "  let b: Int", "}"))
    #expect(isFound("let b: Int"))
    #expect(!isFound("struct A {", "  let b: Int", "}"))
    #expect(!isFound("struct A {", "", "let b: Int", "}"))
    #expect(!isFound("let b: Int", "}", "}"))
    #expect(!isFound())
  }
}

/// A block of code on a page.
struct Block {
  var language: Substring
  /// Where it begins, counted from 1.
  var line: Int
  var lines: [Substring]

  static func all(in page: [Substring]) -> [Block] {
    var blocks: [Block] = []
    var open: Block?
    for (index, line) in page.enumerated() {
      if let block = open, line == "```" {
        blocks.append(block)
        open = nil
      } else if open != nil {
        open?.lines.append(line)
      } else if line.hasPrefix("```") {
        open = Block(language: line.dropFirst(3), line: index + 1, lines: [])
      }
    }
    return blocks
  }

  /// Whether the lines stand in a row in `code`, all of them further to the right by the same number of spaces.
  func occurs(in code: [Substring]) -> Bool {
    guard let first = lines.first, lines.count <= code.count else { return false }
    return (0...(code.count - lines.count)).contains { start in
      let margin = code[start].count - first.count
      guard margin >= 0 else { return false }
      let indentation = String(repeating: " ", count: margin)
      return zip(lines, code[start...]).allSatisfy { $1 == ($0.isEmpty ? "" : indentation + $0) }
    }
  }
}
