// The role of a subscriber process: it follows the store and writes a line for each event. It ends with the process
// that started it, whose end closes its standard input.

import Dispatch
import HubClient
import HubSystem

struct Subscriber {
  /// The first argument of a process that plays this role.
  static let role = "--subscriber"

  let socket: String

  /// Follows the store; returns only if the stream ends, which it never should.
  func run() async -> Int32 {
    DispatchQueue(label: "end of input").async {
      while !Descriptor.readOnce(StandardStream.input.raw, limit: 64).isEmpty {}
      CurrentProcess.exit(0)
    }
    do {
      let number = Hub(.explicit(socket), name: "demo subscriber").value(Script.store, of: Int.self)
      for try await event in number.events(.every()) where event.kind != .freshness {
        guard Screen.say(Subscriber.line(for: event)) else { return 1 }
      }
      Screen.complain("demo: process \(CurrentProcess.pid): the stream has ended")
    } catch {
      Screen.complain("demo: process \(CurrentProcess.pid): \(error)")
    }
    return 1
  }

  /// An event in words, such as `changed 21`.
  private static func line(for event: ValueEvent<Int>) -> String {
    let value = event.value.map { " \($0)" } ?? ""
    let skipped = if let count = event.skipped, count > 0 { " after skipping \(count)" } else { "" }
    return "\(event.kind)\(value)\(skipped)"
  }
}
