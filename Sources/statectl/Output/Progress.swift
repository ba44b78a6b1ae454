// The progress of a long command, for a user at a terminal: one line of standard error that overwrites itself, then
// disappears.

internal import HubCore
internal import HubSystem
internal import HubTransport

/// Shows nothing in the first second, and nothing at all if standard error is not a terminal.
final class Progress {
  private let verb: VerbSpec
  private let isTerminal: Bool
  private var next = Deadline.after(Progress.patience)
  private var isShown = false
  private var what = ""
  private var done = 0
  private var total: Int?

  /// Shorter work shows nothing.
  private static let patience = Duration.seconds(1)
  private static let interval = Duration.milliseconds(200)

  init(of verb: VerbSpec) {
    self.verb = verb
    isTerminal = StandardStream.error.isTerminal
  }

  /// While a person may be watching, no wait is longer than this.
  var pause: Duration? { isTerminal ? Progress.interval : nil }

  /// Another part of the work begins.
  ///
  /// - Parameter what: follows the count, as in `12 of 30 stores tried`.
  func begin(_ what: String, of total: Int? = nil) {
    self.what = what
    self.total = total
    done = 0
  }

  /// Sets how much of the part is done.
  @inline(__always)
  func advance(to count: Int) {
    done = count
    // Reading the clock for every store would be too slow.
    if isTerminal, count & 0xFF == 0 { tell() }
  }

  /// The same where each step is long.
  func reach(_ count: Int) {
    done = count
    tell()
  }

  /// Shows the progress, if it is time.
  func tell() {
    let now = Deadline.now
    guard isTerminal, now >= next, !what.isEmpty else { return }
    next = now + Progress.interval
    isShown = true
    let count = total.map { "\(done) of \($0)" } ?? "\(done)"
    // A line that wraps could not be overwritten.
    write("\r" + "\(verb.name): \(count) \(what)".prefix(Progress.width - 1) + "\u{1B}[K")
  }

  /// The work is done, or something else must be printed.
  func end() {
    if isShown { write("\r\u{1B}[K") }
    isShown = false
    what = ""
  }

  private static var width: Int {
    guard let columns = StandardStream.error.columns, columns > 1 else { return 80 }
    return columns
  }

  private func write(_ text: String) { StandardStream.error.write(text) }
}
