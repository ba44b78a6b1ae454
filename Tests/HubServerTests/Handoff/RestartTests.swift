// Restart under a service manager that keeps descriptors: another process takes over, and no client notices.

import Glibc
import HubCore
import HubEngine
import TestSupport
import Testing

@Suite("Restart through the service manager", .blocking)
struct RestartTests {
  private static let stores = ["FDSTORE": "512"]

  private func start(_ directory: TemporaryDirectory, _ manager: FakeServiceManager) throws -> HubProcess {
    _ = manager.takeNotifications()
    let hub = try HubProcess(in: directory, environment: RestartTests.stores, manager: manager, waits: false)
    try manager.waitUntilReady()
    return hub
  }

  private func end(_ hub: HubProcess, _ manager: FakeServiceManager) throws {
    hub.process.signal(SIGTERM)
    #expect(try manager.waitForEnd(of: hub.process) == .status(0), "\(hub.standardError)")
  }

  @Test(
    "under load no connection ends, no write is lost, no change is missed or comes twice",
    arguments: [true, false])
  func load(ownSocket: Bool) throws {
    let directory = try TemporaryDirectory()
    let manager = try FakeServiceManager(in: directory)
    if !ownSocket { try manager.listen(at: directory.file("hub.sock"), name: "statehub") }
    var hub = try start(directory, manager)
    let traffic = try Traffic(at: hub.socket, writers: 4, followers: 20)
    for _ in 0..<6 {
      try traffic.write(40)
      try end(hub, manager)
      #expect(manager.storedCount > 0)
      // No hub serves: the traffic waits.
      try traffic.write(40)
      let early = try RawClient(to: hub.socket)
      try early.send(.hello(name: "early"))
      hub = try start(directory, manager)
      #expect(manager.storedCount == 0)
      try traffic.readReplies()
      try traffic.readEvents()
      guard case .welcome = try early.reply(to: 1) else {
        throw TestFailure("the early client has no welcome")
      }
    }
  }

  @Test("a thousand connections with a watch each live on")
  func thousand() throws {
    let directory = try TemporaryDirectory()
    let manager = try FakeServiceManager(in: directory)
    var hub = try start(directory, manager)
    let watchers = try (0..<1000).map { _ in
      let client = try hub.connect()
      try client.send(.watch("a"))
      _ = try client.eventsUntilSynced()
      return client
    }
    let epoch = watchers[0].welcome?.epoch
    for round in 1...2 {
      try end(hub, manager)
      hub = try start(directory, manager)
      let writer = try hub.connect()
      #expect(writer.welcome?.epoch == epoch)
      try writer.write(.set("a", .integer(Int64(round))))
      for client in watchers { #expect(try client.nextEvent().state?.value == .integer(Int64(round))) }
    }
  }

  @Test(
    "a hub that is stopped for good lets its clients see the end, and leaves nothing with the service manager"
  )
  func stopped() throws {
    let directory = try TemporaryDirectory()
    let manager = try FakeServiceManager(in: directory)
    let hub = try start(directory, manager)
    let client = try hub.connect()
    try end(hub, manager)
    manager.dropStored()
    #expect(try client.messagesUntilEnd() == [])
    // The next one finds the socket's path as it was left, and needs no help.
    let next = try start(directory, manager)
    _ = try next.connect()
  }

  @Test("an interrupt is a stop: the clients are told")
  func interrupted() throws {
    let directory = try TemporaryDirectory()
    let manager = try FakeServiceManager(in: directory)
    let hub = try start(directory, manager)
    let client = try hub.connect()
    hub.process.signal(SIGINT)
    guard case .event(.ended(.shuttingDown, _)) = try client.messagesUntilEnd().last else {
      throw TestFailure("not told")
    }
    #expect(try manager.waitForEnd(of: hub.process) == .status(0))
    #expect(manager.storedCount == 0)
  }

  @Test(
    "a configuration that is no longer valid does not cost the clients: the previous one stays in force, and the status says why"
  )
  func invalidConfiguration() throws {
    let directory = try TemporaryDirectory()
    let manager = try FakeServiceManager(in: directory)
    try directory.write("{ requireDeclaration: true, stores: { a: { type: \"integer\" } } }", to: "hub.json5")
    func start() throws -> HubProcess {
      try HubProcess(
        in: directory, arguments: ["--volatile", "--config", directory.file("hub.json5")],
        environment: RestartTests.stores,
        manager: manager, waits: false)
    }
    var hub = try start()
    try manager.waitUntilReady()
    let client = try hub.connect()
    try client.write(.set("a", .integer(1)))
    try directory.write("{ requireDeclaration: yes }", to: "hub.json5")
    try end(hub, manager)
    hub = try start()
    let ready = try manager.waitUntilReady()
    #expect(ready.value("STATUS")?.contains("configuration rejected: ") == true)
    #expect(try client.value(of: "a") == .integer(1))
    guard case .error(let error) = try client.call(.set("b", .integer(1))) else {
      throw TestFailure("created")
    }
    #expect(error.code == .undeclared)
  }

  @Test("a hub that is killed leaves a hand-off that was already taken: the next hub starts fresh, by itself")
  func killed() throws {
    let directory = try TemporaryDirectory()
    let manager = try FakeServiceManager(in: directory)
    var hub = try start(directory, manager)
    let client = try hub.connect()
    try end(hub, manager)
    // One that dies before it is ready: it has emptied the queue.
    manager.emptyStored()
    hub = try start(directory, manager)
    #expect(manager.storedCount == 0)
    #expect(try client.messagesUntilEnd() == [])
    let next = try hub.connect()
    while !hub.standardError.contains("nothing is taken over: the service manager kept an empty hand-off") {
      _ = try next.call(.ping)
    }
  }
}
