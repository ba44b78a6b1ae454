// Splits a line of a script into words like a shell: quotes, backslashes, comments. It does not expand anything.

enum ScriptWords {
  /// - Throws: `usage` if a quote is not closed.
  static func split(_ line: ArraySlice<UInt8>) throws(Failure) -> [Argument] {
    var words: [Argument] = []
    // A word may be long, so it grows in place.
    var word: [UInt8] = []
    var isInWord = false
    var rest = line
    while let byte = rest.popFirst() {
      switch byte {
      case UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\r"):
        if isInWord { words.append(Argument(bytes: word)) }
        word.removeAll(keepingCapacity: true)
        isInWord = false
        continue
      case UInt8(ascii: "#") where !isInWord: return words
      case UInt8(ascii: "'"), UInt8(ascii: "\""): word += try quoted(by: byte, &rest)
      case UInt8(ascii: "\\"):
        guard let next = rest.popFirst() else { throw .usage("a backslash ends the line") }
        word.append(next)
      default: word.append(byte)
      }
      isInWord = true
    }
    if isInWord { words.append(Argument(bytes: word)) }
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
