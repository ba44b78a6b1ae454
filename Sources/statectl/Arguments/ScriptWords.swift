// Splits a line of a script into words, as a shell does: quotes, backslashes, comments. It expands nothing.

enum ScriptWords {
  /// - Throws: `usage` if a quote is not closed.
  static func split(_ line: ArraySlice<UInt8>) throws(Failure) -> [Argument] {
    var words: [Argument] = []
    var word: [UInt8]?
    var rest = line
    while let byte = rest.popFirst() {
      switch byte {
      case UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\r"):
        if let whole = word { words.append(Argument(bytes: whole)) }
        word = nil
      case UInt8(ascii: "#") where word == nil: return words
      case UInt8(ascii: "'"), UInt8(ascii: "\""):
        word = (word ?? []) + (try quoted(by: byte, &rest))
      case UInt8(ascii: "\\"):
        guard let next = rest.popFirst() else { throw .usage("a backslash ends the line") }
        word = (word ?? []) + [next]
      default: word = (word ?? []) + [byte]
      }
    }
    if let word { words.append(Argument(bytes: word)) }
    return words
  }

  /// Between double quotes a backslash keeps a quote or a backslash; between single quotes it is itself.
  private static func quoted(by quote: UInt8, _ rest: inout ArraySlice<UInt8>) throws(Failure) -> [UInt8] {
    var text: [UInt8] = []
    while let byte = rest.popFirst() {
      if byte == quote { return text }
      if byte == UInt8(ascii: "\\"), quote == UInt8(ascii: "\""), let next = rest.first,
        next == quote || next == byte
      {
        text.append(next)
        rest.removeFirst()
      } else {
        text.append(byte)
      }
    }
    throw .usage("a quote is not closed")
  }
}
