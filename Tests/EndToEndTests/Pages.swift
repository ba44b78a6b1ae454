// The pages as tests read them: their blocks of code, with language and line.

import TestSupport

struct PageBlock {
  let page: String
  /// Where its first line stands.
  let line: Int
  /// The `##` heading above it, empty if there is none.
  var section = ""
  let language: String
  let lines: [String]

  var text: String { lines.joined(separator: "\n") }

  /// A command behind a prompt, with the output below it.
  struct Step {
    var command: String
    var output = ""
    var line: Int
  }

  /// What a transcript shows. Lines before the first prompt belong to no step.
  var steps: [Step] {
    var steps: [Step] = []
    for (index, text) in lines.enumerated() {
      if text.hasPrefix("$ ") {
        steps.append(Step(command: String(text.dropFirst(2)), line: line + index))
      } else if !steps.isEmpty {
        steps[steps.count - 1].output += text + "\n"
      }
    }
    return steps
  }

  /// All blocks of a page, whatever the language.
  static func all(of page: String) -> [PageBlock] {
    var blocks: [PageBlock] = []
    var open: (line: Int, language: String, lines: [String])?
    var section = ""
    let text = readFile("\(FixturePackage.root)/\(page)")
    for (number, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
      guard line.hasPrefix("```") else {
        open?.lines.append(String(line))
        if open == nil, line.hasPrefix("## ") { section = String(line.dropFirst(3)) }
        continue
      }
      if let block = open {
        blocks.append(
          PageBlock(
            page: page, line: block.line, section: section, language: block.language, lines: block.lines))
        open = nil
      } else {
        open = (number + 2, String(line.dropFirst(3)), [])
      }
    }
    return blocks
  }
}
