// The role of a subscriber process: it follows the store and writes a line for each event. It ends with the process
// that started it, whose end closes its standard input.

import Dispatch
import Glibc
import HubClient

struct Subscriber {
  /// The first argument of a process that plays this role.
  static let role = "--subscriber"

  let socket: String

  /// Follows the store; returns only if the stream ends, which it never should.
  func run() async -> Int32 {
    DispatchQueue.global().async {
      var byte: UInt8 = 0
      while read(STDIN_FILENO, &byte, 1) > 0 {}
      exit(0)
    }
    do {
      let number = Hub(.explicit(socket), name: "demo subscriber").value(Script.store, of: Int.self)
      for try await event in number.events(.every()) {
        guard Screen.say(Subscriber.line(for: event)) else { return 1 }
      }
      Screen.complain("demo: process \(getpid()): the stream has ended")
    } catch {
      Screen.complain("demo: process \(getpid()): \(error)")
    }
    return 1
  }

  /// What is said of an event, such as `changed 21`.
  private static func line(for event: ValueEvent<Int>) -> String {
    let value = event.value.map { " \($0)" } ?? ""
    let skipped = if let count = event.skipped, count > 0 { " after skipping \(count)" } else { "" }
    return "\(event.kind)\(value)\(skipped)"
  }
}
