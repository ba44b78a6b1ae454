// The terminal while a live view has it: another screen, no cursor, each key at once, signals. It is given back with this value.

internal import HubCore
internal import HubSystem
internal import HubTransport

struct LiveScreen: ~Copyable {
  private let signals: SignalDescriptor
  private var terminal: LiveTerminal?

  private static let signals: [Signal] = [
    .hangUp, .interrupt, .quit, .terminate, .terminalStop, .windowChanged,
  ]

  /// - Throws: `system` if it is no terminal.
  init() throws(Failure) {
    let signals = try SystemError.attempt(try SignalDescriptor(unlessIgnored: LiveScreen.signals)) {
      Failure.system("cannot await signals", $0)
    }
    let terminal: LiveTerminal? = try LiveTerminal()
    self.signals = signals
    self.terminal = terminal
  }

  /// Whether there is a terminal to look at and to press keys on, and it can place what is written.
  static func isPossible(_ output: borrowing Output) -> Bool {
    output.isTerminal && StandardStream.input.isTerminal && Environment["TERM"] != "dumb"
  }

  var size: (rows: Int, columns: Int) { StandardStream.output.size ?? (rows: 24, columns: 80) }

  func show(_ lines: [String]) {
    StandardStream.output.writeAll(
      "\u{1B}[H" + lines.map { ValueText.visible($0) }.joined(separator: "\u{1B}[K\r\n") + "\u{1B}[K\u{1B}[J")
  }

  /// Waits for keys, until `due` at the latest. A stop by the terminal is carried out here.
  ///
  /// - Returns: what was pressed; nil if nothing more can be.
  /// - Throws: `status` if a signal ends the program.
  mutating func keys(until due: Deadline) throws(Failure) -> [UInt8]? {
    let ready = Poll.wait(
      [(StandardStream.input.raw, .reading), (signals.raw, .reading)], milliseconds: due.pollTimeout())
    while let signal = signals.next() {
      if signal == .terminalStop {
        terminal = nil
        Signal.stopHere()
        terminal = try LiveTerminal()
      } else if signal != .windowChanged {
        throw .status(128 + signal.number)
      }
    }
    guard ready[0].isReady else { return [] }
    let typed = Descriptor.readOnce(StandardStream.input.raw, limit: 64)
    return typed.isEmpty ? nil : typed
  }
}

/// What is given back to the terminal.
struct LiveTerminal: ~Copyable {
  private let keys: KeyMode

  init() throws(Failure) {
    keys = try SystemError.attempt(try KeyMode(StandardStream.input.raw)) {
      Failure.system("cannot use the terminal", $0)
    }
    StandardStream.output.writeAll("\u{1B}[?1049h\u{1B}[?25l")
  }

  deinit { StandardStream.output.writeAll("\u{1B}[?25h\u{1B}[?1049l") }
}
