// A process of the end-to-end tests: it updates a store, or follows one and reports what it saw.

import HubClient

guard CommandLine.arguments.count == 5, let number = Int(CommandLine.arguments[4]) else {
  fatalError("usage: HubWorker update|follow SOCKET STORE COUNT")
}
let hub = Hub(.explicit(CommandLine.arguments[2]), name: "worker", patience: .seconds(60))
let store = hub.value(CommandLine.arguments[3], of: Int.self)

switch CommandLine.arguments[1] {
case "update":
  // So many increments, each of which must count.
  for _ in 0..<number { _ = try await store.update { $0 += 1 } }
case "follow":
  // Up to the number, then one line: how many events came, and how many were skipped.
  var (events, skipped) = (0, UInt64(0))
  for try await event in store.events {
    events += event.value == nil ? 0 : 1
    skipped += event.skipped ?? 0
    if event.value == number { break }
  }
  print("\(events) \(skipped)")
default: fatalError("unknown role \(CommandLine.arguments[1])")
}
