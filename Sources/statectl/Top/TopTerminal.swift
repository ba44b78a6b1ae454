// The terminal while `statectl top` has it: another screen, no cursor, each key at once. It is given back with this value.

internal import HubSystem

struct TopTerminal: ~Copyable {
  private let keys: KeyMode

  /// - Throws: `system` if it is no terminal.
  init() throws(Failure) {
    keys = try SystemError.attempt(try KeyMode(StandardStream.input.raw)) {
      Failure.system("cannot use the terminal", $0)
    }
    StandardStream.output.writeAll("\u{1B}[?1049h\u{1B}[?25l")
  }

  deinit { StandardStream.output.writeAll("\u{1B}[?25h\u{1B}[?1049l") }

  func show(_ lines: [String]) {
    StandardStream.output.writeAll("\u{1B}[H" + lines.joined(separator: "\u{1B}[K\r\n") + "\u{1B}[K\u{1B}[J")
  }
}
