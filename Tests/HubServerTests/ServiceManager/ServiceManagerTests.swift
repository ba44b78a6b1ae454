// A hub under a service manager: when it is ready, what it reports, and the sockets that it is given.

import CLinux
import Glibc
import HubCore
import HubEngine
import HubSystem
import TestSupport
import Testing

@Suite("Under a service manager", .blocking)
struct ServiceManagerTests {
  @Test("a hub says that it is ready when it can be connected to, and what it holds")
  func ready() throws {
    let directory = try TemporaryDirectory()
    let manager = try FakeServiceManager(in: directory)
    let hub = try HubProcess(in: directory, manager: manager, waits: false)
    let ready = try manager.waitUntilReady()
    #expect(ready.value("STATUS") == "0 stores, 0 clients, revision 0")
    let client = try hub.connect()
    #expect(try client.write(.set("a", .integer(1))).changed)
    try manager.wait(for: "the new counts") { $0.value("STATUS") == "1 store, 1 client, revision 1" }
    hub.process.signal(SIGTERM)
    try manager.wait(for: "STOPPING=1") { $0.value("STOPPING") == "1" }
    #expect(try hub.process.wait() == .status(0))
  }

  @Test(
    "signs of life come from the loop: a hub that is stopped gives none, and continues when it is continued")
  func watchdog() throws {
    let directory = try TemporaryDirectory()
    let manager = try FakeServiceManager(in: directory)
    let hub = try HubProcess(
      in: directory, environment: ["WATCHDOG_USEC": "200000"], manager: manager, waits: false)
    try manager.waitUntilReady()
    for _ in 0..<5 { try manager.wait(for: "WATCHDOG=1") { $0.value("WATCHDOG") == "1" } }
    hub.process.signal(SIGSTOP)
    // Whatever was in flight has arrived once a signal's effect is visible.
    while !readFile("/proc/\(hub.pid)/stat").contains(") T ") {}
    _ = manager.takeNotifications()
    #expect(throws: TestFailure.self) { try manager.wait(for: "nothing", atMost: 1) { _ in true } }
    hub.process.signal(SIGCONT)
    try manager.wait(for: "WATCHDOG=1") { $0.value("WATCHDOG") == "1" }
  }

  @Test("a service manager that does not read is not waited for, and is told when it reads again")
  func silentManager() throws {
    let directory = try TemporaryDirectory()
    let manager = try FakeServiceManager(in: directory)
    let hub = try HubProcess(in: directory, environment: ["WATCHDOG_USEC": "2000"], manager: manager)
    let client = try hub.connect()
    // Its queue takes some signs of life.
    let witness = try Socket.datagrams(to: manager.address)
    while Poll.wait(for: .writing, on: witness.raw, milliseconds: 0) { _ = try client.call(.ping) }
    for _ in 0..<100 { _ = try client.call(.ping) }
    guard case .reloaded = try client.call(.reload) else { throw TestFailure("not reloaded") }
    try client.write(.set("a", .integer(1)))
    try manager.wait(for: "the present counts") { $0.value("STATUS") == "1 store, 1 client, revision 1" }
    while Poll.wait(for: .writing, on: witness.raw, milliseconds: 0) { _ = try client.call(.ping) }
    #expect(try hub.terminate() == .status(0))
  }

  @Test("the status shows that the disk refuses writes, until it takes them again")
  func refusingDisk() throws {
    let directory = try TemporaryDirectory()
    let manager = try FakeServiceManager(in: directory)
    let hub = try HubProcess(
      in: directory, arguments: ["--state-dir", directory.file("state")], manager: manager, waits: false)
    try manager.waitUntilReady()
    let client = try hub.connect()
    try client.write(.set("a", .integer(1)))
    for (limit, isRefused) in [("4096", true), ("unlimited", false)] {
      let words = ["prlimit", "--pid", "\(hub.pid)", "--fsize=\(limit):unlimited"]
      guard try ChildProcess("/usr/bin/env", words, directory: directory).wait() == .status(0) else { return }
      // The first write after the change notices it.
      _ = try client.call(.write(.set(.name(try StoreName("a")), .integer(2))))
      try manager.wait(for: "the disk in the status") {
        $0.value("STATUS")?.hasSuffix("; persistent writes are refused: File too large") == isRefused
      }
    }
    #expect(try hub.terminate() == .status(0))
  }

  @Test("a socket of the service manager's that is removed is missed, in the status and in the log")
  func missingSocket() throws {
    let directory = try TemporaryDirectory()
    let manager = try FakeServiceManager(in: directory)
    let socket = directory.file("hub.sock")
    try manager.listen(at: socket, name: "statehub")
    for isThere in [true, false] {
      let hub = try HubProcess(in: directory, socket: socket, manager: manager, waits: false)
      if isThere {
        try manager.waitUntilReady()
        unlink(socket)
      }
      try manager.wait(for: "the problem") {
        $0.value("STATUS")?.contains("\(socket) was removed or replaced") == true
      }
      hub.process.signal(SIGTERM)
      #expect(try manager.waitForEnd(of: hub.process) == .status(0))
      #expect(hub.reports("systemctl restart statehub.socket"))
    }
  }

  @Test("a hub that has a state directory to read asks for the time that it takes, before it is ready")
  func recovering() throws {
    let directory = try TemporaryDirectory()
    let arguments = ["--state-dir", directory.file("state")]
    let first = try HubProcess(in: directory, arguments: arguments)
    #expect(try first.connect().write(.set("a", .integer(1))).changed)
    try first.terminate()
    let manager = try FakeServiceManager(in: directory)
    let hub = try HubProcess(in: directory, arguments: arguments, manager: manager, waits: false)
    let said = try manager.wait(for: "EXTEND_TIMEOUT_USEC") {
      #expect($0.value("READY") == nil)
      return $0.value("EXTEND_TIMEOUT_USEC") != nil
    }
    #expect(said.value("EXTEND_TIMEOUT_USEC").flatMap { UInt64($0) } ?? 0 > 60_000_000)
    #expect(said.value("STATUS")?.hasPrefix("reading ") == true)
    try manager.waitUntilReady()
    #expect(try hub.connect().value(of: "a") == .integer(1))
  }

  @Test("a hub that cannot start says why")
  func failing() throws {
    let directory = try TemporaryDirectory()
    let manager = try FakeServiceManager(in: directory)
    try directory.write("{ strikt: true }\n", to: "wrong.json5")
    let hub = try HubProcess(
      in: directory, arguments: ["--volatile", "--config", directory.file("wrong.json5")], manager: manager,
      waits: false)
    let said = try manager.wait(for: "ERRNO") { $0.value("ERRNO") != nil }
    #expect(said.value("ERRNO") == "\(EINVAL)")
    #expect(said.value("STATUS")?.contains("wrong.json5:1:3: strikt: unknown key") == true, "\(said)")
    #expect(try hub.process.wait() == .status(1))
  }

  @Test(
    "a hub that was started by its first client serves all the sockets that it was given, and leaves their files"
  )
  func activation() throws {
    let directory = try TemporaryDirectory()
    let manager = try FakeServiceManager(in: directory)
    let paths = ["one.sock", "two.sock"].map { directory.file($0) }
    for path in paths { try manager.listen(at: path, name: "statehub") }
    // They wait in the queue before there is a hub.
    let early = try RawClient(to: paths[1])
    let hub = try HubProcess(
      in: directory, socket: directory.file("unused.sock"), manager: manager, waits: false)
    try early.hello()
    #expect(try early.write(.set("a", .integer(7))).changed)
    let other = try RawClient(to: paths[0])
    try other.hello()
    #expect(try other.value(of: "a") == .integer(7))
    #expect(access(directory.file("unused.sock"), F_OK) != 0)
    try hub.terminate()
    #expect(paths.allSatisfy { access($0, F_OK) == 0 })

    // The next hub gets the same sockets.
    let next = try HubProcess(in: directory, socket: paths[0], manager: manager)
    _ = try next.connect()
  }

  @Test("something that cannot be listened on is refused, by name")
  func wrongDescriptor() throws {
    let directory = try TemporaryDirectory()
    let manager = try FakeServiceManager(in: directory)
    manager.pass(socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0), name: "metrics")
    let hub = try HubProcess(in: directory, manager: manager, waits: false)
    #expect(try hub.process.wait() == .status(1))
    #expect(
      hub.standardError
        == "statehub: cannot listen on descriptor 3, passed as metrics: it is not a listening Unix stream socket: "
        + "use ListenStream= with a path, and Accept=no\n")
  }
}
