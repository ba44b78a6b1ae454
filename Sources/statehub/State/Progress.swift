// The progress of a command, for users who wait: one line on the terminal, after the first second.

import HubSystem

/// A line on standard error that overwrites itself. Nothing, if that is not a terminal.
struct Progress {
  private let isShown: Bool
  private let begin = Progress.milliseconds
  private var last = 0
  private var shown = 0
  private var what = ""
  private var done = 0
  private var total = 0

  /// Shorter waits show nothing, and updates are no more frequent than this, in milliseconds.
  private static let patience = 1000
  private static let interval = 100

  init() { isShown = StandardStream.error.isTerminal }

  /// A new part of the work begins.
  ///
  /// - Parameter total: of what `advance` counts; 0 if that is not known.
  mutating func begin(_ what: String, total: Int = 0) {
    (self.what, self.total, done, last) = (what, total, 0, 0)
    show()
  }

  mutating func advance(_ count: Int) {
    done += count
    show()
  }

  /// Takes the line away, before anything else is written.
  mutating func clear() {
    if shown > 0 { StandardStream.error.writeAll("\r" + String(repeating: " ", count: shown) + "\r") }
    shown = 0
  }

  private mutating func show() {
    guard isShown else { return }
    let now = Progress.milliseconds
    guard now - begin >= Progress.patience, now - last >= Progress.interval else { return }
    last = now
    var line = "statehub: \(what)"
    if total > 0 { line += ", \(min(100, done * 100 / total))%" }
    let rest = max(0, shown - line.count)
    shown = line.count
    StandardStream.error.writeAll("\r" + line + String(repeating: " ", count: rest))
  }

  private static var milliseconds: Int { Int(SystemClock.monotonic / 1_000_000) }
}
