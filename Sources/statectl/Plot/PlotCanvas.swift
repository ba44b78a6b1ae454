// Dots in braille characters: two in a character's width, four in its height.

struct PlotCanvas {
  let columns: Int
  let rows: Int
  private var cells: [UInt32]

  /// The bits of a character's dots: its left column from the top, then its right one.
  private static let dots: [[UInt32]] = [[0x01, 0x02, 0x04, 0x40], [0x08, 0x10, 0x20, 0x80]]
  private static let blank: UInt32 = 0x2800

  init(columns: Int, rows: Int) {
    self.columns = columns
    self.rows = rows
    cells = [UInt32](repeating: 0, count: columns * rows)
  }

  /// How many dots lie side by side.
  var width: Int { columns * 2 }
  /// How many lie one above the other.
  var height: Int { rows * 4 }

  /// Draws a line down a column of dots; the lowest dot is 0.
  mutating func draw(_ x: Int, _ dots: ClosedRange<Int>) {
    for dot in dots.clamped(to: 0...height - 1) {
      let y = height - 1 - dot
      cells[y / 4 * columns + x / 2] |= PlotCanvas.dots[x % 2][y % 4]
    }
  }

  /// A column of dots for each range. A span of no height lies in the middle.
  mutating func draw(_ ranges: [ClosedRange<Double>?], in span: ClosedRange<Double>) {
    let height = Double(height - 1)
    let size = span.upperBound - span.lowerBound
    func dot(_ value: Double) -> Int {
      Int((size > 0 ? (value - span.lowerBound) / size * height : height / 2).rounded())
    }
    for (x, range) in ranges.enumerated() {
      if let range { draw(x, dot(range.lowerBound)...dot(range.upperBound)) }
    }
  }

  var lines: [String] {
    (0..<rows).map { row in
      var line = ""
      for cell in cells[row * columns..<(row + 1) * columns] {
        if cell == 0 {
          line += " "
        } else if let dots = Unicode.Scalar(PlotCanvas.blank + cell) {
          line.unicodeScalars.append(dots)
        }
      }
      return line
    }
  }
}
