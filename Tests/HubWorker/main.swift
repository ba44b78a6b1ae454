// A process of the end-to-end tests: it updates a store, follows one and reports what it saw, does without descriptors, forks, or
// requests something through the connections of others.

import Glibc
import HubClient

guard CommandLine.arguments.count == 5, let number = Int(CommandLine.arguments[4]) else {
  fatalError("usage: HubWorker update|follow|starve|fork|steal SOCKET STORE COUNT")
}
let hub = Hub(.explicit(CommandLine.arguments[2]), name: "worker", timeout: .seconds(3600))
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
case "starve":
  // A hub that is made and used while one descriptor is left, which is not enough, and is used again when there are more.
  // Without any the runtime itself would end the process: it looks at its threads in /proc.
  try await Task.sleep(for: .milliseconds(1))
  var limit = rlimit()
  getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
  let enough = limit.rlim_cur
  limit.rlim_cur = 64
  setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
  var last: Int32 = -1
  while case let file = open("/dev/null", O_RDONLY), file >= 0 { last = file }
  close(last)
  let starved = Hub(.explicit(CommandLine.arguments[2]), name: "worker", timeout: .seconds(2))
    .value(CommandLine.arguments[3], of: Int.self)
  do { try await starved.set(number) } catch { print(error) }
  limit.rlim_cur = enough
  setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
  while true {
    do {
      try await starved.set(number)
      break
    } catch { print(error) }
  }
case "steal": try steal(CommandLine.arguments[3], looksElsewhere: number > 0)
case "fork": try await forkProcess(hub, store, number)
default: fatalError("unknown role \(CommandLine.arguments[1])")
}
