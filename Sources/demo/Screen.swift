// The demonstration's output: unbuffered lines, and rows with a column for each subscriber process.

import HubSystem

enum Screen {
  /// Writes a line to standard output; lines are short, and the pipe or terminal takes one in one piece. False: the reader
  /// has closed it.
  static func say(_ line: String) -> Bool { StandardStream.output.write(line + "\n") }

  static func complain(_ line: String) { StandardStream.error.write(line + "\n") }

  /// Like `say`, but a closed output is a failure.
  static func show(_ line: String) throws(Failure) {
    guard say(line) else { throw Failure("cannot write to standard output") }
  }

  /// What happened, and what each process saw of it.
  static func row(_ step: String, _ cells: [String]) throws(Failure) {
    var line = pad(step, 27)
    for cell in cells { line += pad(cell, 24) }
    while line.last == " " { line.removeLast() }
    try show(line)
  }

  private static func pad(_ text: String, _ width: Int) -> String {
    text + String(repeating: " ", count: max(1, width - text.count))
  }
}
