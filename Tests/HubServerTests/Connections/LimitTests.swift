// Descriptors and clients run out: a client that comes too late is told why, existing ones are served, and the hub
// recovers.

import HubCore
import HubEngine
import TestSupport
import Testing

@Suite("Limits", .blocking)
struct LimitTests {
  @Test(
    "without descriptors the hub refuses with the reason, serves those it has, and takes others when some go")
  func descriptorsExhausted() throws {
    let directory = try TemporaryDirectory()
    let hub = try HubProcess(in: directory)
    let witness = try hub.connect()
    // With this reply the hub has also noticed the end of the connection that found it ready.
    _ = try witness.call(.ping)
    let own = hub.process.descriptorCount
    try hub.process.limitDescriptors(to: UInt64(own + 10))
    let clients = try (0..<10).map { _ in try hub.connect() }
    for _ in 0..<50 {
      let late = try RawClient(to: hub.socket)
      guard case .reply(0, .error(let error)) = try late.next() else { throw TestFailure("not refused") }
      #expect(error.code == .quota)
      #expect(try late.next() == nil, "the end is clean")
    }
    for client in clients { _ = try client.call(.ping) }
    _ = try witness.call(.ping)
    #expect(hub.process.descriptorCount == own + 10)

    clients.forEach { $0.close() }
    // The hub may not have noticed all the ends yet.
    var isWelcome = false
    for _ in 0..<1000 where !isWelcome {
      isWelcome = (try? RawClient(to: hub.socket).hello()) != nil
    }
    #expect(isWelcome)
    try hub.terminate()
    #expect(hub.reports("more connections refused because no descriptor was left"))
    let lines = hub.standardError.split(separator: "\n").filter { $0.contains("no descriptor left") }
    #expect(lines.count == 5, "more of the same are only counted")
  }

  @Test("a limit of descriptors that is too low for the clients is said at the start, and at a reload")
  func lowLimit() throws {
    let directory = try TemporaryDirectory()
    let empty = try directory.write("{}", to: "empty.json5")
    let shell = try ChildProcess(
      "/bin/sh",
      [
        "-c", "ulimit -n 200; exec \"$0\" --socket \"$1\" --volatile --config \"$2\"",
        ChildProcess.built("statehub"),
        directory.file("hub.sock"), empty,
      ], directory: directory)
    while RawClient.connectedSocket(to: directory.file("hub.sock")) == nil, shell.poll(milliseconds: 1) == nil
    {}
    try directory.write("{ maxClients: 300 }", to: "empty.json5")
    shell.signal(1)
    #expect(shell.reports("fewer than maxClients, 300"))
    shell.signal(15)
    #expect(try shell.wait() == .status(0))
    #expect(shell.reports("the limit of 200 descriptors allows 168 clients, fewer than maxClients, 16384"))
  }

  @Test("connections that come and go by the thousand leave nothing behind")
  func churn() throws {
    let directory = try TemporaryDirectory()
    let hub = try HubProcess(in: directory)
    let witness = try hub.connect()
    try witness.send(.watch("churn"))
    _ = try witness.eventsUntilSynced()
    _ = try witness.call(.ping)
    let own = hub.process.descriptorCount
    for round in 0..<2000 {
      let client = try RawClient(to: hub.socket)
      switch round % 4 {
      case 0: break
      case 1: try client.send(bytes: [1, 0, 0])
      case 2: try client.hello()
      default:
        try client.hello()
        try client.send(.watch("churn"))
        _ = try client.eventsUntilSynced()
      }
      client.close()
    }
    _ = try witness.call(.set("churn", .integer(1)))
    guard case .created = try witness.nextEvent() else { throw TestFailure("no event") }
    // Closing is asynchronous: the hub knows of it a turn after the kernel does, and waits a second for some to go by themselves.
    let deadline = ContinuousClock.now + .seconds(longestWait)
    while hub.process.descriptorCount != own, .now < deadline { _ = try witness.call(.ping) }
    #expect(hub.process.descriptorCount == own)
  }
}
