// Owns a position in a text: byte offset, line, column. It is independent of the text's grammar.

/// A position in a UTF-8 text, as an editor shows it.
package struct JSONPosition: Hashable, Sendable, Comparable {
  /// Bytes from the start of the text, from 0.
  package let offset: Int

  /// The line, from 1. A line ends with LF, CR or CR LF.
  package let line: Int

  /// The column, from 1, in characters (Unicode scalar values; a tab is one).
  package let column: Int

  package init(offset: Int, line: Int, column: Int) {
    self.offset = offset
    self.line = line
    self.column = column
  }

  /// The first byte of any text.
  package static let start = JSONPosition(offset: 0, line: 1, column: 1)

  package static func < (left: JSONPosition, right: JSONPosition) -> Bool {
    left.offset < right.offset
  }

  /// The position of a later offset in the same text; costs one pass over the bytes between the two.
  ///
  /// Lines are counted only when a position is needed, so that validation skips it.
  func advanced(to target: Int, in text: Span<UInt8>) -> JSONPosition {
    var line = line
    var column = column
    for index in offset..<target {
      switch text[index] {
      case ASCII.lineFeed where index > 0 && text[index - 1] == ASCII.carriageReturn:
        break  // The second half of a line end that was counted.
      case ASCII.lineFeed, ASCII.carriageReturn:
        line += 1
        column = 1
      case 0x80..<0xC0:
        break  // A continuation byte: its character was counted.
      default:
        column += 1
      }
    }
    return JSONPosition(offset: target, line: line, column: column)
  }
}

extension JSONPosition: CustomStringConvertible {
  package var description: String { "line \(line), column \(column)" }
}
