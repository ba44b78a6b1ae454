// Owns the layout of generated source: one line at a time, indented by two spaces.

struct SourceWriter {
  private(set) var text = ""
  private var indentation = 0

  mutating func line(_ line: String) {
    if !text.isEmpty { text += "\n" }
    text += String(repeating: "  ", count: indentation) + line
  }

  /// Writes `head` (none if it is nil), the lines of `body` one step further in, and `tail`.
  mutating func block<E: Error>(
    _ head: String?, tail: String = "}", _ body: (inout SourceWriter) throws(E) -> Void
  ) throws(E) {
    if let head { line(head) }
    indentation += 1
    try body(&self)
    indentation -= 1
    line(tail)
  }
}
