// Reads docs/protocol*.md and docs/vectors/dumps.md as one text: hex dumps by name, tables by heading. It judges nothing.

import TestSupport

struct ProtocolPage {
  struct Dump {
    var name: String
    var bytes: [UInt8] = []
    /// Where it begins in the joined text.
    var line: Int
  }

  private(set) var dumps: [Dump] = []
  /// Parts of the pages that cannot be parsed.
  private(set) var problems: [String] = []
  private let lines: [Substring]

  static let names = [
    "protocol", "protocol-requests", "protocol-watching", "protocol-providing", "protocol-errors",
    "vectors/dumps",
  ]

  init() throws {
    self.init(text: Self.names.map { readFile("\(checkout)/docs/\($0).md") }.joined())
  }

  init(text: String) {
    lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    var isInBlock = false
    var dump: Dump?
    for (index, line) in lines.enumerated() {
      if line.hasPrefix("```") {
        if let dump { dumps.append(dump) }
        dump = nil
        isInBlock.toggle()
        if isInBlock, line.hasPrefix("```hex") {
          dump = Dump(name: String(line.dropFirst(6).drop { $0 == " " }), line: index + 1)
        }
      } else if dump != nil {
        for word in line.prefix(while: { $0 != ";" }).split(separator: " ") {
          if word.utf8.count == 2, let byte = UInt8(word, radix: 16) {
            dump!.bytes.append(byte)
          } else {
            problems.append("line \(index + 1): \(word) is no byte")
          }
        }
      }
    }
    if isInBlock { problems.append("the last block is not closed") }
    let names = Dictionary(grouping: dumps, by: \.name)
    problems += names.filter { $1.count > 1 || $0.isEmpty }.map { "\($1.count) dumps are named \"\($0)\"" }
  }

  /// The rows of the table that begins with this line, without its two heading lines: cells without backticks.
  func rows(under heading: String) -> [[String]] {
    guard let start = lines.firstIndex(where: { $0 == heading }) else { return [] }
    return lines[(start + 2)...].prefix { $0.hasPrefix("|") }.map { line in
      line.split(separator: "|").map { cell in
        String(cell.filter { $0 != "`" }.drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
      }
    }
  }

  /// First column (a number, also as 0x..) to second column.
  func numbered(under heading: String) -> [Int: String] {
    var names: [Int: String] = [:]
    for row in rows(under: heading) {
      let isHex = row[0].hasPrefix("0x")
      guard let number = Int(isHex ? String(row[0].dropFirst(2)) : row[0], radix: isHex ? 16 : 10) else {
        continue
      }
      names[number] = row[1]
    }
    return names
  }
}
