// Runs a live view of statectl in a terminal that `script` makes, and records the terminal's settings before and after.

import Glibc
import TestSupport
import Testing

struct LiveView {
  let process: ChildProcess
  private let control: Control

  /// - Parameters:
  ///   - arguments: of statectl, for a shell.
  ///   - settings: variables, for a shell.
  init(_ arguments: String, _ control: Control, _ keyboard: Keyboard, settings: String = "") throws {
    self.control = control
    let program = ChildProcess.built("statectl")
    let pid = control.directory.file("view.pid")
    let view = "sh -c 'echo $$ > \(pid); exec env \(settings) \(program) \(arguments)'"
    process = try ChildProcess(
      "/usr/bin/script",
      ["-qec", "stty rows 12 cols 70; stty -g; \(view); echo status $?; stty -g; echo over", "/dev/null"],
      environment: [
        "STATEHUB_SOCKET": control.socket, "TERM": "xterm", "SHELL": "/bin/sh", "LC_ALL": "C.UTF-8",
        "NO_COLOR": nil,
      ],
      input: keyboard.path, directory: control.directory)
  }

  /// - Throws: `TestFailure` if it ends, or does not in time, before it has shown this.
  func wait(for text: String) throws {
    let end = ContinuousClock.now + .seconds(longestWait)
    var hasEnded = false
    while !process.standardOutput.contains(text) {
      // Its last words are looked at once more.
      if hasEnded || ContinuousClock.now >= end {
        throw TestFailure("no \(text) in \(process.standardOutput.suffix(4000).debugDescription)")
      }
      hasEnded = process.poll(milliseconds: 10) != nil
    }
  }

  func signal(_ number: Int32) throws {
    let text = readFile(control.directory.file("view.pid")).filter(\.isNumber)
    guard let pid = Int32(text) else { throw TestFailure("no view: \(text)") }
    kill(pid, number)
  }

  /// The terminal is as before: its screen, its cursor, its settings.
  func expectRestored(status: Int32) throws {
    try wait(for: "over")
    let text = process.standardOutput
    #expect(text.contains("status \(status)"))
    #expect(text.ranges(of: "\u{1B}[?1049h").count == text.ranges(of: "\u{1B}[?1049l").count)
    #expect(text.ranges(of: "\u{1B}[?25l").count == text.ranges(of: "\u{1B}[?25h").count)
    let lines = text.split(whereSeparator: \.isNewline).map(String.init)
    let settings = lines.filter { $0.contains(/^[0-9a-f]+(:[0-9a-f]+)+$/) }
    #expect(settings.count == 2 && settings.first == settings.last, "\(settings)")
  }
}
