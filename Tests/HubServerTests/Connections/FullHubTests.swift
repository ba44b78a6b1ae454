// A full hub: a client that comes too late is told why, whatever it was about to send, and an administrator gets in.

import Glibc
import HubCore
import HubEngine
import TestSupport
import Testing

@Suite("A full hub", .blocking)
struct FullHubTests {
  private let directory: TemporaryDirectory
  private let path: String
  private let hub: HubProcess
  /// Two connections, which are all that the hub accepts.
  private let clients: [RawClient]
  private static let extras = 8

  init() throws {
    directory = try TemporaryDirectory()
    path = try directory.write("{ maxClients: 2, handshakeTimeoutMilliseconds: 60000 }", to: "hub.json5")
    let hub = try HubProcess(in: directory, arguments: ["--volatile", "--config", path])
    self.hub = hub
    clients = try (0..<2).map { _ in try hub.connect() }
    try clients[0].write(.set("a", .integer(1)))
  }

  /// Uses up the connections for administrators, too.
  private func fill() throws -> [RawClient] { try (0..<Self.extras).map { _ in try hub.connect() } }

  private func expectRefusal(_ client: RawClient, greeted: Bool = false) throws {
    let messages = try client.messagesUntilEnd()
    guard messages.count == 1, case .reply(0, .error(let error)) = messages[0] else {
      throw TestFailure("not refused: \(messages)")
    }
    #expect(error.code == .quota)
    #expect(error.message == "the hub serves 2 clients, as many as maxClients in its configuration allows")
  }

  private func waitUntilReadable(_ client: RawClient) throws {
    var waiting = pollfd(fd: client.descriptor, events: Int16(POLLIN), revents: 0)
    guard poll(&waiting, 1, longestPoll) > 0 else { throw TestFailure("nothing came") }
  }

  @Test("one that writes before or after it was refused can do so, and reads the reason and a clean end")
  func writing() throws {
    let extras = try fill()
    for round in 0..<50 {
      let late = try RawClient(to: hub.socket)
      if round % 2 == 0 { try waitUntilReadable(late) }
      for _ in 0..<5 { try late.send(.hello(name: "late")) }
      try expectRefusal(late)
    }
    for client in clients + extras { _ = try client.call(.ping) }
  }

  @Test("one that is refused and does not go is let go soon, and so many are waited for and no more")
  func lingering() throws {
    let extras = try fill()
    _ = try clients[0].call(.ping)
    let own = hub.process.descriptorCount
    var late: [RawClient] = []
    for _ in 0..<300 {
      late.append(try RawClient(to: hub.socket))
      try waitUntilReadable(late.last!)
      // And the one that is being refused.
      #expect(hub.process.descriptorCount <= own + 256 + 1)
    }
    for client in late { try expectRefusal(client) }
    // The hub closes its ends when their time is up, unasked.
    let deadline = ContinuousClock.now + .seconds(longestWait)
    while hub.process.descriptorCount > own, ContinuousClock.now < deadline {}
    #expect(hub.process.descriptorCount == own)
    for client in clients + extras { _ = try client.call(.ping) }
  }

  @Test("a client that keeps writing although it is refused is not read forever")
  func flooding() throws {
    let extras = try fill()
    let late = try RawClient(to: hub.socket)
    try waitUntilReadable(late)
    let junk = [UInt8](repeating: 0, count: 1 << 20)
    let deadline = ContinuousClock.now + .seconds(longestWait)
    while ContinuousClock.now < deadline, (try? late.send(bytes: junk)) != nil {}
    #expect(ContinuousClock.now < deadline)
    for client in clients + extras { _ = try client.call(.ping) }
  }

  @Test("a client that is told that its frame is too long can write all of it before it reads that")
  func longFrame() throws {
    let length = UInt32(3 << 20)
    try clients[0].send(
      bytes: withUnsafeBytes(of: length.littleEndian) { Array($0) } + [4, 0, 0, 0, 9, 0, 0, 0]
        + [UInt8](repeating: 0xAA, count: Int(length)))
    let messages = try clients[0].messagesUntilEnd()
    guard messages.count == 2, case .reply(9, .error(let error)) = messages[0] else {
      throw TestFailure("\(messages)")
    }
    #expect(error.code == .frameTooLarge)
  }

  @Test("the hub's user and root look after it, and do nothing else")
  func administration() throws {
    let administrator = try hub.connect()
    guard case .pong = try administrator.call(.ping),
      case .clients(let list, _) = try administrator.call(.clients()),
      case .statistics = try administrator.call(.stats)
    else { throw TestFailure("refused") }
    #expect(list.count == 3)
    try administrator.send(.set("a", .integer(2)))
    try expectRefusal(administrator)
    // Requested in one write, as by a client library, it gets no welcome either.
    let late = try RawClient(to: hub.socket)
    try late.send(bytes: RawClient.bytes(.hello(name: "late"), id: 1) + RawClient.bytes(.watch("a"), id: 2))
    try expectRefusal(late)
    #expect(try clients[1].value(of: "a") == .integer(1))
    #expect(hub.reports(": maxClients is 2, and 2 are connected"))
  }

  @Test("there are so many places for them, and no more")
  func bounded() throws {
    let extras = try fill()
    try expectRefusal(RawClient(to: hub.socket))
    extras[0].close()
    // The hub may not have noticed the end yet.
    var administrator: RawClient?
    for _ in 0..<1000 where administrator == nil { administrator = try? hub.connect() }
    _ = try #require(administrator).call(.ping)
  }

  @Test("one of them becomes a client like others when there is room")
  func promoted() throws {
    let client = try hub.connect()
    _ = try client.call(.ping)
    clients[1].close()
    for _ in 0..<1000 {
      guard case .clients(let list, _) = try clients[0].call(.clients()) else { throw TestFailure("no list") }
      if list.count == 2 { break }
    }
    try client.write(.set("a", .integer(3)))
    let administrator = try hub.connect()
    try administrator.send(.get("a"))
    try expectRefusal(administrator)
  }

  @Test("a reload that takes nearly all places away does not lock out the next one")
  func reload() throws {
    try directory.write("{ maxClients: 1 }", to: "hub.json5")
    guard case .reloaded = try clients[0].call(.reload) else { throw TestFailure("not reloaded") }
    let administrator = try hub.connect()
    try directory.write("{ maxClients: 50 }", to: "hub.json5")
    guard case .reloaded = try administrator.call(.reload) else { throw TestFailure("not reloaded") }
    // It was admitted beyond the limit, and the reloaded hub knows that: now there is room.
    try administrator.write(.set("a", .integer(4)))
    for _ in 0..<10 { _ = try hub.connect().call(.get("a")) }
    for client in clients { _ = try client.call(.ping) }
  }

  @Test("a client that was let in beyond the limit stays so after an upgrade")
  func upgradedExtra() throws {
    let administrator = try hub.connect()
    try hub.renew(administrator, by: .upgrade)
    try administrator.send(.get("a"))
    try expectRefusal(administrator)
  }

  @Test("other users are refused at once", .enabled(if: geteuid() == 0))
  func otherUsers() throws {
    chmod(hub.socket, 0o666)
    chmod(directory.path, 0o755)
    let other = try RawClient(to: hub.socket, as: 65534)
    try expectRefusal(other)
    clients[1].close()
    var next: RawClient?
    for _ in 0..<1000 where next == nil {
      let client = try RawClient(to: hub.socket, as: 65534)
      if (try? client.hello()) != nil { next = client }
    }
    guard case .error(let error) = try #require(next).call(.reload) else { throw TestFailure("reloaded") }
    #expect(error.code == .denied)
  }

  @Test(
    "without descriptors for more, those who look after the hub still get in", .enabled(if: geteuid() == 0))
  func descriptors() throws {
    let directory = try TemporaryDirectory()
    try directory.write("{}", to: "hub.json5")
    let shell = try ChildProcess(
      "/bin/sh",
      [
        "-c", "ulimit -n 100; exec \"$0\" --socket \"$1\" --volatile --config \"$2\"",
        ChildProcess.built("statehub"), directory.file("hub.sock"), directory.file("hub.json5"),
      ], directory: directory)
    while RawClient.connectedSocket(to: directory.file("hub.sock")) == nil, shell.poll(milliseconds: 1) == nil
    {}
    chmod(directory.file("hub.sock"), 0o666)
    chmod(directory.path, 0o755)
    var others: [RawClient] = []
    while true {
      let client = try RawClient(to: directory.file("hub.sock"), as: 65534)
      guard (try? client.hello()) != nil else { break }
      others.append(client)
    }
    #expect(others.count > 50)
    let administrator = try RawClient(to: directory.file("hub.sock"))
    try administrator.hello()
    guard case .clients = try administrator.call(.clients()), case .reloaded = try administrator.call(.reload)
    else {
      throw TestFailure("refused")
    }
    _ = try others[0].call(.ping)
  }
}
