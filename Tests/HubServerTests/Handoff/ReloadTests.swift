// A reload puts settings into force, an upgrade executes the program again in the same process: no client notices either.

import Glibc
import HubCore
import HubEngine
import TestSupport
import Testing

@Suite("Reload", .blocking)
struct ReloadTests {
  private func reloaded(_ client: RawClient) throws -> [String] {
    let reply = try client.call(.reload)
    guard case .reloaded(let release, let notes) = reply else { throw TestFailure("answered with \(reply)") }
    #expect(release == Release.version)
    return notes
  }

  @Test(
    "under load no connection ends, no write is lost, no change is missed or comes twice",
    arguments: Renewal.allCases)
  func load(by way: Renewal) throws {
    let directory = try TemporaryDirectory()
    let hub = try HubProcess(in: directory)
    let administrator = try hub.connect(name: "operator")
    let traffic = try Traffic(at: hub.socket, writers: 4, followers: 20)
    for _ in 0..<10 {
      try traffic.write(40)
      let request = try hub.ask(administrator, for: way)
      try traffic.write(40)
      guard case .reloaded = try administrator.reply(to: request) else { throw TestFailure("not reloaded") }
      try traffic.readReplies()
      try traffic.readEvents()
    }
    #expect(hub.process.poll(milliseconds: 0) == nil)
  }

  @Test(
    "a request that was half sent is completed afterwards, and requests after it are answered",
    arguments: Renewal.allCases)
  func halfRequest(by way: Renewal) throws {
    let directory = try TemporaryDirectory()
    let hub = try HubProcess(in: directory)
    let client = try hub.connect()
    let other = try hub.connect()
    let value = Value.string(String(repeating: "x", count: 300_000))
    let bytes = RawClient.bytes(.set("long", value), id: 900)
    try client.send(bytes: Array(bytes.prefix(200_000)))
    if way == .upgrade { hub.process.signal(SIGUSR2) }
    // The hub reads the reload and what follows it at once.
    try other.send(bytes: RawClient.bytes(.reload, id: 901) + RawClient.bytes(.get("absent"), id: 902))
    guard case .reloaded = try other.reply(to: 901) else { throw TestFailure("not reloaded") }
    guard case .error(let error) = try other.reply(to: 902), error.code == .noSuchStore else {
      throw TestFailure("the request behind the reload was not answered")
    }
    try client.send(bytes: Array(bytes.dropFirst(200_000)))
    guard case .written = try client.reply(to: 900) else { throw TestFailure("not written") }
    #expect(try other.value(of: "long") == value)
  }

  @Test(
    "replies and events that a client has not read before are all there afterwards",
    arguments: Renewal.allCases)
  func halfSent(by way: Renewal) throws {
    let directory = try TemporaryDirectory()
    let hub = try HubProcess(in: directory)
    let writer = try hub.connect()
    let slow = try hub.connect()
    let value = Value.string(String(repeating: "y", count: 700_000))
    try writer.write(.set("big", value))
    try slow.send(.watch("big", policy: .every))
    let gets = try (0..<3).map { _ in try slow.send(.get("big")) }
    // Its socket is full when the hub answers.
    try writer.write(.set("other", .integer(1)))
    try hub.renew(writer, by: way)
    try writer.write(.set("big", .string("end")))
    try hub.renew(writer, by: way)
    for request in gets {
      guard case .value = try slow.reply(to: request) else { throw TestFailure("no value") }
    }
    var last: Value?
    while last != .string("end") { last = try slow.nextEvent().state?.value ?? last }
  }

  @Test(
    "lifetimes continue: a value with a deadline ends in time, an ephemeral one with its connection",
    arguments: Renewal.allCases)
  func lifetimes(by way: Renewal) throws {
    let directory = try TemporaryDirectory()
    let hub = try HubProcess(in: directory)
    let client = try hub.connect()
    let owner = try hub.connect()
    try owner.write(.set("here", .boolean(true), lifetime: Lifetime(ephemeral: true)))
    try client.write(.set("soon", .integer(1), lifetime: Lifetime(ttl: 4000)))
    try hub.renew(client, by: way)
    #expect(try client.value(of: "here") == .boolean(true))
    #expect(try client.value(of: "soon") == .integer(1))
    try client.send(.watch("**"))
    _ = try client.eventsUntilSynced()
    owner.close()
    var gone: Set<String> = []
    while gone.count < 2 {
      switch try client.nextEvent() {
      case .removed(let name, _, _, _): gone.insert(name)
      case .synced: continue
      case let event: throw TestFailure("\(event)")
      }
    }
    #expect(gone == ["here", "soon"])
  }

  @Test(
    "a new configuration is in force afterwards: stores added, changed and released; watchers see it",
    arguments: Renewal.allCases)
  func configuration(by way: Renewal) throws {
    let directory = try TemporaryDirectory()
    let path = directory.file("hub.json5")
    try directory.write(
      "{ stores: { level: { type: 'integer', initial: 5 }, old: { type: 'boolean' } } }".quoted,
      to: "hub.json5")
    let hub = try HubProcess(in: directory, arguments: ["--volatile", "--config", path])
    let client = try hub.connect()
    try client.send(.watch("**"))
    _ = try client.eventsUntilSynced()
    try client.write(.set("level", .integer(50)))
    _ = try client.nextEvent()
    try directory.write(
      """
      { requireDeclaration: true, maxFrameBytes: 2000000, socket: "/elsewhere",
        stores: { level: { type: "integer", initial: 5, maximum: 10 }, fresh: { type: "string", initial: "new" } } }
      """, to: "hub.json5")
    let notes = try hub.renew(client, by: way)
    // The command line names the socket, so the file's does not count.
    #expect(notes.count == 2)
    #expect(notes.contains { $0.hasPrefix("maxFrameBytes: the change from 1048576 to 2000000 waits until") })
    #expect(notes.contains { $0.hasPrefix("level: its value is kept") })
    var created: [String: Value] = [:]
    while created["fresh"] == nil {
      // A new schema is announced like a new store.
      if case .created(let name, _, let state, _, _, _) = try client.nextEvent() {
        created[name] = state.value
      }
    }
    #expect(created == ["level": .integer(50), "fresh": .string("new")])
    #expect(try client.value(of: "level") == .integer(50))
    guard case .error(let high) = try client.call(.set("level", .integer(11))) else {
      throw TestFailure("taken")
    }
    #expect(high.code == .outOfRange)
    guard case .error(let undeclared) = try client.call(.set("unknown", .integer(1))) else {
      throw TestFailure("created")
    }
    #expect(undeclared.code == .undeclared)
    // It was declared: now it can be removed.
    try client.write(.write(.remove(.name(try StoreName("old")))))
  }

  @Test(
    "an invalid configuration is rejected whole, the caller and the service manager are told all of it, and nothing else happens"
  )
  func invalid() throws {
    let directory = try TemporaryDirectory()
    let manager = try FakeServiceManager(in: directory)
    try directory.write("{}", to: "hub.json5")
    let hub = try HubProcess(
      in: directory, arguments: ["--volatile", "--config", directory.file("hub.json5")], manager: manager,
      waits: false)
    try manager.waitUntilReady()
    let client = try hub.connect()
    try client.write(.set("a", .integer(1)))
    try directory.write("{ requireDeclaration: 1,\n stores: { b: { type: \"integre\" } } }", to: "hub.json5")
    guard case .error(let error) = try client.call(.reload) else { throw TestFailure("reloaded") }
    #expect(error.code == .invalidConfiguration)
    #expect(error.message.contains("hub.json5:1:23: requireDeclaration: "))
    #expect(error.message.contains("hub.json5:2:") && error.message.contains(": stores.b.type: "))
    try manager.wait(for: "the problem in the status") {
      $0.value("STATUS")?.contains("not reloaded: ") == true
        && $0.value("STATUS")?.contains("requireDeclaration") == true
    }
    #expect(!manager.takeNotifications().contains { $0.value("RELOADING") != nil })
    try client.write(.set("unknown", .integer(1)))
    try directory.write("{}", to: "hub.json5")
    _ = try reloaded(client)
    try manager.wait(for: "RELOADING=1") {
      $0.value("RELOADING") == "1" && ($0.value("MONOTONIC_USEC").flatMap { UInt64($0) } ?? 0) > 0
    }
    let ready = try manager.waitUntilReady()
    #expect(ready.value("STATUS")?.contains("not reloaded") == false)
  }

  @Test("SIGHUP reloads, and SIGUSR2 upgrades", arguments: [SIGHUP, SIGUSR2])
  func signals(signal: Int32) throws {
    let directory = try TemporaryDirectory()
    let manager = try FakeServiceManager(in: directory)
    let hub = try HubProcess(in: directory, manager: manager, waits: false)
    try manager.waitUntilReady()
    let client = try hub.connect()
    hub.process.signal(signal)
    try manager.wait(for: "RELOADING=1") { $0.value("RELOADING") == "1" }
    try manager.waitUntilReady()
    try client.write(.set("a", .integer(1)))
    if signal == SIGUSR2 {
      #expect(hub.process.reports("takes over"))
    } else {
      #expect(!hub.standardError.contains("takes over"))
    }
  }

  @Test(
    "a reload executes no program: kept history continues, and so does a connection that monitors the hub"
  )
  func inPlace() throws {
    let directory = try TemporaryDirectory()
    try directory.write("{ historyBytes: 100000 }", to: "hub.json5")
    let hub = try HubProcess(
      in: directory, arguments: ["--volatile", "--config", directory.file("hub.json5")])
    let client = try hub.connect()
    let monitor = try hub.connect()
    guard case .monitored(let first) = try monitor.call(.monitor(MonitorFilter())), first.begins else {
      throw TestFailure("not monitored")
    }
    try client.write(.set("a", .integer(1)))
    try directory.write(
      "{ historyBytes: 100000, requireDeclaration: true, logLevel: \"warning\" }", to: "hub.json5")
    #expect(try reloaded(client) == [])
    guard case .error(let error) = try client.call(.set("b", .integer(1))), error.code == .undeclared else {
      throw TestFailure("taken")
    }
    try client.write(.set("a", .integer(2)))
    guard case .logged(let log) = try client.call(.log(.everything)) else { throw TestFailure("no log") }
    #expect(log.changes.map(\.value) == [.integer(1), .integer(2)])
    guard case .monitored(let page) = try monitor.call(.monitor(MonitorFilter())) else {
      throw TestFailure("not monitored")
    }
    #expect(!page.begins && page.records.count >= 4)
    #expect(!hub.standardError.contains("takes over"))
  }

  @Test("a change log of another size drops what sessions have not taken, and they get the current values")
  func otherChangeLog() throws {
    let directory = try TemporaryDirectory()
    try directory.write("{}", to: "hub.json5")
    let hub = try HubProcess(
      in: directory, arguments: ["--volatile", "--config", directory.file("hub.json5")])
    let (writer, slow) = (try hub.connect(), try hub.connect())
    try slow.send(.watch("**", policy: .every))
    _ = try slow.eventsUntilSynced()
    // The client takes a part of one of these frames.
    for number in 0..<20 {
      try writer.write(.set("v", .data([UInt8](repeating: UInt8(number), count: 100_000))))
    }
    for bytes in [65_536, 1 << 20] {
      try directory.write("{ changeLogBytes: \(bytes) }", to: "hub.json5")
      #expect(try reloaded(writer) == [])
      try writer.write(.set("v", .data([UInt8](repeating: 200, count: 50_000))))
    }
    try writer.write(.set("end", .integer(1)))
    var (version, hasEnded): (UInt64, Bool) = (0, false)
    while !hasEnded {
      let event = try slow.nextEvent()
      if case .synced = event { continue }
      let state = try #require(event.state)
      if state.value == .integer(1) { hasEnded = true } else { #expect(state.version > version) }
      version = state.version
    }
  }

  @Test("passed sockets stay with the hub", arguments: Renewal.allCases)
  func passedSockets(by way: Renewal) throws {
    let directory = try TemporaryDirectory()
    let manager = try FakeServiceManager(in: directory)
    let paths = ["one.sock", "two.sock"].map { directory.file($0) }
    for path in paths { try manager.listen(at: path, name: "statehub") }
    let hub = try HubProcess(in: directory, socket: paths[0], manager: manager)
    let client = try hub.connect()
    for _ in 0..<3 {
      try hub.renew(client, by: way)
      for path in paths { try RawClient(to: path).hello() }
    }
  }

  @Test(
    "a program that was removed cannot be reloaded, and the hub continues; the one installed in its place takes over"
  )
  func program() throws {
    let directory = try TemporaryDirectory()
    let installed = try directory.copy(ChildProcess.built("statehub"), to: "statehub")
    let hub = try HubProcess(installed, in: directory)
    let client = try hub.connect()
    try client.write(.set("a", .integer(1)))
    rename(installed, directory.file("away"))
    guard case .error(let error) = try client.call(.reload) else { throw TestFailure("reloaded") }
    #expect(error.code == .reloadFailed && error.message.contains(installed))
    try client.write(.set("a", .integer(2)))
    rename(directory.file("away"), installed)
    _ = try reloaded(client)
    #expect(try client.value(of: "a") == .integer(2))
    _ = try RawClient(to: hub.socket).hello()
  }
}

extension String {
  /// JSON5 written with single quotes.
  fileprivate var quoted: String { replacing("'", with: "\"") }
}
