// How the hub stops: cleanly, with the reason, and in bounded time.

import Glibc
import HubCore
import HubEngine
import TestSupport
import Testing

@Suite("Stopping", .blocking)
struct ShutdownTests {
  @Test(
    "SIGTERM and SIGINT end the hub with status 0, and every client is told why",
    arguments: [SIGTERM, SIGINT])
  func told(signal: Int32) throws {
    let directory = try TemporaryDirectory()
    let hub = try HubProcess(in: directory)
    let watcher = try hub.connect()
    try watcher.send(.watch("a"))
    _ = try watcher.eventsUntilSynced()
    let idle = try hub.connect()
    hub.process.signal(signal)
    for client in [watcher, idle] {
      let messages = try client.messagesUntilEnd()
      guard case .event(.ended(.shuttingDown, _)) = messages.last else {
        throw TestFailure("not told: \(messages)")
      }
    }
    #expect(try hub.process.wait() == .status(0))
    #expect(RawClient.connectedSocket(to: hub.socket) == nil)
  }

  @Test("what arrived before the signal is carried out, answered and told to watchers")
  func flushed() throws {
    let directory = try TemporaryDirectory()
    let hub = try HubProcess(in: directory)
    let writer = try hub.connect()
    let watcher = try hub.connect()
    try watcher.send(.watch("last", policy: .every))
    _ = try watcher.eventsUntilSynced()
    // The hub finds all of it, and the signal, when it continues.
    hub.process.signal(SIGSTOP)
    try writer.send(
      bytes: (1...100).flatMap { RawClient.bytes(.set("last", .integer(Int64($0))), id: UInt32($0)) })
    hub.process.signal(SIGTERM)
    hub.process.signal(SIGCONT)
    let replies = try writer.messagesUntilEnd()
    #expect(replies.count == 101)
    guard case .event(.ended(.shuttingDown, _)) = replies.last else { throw TestFailure("not told") }
    // Whether all of it comes at once depends on the send buffer; where it does not, a `synced` comes between.
    let values = try watcher.messagesUntilEnd().compactMap { message in
      if case .event(let event) = message { event.state?.value } else { nil }
    }
    #expect(values == (1...100).map { .integer($0) })
    #expect(try hub.process.wait() == .status(0))
  }

  @Test(
    "a client that reads late still gets everything and the reason; one that never reads does not hold up the end"
  )
  func stragglers() throws {
    let directory = try TemporaryDirectory()
    let hub = try HubProcess(in: directory)
    let writer = try hub.connect()
    _ = try writer.call(.set("large", .data([UInt8](repeating: 7, count: 1 << 20 - 1000))))
    let (late, never) = (try hub.connect(), try hub.connect())
    try late.send(.get("large"))
    try never.send(.get("large"))
    _ = try writer.call(.ping)
    hub.process.signal(SIGTERM)
    guard case .event(.ended(.shuttingDown, _)) = try writer.messagesUntilEnd().last else {
      throw TestFailure("not told")
    }
    let messages = try late.messagesUntilEnd()
    #expect(messages.count == 2)
    guard case .event(.ended(.shuttingDown, _)) = messages.last else { throw TestFailure("not told") }
    #expect(try hub.process.wait() == .status(0))
  }

  @Test("closed standard streams end nothing")
  func survives() throws {
    let directory = try TemporaryDirectory()
    let empty = try directory.write("{}", to: "empty.json5")
    let shell = try ChildProcess(
      "/bin/sh",
      [
        "-c", "exec \"$0\" --socket \"$1\" --volatile --config \"$2\" <&- >&- 2>&-",
        ChildProcess.built("statehub"),
        directory.file("hub.sock"), empty,
      ], directory: directory)
    while RawClient.connectedSocket(to: directory.file("hub.sock")) == nil, shell.poll(milliseconds: 1) == nil
    {}
    let other = try RawClient(to: directory.file("hub.sock"))
    try other.hello()
    // A line for the log, which cannot be written anywhere.
    try other.send(bytes: [UInt8](repeating: 0xFF, count: 12))
    _ = try other.messagesUntilEnd()
    shell.signal(SIGTERM)
    #expect(try shell.wait() == .status(0))
  }
}
