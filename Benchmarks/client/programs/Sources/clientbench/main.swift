// Measures the Swift client against a hub that `run` has started: one measurement per process, one JSON object out. The
// process then stays as it is until its input ends.

import Glibc
import HubClient
import HubCore
import HubTransport

let arguments = CommandLine.arguments
guard arguments.count == 7, let count = Int(arguments[4]), let tasks = Int(arguments[6]) else {
  print("usage: clientbench VERB SOCKET STORE COUNT executor|pool TASKS")
  print(
    "VERB: follow, streams, streams-in-step, many, get, put, cached, blocking-get, blocking-put, floor, floor-cancellable"
  )
  exit(2)
}
let (verb, path, name) = (arguments[1], arguments[2], arguments[3])
let hub = Hub(.explicit(path), name: "bench", timeout: .seconds(60))
let store = hub.value(name, of: Int.self)
let deliveries = Deliveries(tasks: tasks, changes: count, announces: verb == "streams-in-step")

func measure() async {
  do {
    switch verb {
    case "follow": try await follow(store, count)
    case "streams", "streams-in-step": try await stream(store, deliveries)
    case "get": try await get(store, count)
    case "put": try await put(store, count)
    case "cached": try await readCached(hub, name, count)
    case "blocking-get", "blocking-put": try await blocking(path, name, count, sets: verb == "blocking-put")
    default: preconditionFailure("no such measurement: \(verb)")
    }
  } catch {
    say("clientbench: \(error)")
    exit(1)
  }
}

if verb.hasPrefix("floor") {
  floor(tasks, count, isCancellable: verb == "floor-cancellable")
} else if verb == "many" {
  try createStores(path, name, tasks)
  let subscriptions = Subscriptions(tasks, changes: count)
  for index in 0..<tasks {
    Task(executorPreference: arguments[5] == "pool" ? nil : hub.executor) {
      do {
        try await followOne(hub, "\(name).\(index)", subscriptions)
      } catch {
        say("clientbench: \(error)")
        exit(1)
      }
    }
  }
} else {
  var connection = try HubConnection(to: .explicit(path), name: "bench")
  _ = try connection.request(.write(.set(.name(try StoreName(name)), .integer(0))))
  for _ in 0..<tasks {
    Task(executorPreference: arguments[5] == "pool" ? nil : hub.executor) { await measure() }
  }
}
// Not an asynchronous main: that ends its first thread, which valgrind does not survive.
awaitEndOfInput()
