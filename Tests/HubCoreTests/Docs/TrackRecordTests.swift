// docs/internals/track-record.md names the tests for fixed defects: each test must exist, under its suite.

import FoundationEssentials
import TestSupport
import Testing

@Suite struct TrackRecordTests {
  private static let root = #filePath.split(separator: "/").dropLast(4).reduce("") { "\($0)/\($1)" }

  private struct Row {
    var line: Int
    var commit: String
    /// A suite and a title, a file, or why there is none.
    var holder: String

    /// The text between the first two of that mark.
    func part(between mark: Character) -> String? {
      let parts = holder.split(separator: mark, omittingEmptySubsequences: false)
      return parts.count > 2 ? String(parts[1]) : nil
    }
  }

  private func rows() -> [Row] {
    let page = readFile("\(Self.root)/docs/internals/track-record.md")
    let lines = page.split(separator: "\n", omittingEmptySubsequences: false)
    return lines.enumerated().compactMap { index, line in
      let cells = line.split(separator: "|").map { $0.trimmingPrefix(" ") }
      guard line.hasPrefix("| "), cells[0] != "defect " else { return nil }
      guard cells.count == 4 else { return Row(line: index + 1, commit: "", holder: "") }
      return Row(line: index + 1, commit: String(cells[2].dropLast()), holder: String(cells[3]))
    }
  }

  /// The tests' sources by file name.
  private func sources() throws -> [String: String] {
    let folder = "\(Self.root)/Tests"
    var sources: [String: String] = [:]
    for path in try FileManager.default.subpathsOfDirectory(atPath: folder) where path.hasSuffix(".swift") {
      let suite = path.split(separator: "/").last!.dropLast(".swift".count)
      sources[String(suite), default: ""] += readFile("\(folder)/\(path)")
    }
    return sources
  }

  @Test("every test that the track record names exists, and every row names a commit")
  func tests() throws {
    let (rows, sources) = (rows(), try sources())
    #expect(rows.count >= 60)
    for row in rows {
      #expect(row.commit.count == 7 && row.commit.allSatisfy(\.isHexDigit), "line \(row.line): \(row.commit)")
      if row.holder.hasPrefix("none: ") { continue }
      let suite = row.part(between: "`") ?? ""
      if let title = row.part(between: "\"") {
        let exists = sources[suite]?.contains("\"\(title)\"") ?? false
        #expect(exists, "line \(row.line): there is no test \"\(title)\" in \(suite)")
      } else {
        let exists = !suite.isEmpty && FileManager.default.fileExists(atPath: "\(Self.root)/\(suite)")
        #expect(exists, "line \(row.line): there is no \(suite)")
      }
    }
  }
}
