// Human-readable tables: a heading, and columns as wide as they need to be.

struct Columns {
  private var rows: [[String]]
  private var widths: [Int]

  init(_ heading: String...) {
    rows = [heading]
    widths = [Int](repeating: 0, count: heading.count)
  }

  mutating func add(_ row: String...) { rows.append(row) }

  /// The lines so far, the last column unpadded. Later ones are at least as wide. Widths count Unicode scalars.
  mutating func takeLines() -> [String] {
    for row in rows {
      for (column, cell) in row.enumerated() {
        widths[column] = max(widths[column], cell.unicodeScalars.count)
      }
    }
    defer { rows.removeAll(keepingCapacity: true) }
    return rows.map { row in
      var line = ""
      for (column, cell) in row.enumerated() {
        line += cell
        guard column < row.count - 1 else { continue }
        line += String(repeating: " ", count: widths[column] - cell.unicodeScalars.count + 2)
      }
      return line
    }
  }
}
