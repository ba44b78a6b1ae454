// Tests that every Swift example in the docstrings of the reducers is compiled: it has to stand, word for word, in
// the file beside this one.

import Foundation
import Testing

@Suite struct DocumentationTests {
  private static let folder = URL(filePath: #filePath).deletingLastPathComponent()
  private static let root = folder.appending(path: "../../..").standardizedFileURL

  /// What is compiled and, where it can be, run.
  private static func compiled() throws -> String {
    try ["DocstringExamples.swift", "DocstringExamplesOfChildren.swift"]
      .map { try String(contentsOf: folder.appending(path: $0), encoding: .utf8) }.joined()
      .filter { !$0.isWhitespace }
  }

  private static func sources(in folder: String) throws -> [URL] {
    let files = FileManager.default.enumerator(
      at: root.appending(path: folder), includingPropertiesForKeys: nil)
    return (files?.compactMap { $0 as? URL } ?? []).filter { $0.pathExtension == "swift" }
  }

  /// The examples in the docstrings of a source.
  private static func examples(in text: String) -> [String] {
    var examples: [String] = []
    var isInside = false
    for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
      let line = line.drop { $0 == " " }
      guard line.hasPrefix("///") else { continue }
      let content = line.dropFirst(3).drop { $0 == " " }
      if content.hasPrefix("```") {
        isInside = content == "```swift"
        if isInside { examples.append("") }
      } else if isInside {
        examples[examples.count - 1] += content + "\n"
      }
    }
    return examples
  }

  /// The paragraphs of an example that are not compiled. Three dots stand for what a reader fills in.
  private static func missing(_ example: String, in compiled: String) -> [String] {
    example.components(separatedBy: "\n\n").flatMap { $0.components(separatedBy: "...") }
      .map { $0.filter { !$0.isWhitespace } }.filter { !compiled.contains($0) }
  }

  @Test(
    "every example in a docstring is compiled",
    arguments: ["Sources/HubReducers", "Sources/HubReducersTesting", "Sources/HubReducersSamples"])
  func docstrings(folder: String) throws {
    let compiled = try Self.compiled()
    var count = 0
    for file in try Self.sources(in: folder) {
      for example in Self.examples(in: try String(contentsOf: file, encoding: .utf8)) {
        count += 1
        #expect(Self.missing(example, in: compiled) == [], "\(file.lastPathComponent):\n\(example)")
      }
    }
    #expect(count >= 2)
  }
}
