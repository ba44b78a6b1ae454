// What a child of a fork finds of its parent's connections: it reports that in lines, and outlives its parent.

import Glibc
import HubClient
import HubTransport

/// The parent makes a value ephemeral, forks, writes, and ends. The child tries the parent's connections, makes one of its own, and
/// stays for as long as its group is there, at most two minutes.
nonisolated func forkProcess(_ hub: Hub, _ store: SharedValue<Int>, _ number: Int) async throws {
  try await store.set(number, lifetime: .whileConnected)
  let path = CommandLine.arguments[2]
  var connection = try HubConnection(to: .explicit(path), name: "parent")
  _ = try connection.request(.ping)
  var values = store.values.makeAsyncIterator()
  _ = try await values.next()
  if systemFork() == 0 { beChild(of: hub, store, &connection, path) }
  // What the child does with its copies concerns none of these.
  _ = try connection.request(.ping)
  try await store.set(number + 1, lifetime: .whileConnected)
  report("parent wrote \(try await store.get()), saw \(try await values.next() ?? -1)")
}

/// Swift's own declaration of it is not available.
private nonisolated func systemFork() -> Int32 {
  unsafeBitCast(dlsym(nil, "fork"), to: (@convention(c) () -> Int32).self)()
}

/// It does not return.
private nonisolated func beChild(
  of hub: Hub, _ store: SharedValue<Int>, _ connection: inout HubConnection, _ path: String
) {
  do {
    _ = try connection.request(.ping)
    report("child: the parent's connection answers")
  } catch {
    report("child: \(error.code), \(error.message)")
  }
  report("child: \(hub.status)")
  report("child: \(store.cached ?? -1)")
  hub.close()
  do {
    var own = try HubConnection(to: .explicit(path), name: "child")
    _ = try own.request(.write(.set(.name(StoreName("child")), .integer(Int64(getpid())))))
    report("child: wrote")
    sleep(3600)
  } catch {
    report("child: \(error)")
  }
  _exit(0)
}

/// A line, written at once.
private nonisolated func report(_ line: String) {
  let bytes = Array((line + "\n").utf8)
  _ = write(1, bytes, bytes.count)
}
