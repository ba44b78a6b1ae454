// A stop wins: whatever else a hub is asked, and whenever, it ends as the stop demands.

import CLinux
import Glibc
import HubCore
import HubEngine
import TestSupport
import Testing

@Suite("Stops and reloads in every order", .blocking)
struct StopOrderTests {
  /// What can be asked of a hub from outside.
  enum Ask: String, CaseIterable, Sendable {
    case hangUp, upgrade, terminate, interrupt

    var isStop: Bool { self == .terminate || self == .interrupt }
  }

  /// Every sequence of up to three, and two of each in both orders.
  static let sequences: [[Ask]] = {
    let single = Ask.allCases.map { [$0] }
    let double = single.flatMap { first in Ask.allCases.map { first + [$0] } }
    let triple = double.flatMap { first in Ask.allCases.map { first + [$0] } }
    let twice = Ask.allCases.flatMap { [$0, $0] }
    return single + double + triple + [twice, twice.reversed()]
  }()

  private func send(_ asks: [Ask], to hub: HubProcess, _ client: RawClient) throws -> [UInt32] {
    var requests: [UInt32] = []
    for ask in asks {
      switch ask {
      case .hangUp: hub.process.signal(SIGHUP)
      case .terminate: hub.process.signal(SIGTERM)
      case .interrupt: hub.process.signal(SIGINT)
      // A stopped hub takes no more requests.
      case .upgrade: if let request = try? hub.ask(client, for: .upgrade) { requests.append(request) }
      }
    }
    return requests
  }

  /// The hub has ended and told its clients why; or it continues to serve, and no connection has ended.
  private func check(_ asks: [Ask], _ hub: HubProcess, _ client: RawClient, _ witness: RawClient) throws {
    if asks.contains(where: \.isStop) {
      #expect(try hub.process.wait() == .status(0), "\(asks): \(hub.standardError)")
      guard case .event(.ended(.shuttingDown, _)) = try witness.messagesUntilEnd().last else {
        throw TestFailure("\(asks): the client was not told")
      }
    } else {
      guard case .pong = try witness.call(.ping), case .pong = try client.call(.ping) else {
        throw TestFailure("\(asks): the hub serves no more")
      }
    }
  }

  @Test("all of them at once, found by a process that was stopped", arguments: 0..<4)
  func stoppedProcess(part: Int) throws {
    let directory = try TemporaryDirectory()
    for (index, asks) in Self.sequences.enumerated() where index % 4 == part {
      let hub = try HubProcess(in: directory)
      let (client, witness) = (try hub.connect(), try hub.connect())
      hub.process.signal(SIGSTOP)
      while !readFile("/proc/\(hub.pid)/stat").contains(") T ") {}
      let requests = try send(asks, to: hub, client)
      hub.process.signal(SIGCONT)
      for request in requests {
        switch try client.reply(to: request) {
        case .reloaded where !asks.contains(where: \.isStop): break
        case .error(let error) where error.code == .reloadFailed && asks.contains(where: \.isStop): break
        case let reply: throw TestFailure("\(asks): the reload was answered with \(reply)")
        }
      }
      try check(asks, hub, client, witness)
      hub.kill()
    }
  }

  @Test("one after the other, to a hub that is at work on them", arguments: 0..<4)
  func servingProcess(part: Int) throws {
    let directory = try TemporaryDirectory()
    for (index, asks) in Self.sequences.enumerated() where index % 4 == part {
      let hub = try HubProcess(in: directory)
      let (client, witness) = (try hub.connect(), try hub.connect())
      _ = try send(asks, to: hub, client)
      try check(asks, hub, client, witness)
      hub.kill()
    }
  }

  @Test(
    "a stop at any moment of an upgrade: while the program is tried, executed, and takes over",
    arguments: 0..<4)
  func duringUpgrade(part: Int) throws {
    let directory = try TemporaryDirectory()
    for delay in stride(from: part, to: 40, by: 4) {
      let hub = try HubProcess(in: directory)
      let (client, witness) = (try hub.connect(), try hub.connect())
      let asked = ContinuousClock.now
      _ = try send([.upgrade], to: hub, client)
      // A different moment each time: this waits for nothing.
      while ContinuousClock.now - asked < .milliseconds(delay) {}
      hub.process.signal(delay % 3 == 0 ? SIGINT : SIGTERM)
      try check([.terminate], hub, client, witness)
    }
  }

  // MARK: The start

  /// A hub that waits for its configuration, and how to give it one.
  private func waiting(in directory: TemporaryDirectory) throws -> (hub: HubProcess, configuration: Int32) {
    let path = directory.file("pipe.json5")
    guard mkfifo(path, 0o600) == 0 else { throw TestFailure("mkfifo") }
    let writer = open(path, O_RDWR | O_CLOEXEC)
    let hub = try HubProcess(in: directory, arguments: ["--volatile", "--config", path], waits: false)
    try waitUntilOpen(path, by: hub)
    return (hub, writer)
  }

  private func waitUntilOpen(_ path: String, by hub: HubProcess) throws {
    let deadline = ContinuousClock.now + .seconds(longestWait)
    while ContinuousClock.now < deadline, hub.process.poll(milliseconds: 1) == nil {
      for number in 0..<16 where link(number, of: hub.pid).hasPrefix(path) { return }
    }
    throw TestFailure("the hub does not open \(path): \(hub.standardError)")
  }

  private func link(_ descriptor: Int, of pid: Int32) -> String {
    var path = [UInt8](repeating: 0, count: 4096)
    let length = path.withUnsafeMutableBytes {
      readlink("/proc/\(pid)/fd/\(descriptor)", $0.baseAddress!.assumingMemoryBound(to: CChar.self), $0.count)
    }
    return String(decoding: path.prefix(max(0, length)), as: UTF8.self)
  }

  @Test(
    "SIGHUP or SIGUSR2 during the start waits until there is something to reload",
    arguments: [SIGHUP, SIGUSR2])
  func reloadDuringStart(signal: Int32) throws {
    let directory = try TemporaryDirectory()
    let (hub, configuration) = try waiting(in: directory)
    hub.process.signal(signal)
    _ = write(configuration, "{}", 2)
    close(configuration)
    try hub.waitUntilReady()
    _ = try hub.connect().call(.ping)
    #expect(hub.process.poll(milliseconds: 0) == nil)
  }

  @Test("a stop during the start ends the hub at once", arguments: [SIGTERM, SIGINT])
  func stopDuringStart(signal: Int32) throws {
    let directory = try TemporaryDirectory()
    let (hub, configuration) = try waiting(in: directory)
    defer { close(configuration) }
    hub.process.signal(SIGHUP)
    hub.process.signal(signal)
    #expect(try hub.process.wait() == .status(0))
    #expect(access(hub.socket, F_OK) != 0)
  }

  @Test(
    "a stop during a long recovery ends the hub at once, and costs nothing", arguments: [SIGTERM, SIGINT])
  func stopDuringRecovery(signal: Int32) throws {
    let directory = try TemporaryDirectory()
    let arguments = ["--state-dir", directory.file("state")]
    let first = try HubProcess(in: directory, arguments: arguments)
    try first.connect().write(.set("a", .integer(1)))
    try first.terminate()
    // Its service manager does not read: the hub waits for it once recovery has begun.
    let manager = try FakeServiceManager(in: directory)
    let clog = clinux_datagrams_to(manager.address, manager.address.utf8.count)
    while clinux_send(clog, "X=1", 3) > 0 {}
    close(clog)
    let hub = try HubProcess(in: directory, arguments: arguments, manager: manager, waits: false)
    try waitUntilOpen(directory.file("state"), by: hub)
    hub.process.signal(signal)
    #expect(try hub.process.wait() == .status(0))
    let next = try HubProcess(in: directory, arguments: arguments)
    #expect(try next.connect().value(of: "a") == .integer(1))
  }

  // MARK: Under a service manager

  private static let stores = ["FDSTORE": "512"]

  @Test(
    "under a service manager the stop is a hand-over, an interrupt the end, and a reload never wins",
    arguments: [
      [SIGHUP, SIGTERM], [SIGTERM, SIGHUP], [SIGTERM, SIGTERM], [SIGHUP, SIGINT], [SIGINT, SIGHUP],
      [SIGTERM, SIGINT], [SIGHUP, SIGTERM, SIGINT],
    ])
  func handOver(signals: [Int32]) throws {
    let directory = try TemporaryDirectory()
    let manager = try FakeServiceManager(in: directory)
    let hub = try HubProcess(in: directory, environment: Self.stores, manager: manager, waits: false)
    try manager.waitUntilReady()
    let client = try hub.connect()
    hub.process.signal(SIGSTOP)
    while !readFile("/proc/\(hub.pid)/stat").contains(") T ") {}
    for signal in signals { hub.process.signal(signal) }
    hub.process.signal(SIGCONT)
    #expect(try manager.waitForEnd(of: hub.process) == .status(0), "\(hub.standardError)")
    #expect(!manager.takeNotifications().contains { $0.value("RELOADING") != nil })
    if signals.contains(SIGINT) {
      guard case .event(.ended(.shuttingDown, _)) = try client.messagesUntilEnd().last else {
        throw TestFailure("not told")
      }
      #expect(manager.storedCount == 0)
    } else {
      #expect(manager.storedCount > 0)
      let next = try HubProcess(in: directory, environment: Self.stores, manager: manager, waits: false)
      try manager.waitUntilReady()
      _ = try client.call(.ping)
      _ = try next.connect()
    }
  }

  @Test("an interrupt that comes while a hub hands over takes that back: the clients are told")
  func interruptedHandOver() throws {
    let directory = try TemporaryDirectory()
    let manager = try FakeServiceManager(in: directory)
    let hub = try HubProcess(in: directory, environment: Self.stores, manager: manager, waits: false)
    try manager.waitUntilReady()
    let client = try hub.connect()
    hub.process.signal(SIGTERM)
    // The hub waits for the answer to its barrier, which the manager has not read.
    while manager.unreadBytes == 0 {}
    hub.process.signal(SIGINT)
    #expect(try manager.waitForEnd(of: hub.process) == .status(0), "\(hub.standardError)")
    guard case .event(.ended(.shuttingDown, _)) = try client.messagesUntilEnd().last else {
      throw TestFailure("not told")
    }
    #expect(manager.storedCount == 0)
  }

  @Test("a stop at any moment of a restart loses nothing that was handed over")
  func duringRestart() throws {
    let directory = try TemporaryDirectory()
    let manager = try FakeServiceManager(in: directory)
    func start() throws -> HubProcess {
      _ = manager.takeNotifications()
      return try HubProcess(in: directory, environment: Self.stores, manager: manager, waits: false)
    }
    var hub = try start()
    try manager.waitUntilReady()
    let client = try hub.connect()
    try client.write(.set("kept", .integer(1)))
    for delay in 0..<20 {
      hub.process.signal(SIGTERM)
      _ = try manager.waitForEnd(of: hub.process)
      hub = try start()
      let started = ContinuousClock.now
      while ContinuousClock.now - started < .milliseconds(delay) {}
    }
    try manager.waitUntilReady()
    #expect(try client.value(of: "kept") == .integer(1))
  }
}
