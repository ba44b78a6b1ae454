// The pages as tests read them: their blocks of code, with language and line.

import TestSupport

struct PageBlock {
  let page: String
  /// Where its first line stands.
  let line: Int
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
    let text = readFile("\(checkout)/\(page)")
    for (number, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
      guard line.hasPrefix("```") else {
        open?.lines.append(String(line))
        continue
      }
      if let block = open {
        blocks.append(PageBlock(page: page, line: block.line, language: block.language, lines: block.lines))
        open = nil
      } else {
        open = (number + 2, String(line.dropFirst(3)), [])
      }
    }
    return blocks
  }
}

/// A heading of a page, with the blocks below it up to the next one.
struct PageSection {
  let heading: String
  /// 1 for the page's title.
  let level: Int
  let line: Int
  var blocks: [PageBlock]

  var steps: [PageBlock.Step] { blocks.filter { $0.language == "console" }.flatMap(\.steps) }

  /// Everything that is shown as printed: the output of the transcripts, and what stands alone.
  var shown: String {
    steps.map(\.output).joined() + blocks.filter { $0.language == "text" }.map(\.text).joined(separator: "\n")
  }

  static func all(of page: String) -> [PageSection] {
    let blocks = PageBlock.all(of: page)
    let code = blocks.map { $0.line..<($0.line + $0.lines.count) }
    var sections: [PageSection] = []
    let text = readFile("\(checkout)/\(page)")
    for (number, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
      guard line.contains(/^#+\s/), !code.contains(where: { $0.contains(number + 1) }) else { continue }
      sections.append(
        PageSection(
          heading: String(line.drop { $0 == "#" }.dropFirst()), level: line.prefix { $0 == "#" }.count,
          line: number + 1, blocks: []))
    }
    for block in blocks {
      guard let index = sections.lastIndex(where: { $0.line < block.line }) else { continue }
      sections[index].blocks.append(block)
    }
    return sections
  }
}
