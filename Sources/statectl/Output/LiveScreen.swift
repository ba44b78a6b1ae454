// The terminal during a live view: alternate screen, no cursor, each key at once, signals. It is restored when this
// value ends.

internal import HubCore
internal import HubSystem
internal import HubTransport

struct LiveScreen: ~Copyable {
  private let signals: SignalDescriptor
  private var terminal: LiveTerminal?
  /// See no-color.org.
  private let hasStyles = Environment["NO_COLOR"]?.isEmpty ?? true

  /// - Throws: `system` if it is not a terminal.
  init() throws(Failure) {
    let signals = try SignalDescriptor.ending(.terminalStop, .windowChanged)
    let terminal: LiveTerminal? = try LiveTerminal()
    self.signals = signals
    self.terminal = terminal
  }

  /// Whether there is a terminal for input and output that can position text.
  static func isPossible(_ output: borrowing Output) -> Bool {
    output.isTerminal && StandardStream.input.isTerminal
      && !["", "dumb"].contains(Environment["TERM"] ?? "")
  }

  var size: (rows: Int, columns: Int) { StandardStream.output.size ?? (rows: 24, columns: 80) }

  /// - Parameter heading: the line that is highlighted, unless the user has turned styles off.
  func show(_ lines: [String], heading: Int) {
    var text = "\u{1B}[H"
    for (index, line) in lines.enumerated() {
      let line = LiveScreen.isUTF8 ? ValueText.visible(line) : LiveScreen.ascii(line)
      text += index == 0 ? "" : "\r\n"
      text += (index == heading && hasStyles ? "\u{1B}[7m\(line)\u{1B}[0m" : line) + "\u{1B}[K"
    }
    StandardStream.output.writeAll(text + "\u{1B}[J")
  }

  /// What a terminal without UTF-8 can show of a chart's dots and axis, and of values.
  static func ascii(_ line: String) -> String {
    var text = ""
    for scalar in ValueText.visible(line).unicodeScalars {
      switch scalar {
      case "\u{20}"..."\u{7E}": text.unicodeScalars.append(scalar)
      case "\u{2800}"..."\u{28FF}": text += "*"
      case "│", "┤": text += "|"
      case "…": text += "~"
      default: text += "?"
      }
    }
    return text
  }

  /// Whether the user's locale has the characters of bars and charts.
  static let isUTF8 = isUTF8 { Environment[$0] }

  /// By the first variable that is set, as in the C library.
  static func isUTF8(_ variable: (String) -> String?) -> Bool {
    let locale = ["LC_ALL", "LC_CTYPE", "LANG"].lazy.compactMap(variable).first { !$0.isEmpty } ?? "C"
    let name = locale.lowercased()
    return name.hasSuffix("utf-8") || name.hasSuffix("utf8")
  }

  /// Waits for keys, until `due` at the latest. A stop by the terminal is handled here.
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

/// The saved state of the terminal.
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
