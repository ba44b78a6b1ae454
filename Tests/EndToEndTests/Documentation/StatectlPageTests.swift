// What docs/statectl.md says of the verbs, held to their rows. The table of all verbs is made from these.

import Foundation
import TestSupport
import Testing

@testable import statectl

@Suite("The verbs on the page of statectl")
struct StatectlPageTests {
  private static let path = "\(checkout)/docs/statectl.md"
  private static let start = "<!-- made from Sources/statectl/Verbs -->\n"
  private static let end = "<!-- end -->\n"

  /// The anchors of the sections about a verb. A heading names one verb, or several.
  private func anchors(in page: String) -> [String: String] {
    var anchors: [String: String] = [:]
    for line in page.split(separator: "\n") where line.hasPrefix("## ") {
      let verbs = line.dropFirst(3).split(separator: ", ").map(String.init)
      for verb in verbs { anchors[verb] = verbs.joined(separator: "-") }
    }
    return anchors
  }

  private func table(for page: String) -> String {
    let anchors = anchors(in: page)
    let rows = Verb.all.map { verb in
      let usage = verb.operands.isEmpty ? verb.name : "\(verb.name) \(verb.operands)"
      let code = "`\(usage.replacing("|", with: "\\|"))`"
      let cell = anchors[verb.name].map { "[\(code)](#\($0))" } ?? code
      return "| \(cell) | \(verb.summary) |\n"
    }
    return "| verb | does |\n|---|---|\n" + rows.joined()
  }

  @Test("are all in its table, with the words of the help")
  func verbs() throws {
    let page = readFile(Self.path)
    let parts = page.split(separator: Self.start, maxSplits: 1)
    try #require(parts.count == 2)
    let rest = parts[1].split(separator: Self.end, maxSplits: 1)
    try #require(rest.count == 2)
    let text = "\(parts[0])\(Self.start)\n\(table(for: page))\n\(Self.end)\(rest[1])"
    if ProcessInfo.processInfo.environment["STATEHUB_WRITE_PAGES"] != nil {
      try text.write(toFile: Self.path, atomically: true, encoding: .utf8)
    }
    #expect(readFile(Self.path) == text, "write it anew: STATEHUB_WRITE_PAGES=1")
  }

  /// The usage lines of the sections; one may go on in further lines.
  private var usages: [String] {
    PageBlock.all(of: "docs/statectl.md").filter { $0.language.isEmpty }.flatMap { block in
      block.text.replacing("\n ", with: " ").split(separator: "\n").map(String.init)
    }
  }

  @Test("are shown with all their options, and with no others")
  func options() {
    var shown: Set<String> = []
    for usage in usages {
      let words = usage.split { !($0.isLetter || $0.isNumber || $0 == "-") }.map(String.init)
      guard words.count > 1, let verb = Verb.named(words[1]) else { continue }
      shown.insert(verb.name)
      for option in Option.allCases where !Option.global.contains(option) {
        let isTaken = verb.options.contains { $0.spelling == option.spelling }
        #expect(words.contains(option.spelling) == isTaken, "\(usage): \(option.name)")
      }
    }
    #expect(shown.isSuperset(of: Verb.all.filter { !$0.options.isEmpty }.map(\.name)))
  }
}

extension Option {
  /// As a usage line shows it: the short one where there is one.
  fileprivate var spelling: String {
    short.map { "-\(Character(Unicode.Scalar($0)))" } ?? "--\(name)"
  }
}
