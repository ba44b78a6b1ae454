// A connection has limited time to say hello: silent ones cannot use up the room for others.

import Glibc
import HubCore
import TestSupport
import Testing

@testable import HubEngine
@testable import HubServer

@Suite("The time for hello", .blocking)
struct HelloLimitTests {
  private let directory: TemporaryDirectory
  private let hub: HubProcess
  private let witness: RawClient

  init() throws {
    directory = try TemporaryDirectory()
    let path = try directory.write("{ handshakeTimeoutMilliseconds: 300, maxClients: 20 }", to: "hub.json5")
    hub = try HubProcess(in: directory, arguments: ["--volatile", "--config", path])
    witness = try hub.connect()
  }

  /// The connection is told that it was too slow, and nothing else.
  private func expectDismissal(_ client: RawClient) throws {
    let messages = try client.messagesUntilEnd()
    guard messages.count == 1, case .reply(0, .error(let error)) = messages[0] else {
      throw TestFailure("not dismissed: \(messages)")
    }
    #expect(error.code == .helloExpected)
    #expect(error.message == "the connection did not send hello within 300 ms (handshakeTimeoutMilliseconds)")
  }

  @Test("a silent connection is told why it ends, and one that has said hello stays")
  func silent() throws {
    let silent = try RawClient(to: hub.socket)
    let greeted = try hub.connect()
    let later = try RawClient(to: hub.socket)
    try expectDismissal(silent)
    try expectDismissal(later)
    _ = try greeted.call(.ping)
    _ = try witness.call(.ping)
  }

  @Test("part of a hello does not count, nor does one that comes byte by byte forever")
  func partial() throws {
    let hello = RawClient.bytes(.hello(name: "slow"), id: 1)
    let (half, slow) = (try RawClient(to: hub.socket), try RawClient(to: hub.socket))
    try half.send(bytes: Array(hello.dropLast()))
    // A frame announced as long: it could take hours.
    try slow.send(bytes: [0, 0, 8, 0] + hello.dropFirst(4))
    var sent = 0
    while (try? slow.send(bytes: [0])) != nil, sent < 1_000_000, !isReadable(slow) { sent += 1 }
    try expectDismissal(half)
    try expectDismissal(slow)
  }

  private func isReadable(_ client: RawClient) -> Bool {
    var waiting = pollfd(fd: client.descriptor, events: Int16(POLLIN), revents: 0)
    return poll(&waiting, 1, 1) > 0
  }

  @Test("a hello that has arrived in time counts, although the hub was held up")
  func heldUp() throws {
    let client = try RawClient(to: hub.socket)
    // When the hub answers this, it has accepted the connection.
    let taken = try hub.connect()
    _ = try taken.call(.ping)
    hub.process.signal(SIGSTOP)
    while !readFile("/proc/\(hub.pid)/stat").contains(") T ") {}
    try client.send(.hello(name: "patient"))
    // Longer than the limit.
    let stopped = ContinuousClock.now
    while ContinuousClock.now - stopped < .milliseconds(400) {}
    hub.process.signal(SIGCONT)
    guard case .welcome = try client.reply(to: 1) else { throw TestFailure("no welcome") }
  }

  @Test("an upgrade does not give a silent connection more time")
  func upgrades() throws {
    let silent = try RawClient(to: hub.socket)
    var upgrades = 0
    while !isReadable(silent) {
      try hub.renew(witness, by: .upgrade)
      upgrades += 1
      try #require(upgrades < 1000)
    }
    try expectDismissal(silent)
  }

  @Test("neither does a restart, and a client that connects meanwhile is not punished")
  func restarts() throws {
    let directory = try TemporaryDirectory()
    let manager = try FakeServiceManager(in: directory)
    let path = try directory.write("{ handshakeTimeoutMilliseconds: 300 }", to: "hub.json5")
    func start() throws -> HubProcess {
      try HubProcess(
        in: directory, arguments: ["--volatile", "--config", path], environment: ["FDSTORE": "512"],
        manager: manager, waits: false)
    }
    let first = try start()
    try manager.waitUntilReady()
    let silent = try RawClient(to: first.socket)
    let patient = try RawClient(to: first.socket)
    // Both were accepted if a later connection is.
    _ = try first.connect().call(.ping)
    first.process.signal(SIGTERM)
    #expect(try manager.waitForEnd(of: first.process) == .status(0))
    let ended = ContinuousClock.now
    while ContinuousClock.now - ended < .milliseconds(400) {}
    // While no hub serves.
    try patient.send(.hello(name: "patient"))
    let second = try start()
    try manager.waitUntilReady()
    guard case .welcome = try patient.reply(to: 1) else { throw TestFailure("no welcome") }
    try expectDismissal(silent)
    _ = try second.connect()
  }

  @Test("silent connections that take every place give them back")
  func places() throws {
    var silent: [RawClient] = []
    // One connection is the witness's; eight more are root's.
    for _ in 0..<27 { silent.append(try RawClient(to: hub.socket)) }
    for client in silent { try expectDismissal(client) }
    let next = try hub.connect()
    try next.write(.set("a", .integer(1)))
  }
}
