// The configuration's `sockets` with a real hub: where they are, who comes through them, and what reloads and restarts change.

import CLinux
import Glibc
import HubCore
import HubEngine
import TestSupport
import Testing

@Suite("Further sockets", .blocking)
struct FurtherSocketTests {
  private let directory: TemporaryDirectory

  init() throws { directory = try TemporaryDirectory() }

  private func configure(_ sockets: String, _ rest: String = "") throws {
    try directory.write("{ sockets: { \(sockets) }, \(rest) }", to: "hub.json5")
  }

  private func entry(_ name: String, _ rest: String = "") -> String {
    "\(name): { path: '\(directory.file("\(name).sock"))', \(rest) },"
  }

  private func start(manager: FakeServiceManager? = nil, _ arguments: [String] = ["--volatile"]) throws
    -> HubProcess
  {
    try HubProcess(
      in: directory, arguments: arguments + ["--config", directory.file("hub.json5")], manager: manager)
  }

  private func connect(_ name: String, saysHello: Bool = true) throws -> RawClient {
    let client = try RawClient(to: directory.file("\(name).sock"))
    if saysHello { try client.hello(name: name) }
    return client
  }

  private func names(_ client: RawClient) throws -> [String] {
    guard case .listed(let stores, _) = try client.call(.list(.everything)) else {
      throw TestFailure("no list")
    }
    return stores.map(\.name)
  }

  private func reload(_ client: RawClient) throws -> [String] {
    let reply = try client.call(.reload)
    guard case .reloaded(_, let notes) = reply else { throw TestFailure("answered with \(reply)") }
    return notes
  }

  private func status(of name: String) throws -> stat {
    var status = stat()
    guard lstat(directory.file("\(name).sock"), &status) == 0 else { throw TestFailure("no \(name)") }
    return status
  }

  private func code(_ reply: Reply) -> HubError.Code? {
    if case .error(let error) = reply { error.code } else { nil }
  }

  @Test("who connects to one has its limits, its file has its mode, and it goes with the hub")
  func limits() throws {
    try configure(entry("web", "prefix: 'ct.web', mode: '0640'") + entry("look", "rights: ['read']"))
    let hub = try start()
    let (host, web, look) = (try hub.connect(), try connect("web"), try connect("look"))
    try host.write(.set("host", .integer(1)))
    try web.write(.set("ct.web.a", .integer(1)))
    #expect(try code(web.call(.set("elsewhere", .integer(1)))) == .denied)
    #expect(try names(web) == ["ct.web.a"])
    #expect(try names(look) == ["ct.web.a", "host"])
    #expect(try code(look.call(.set("host", .integer(2)))) == .denied)
    #expect(try code(web.call(.reload)) == .denied)
    #expect(try status(of: "web").st_mode & 0o777 == 0o640)
    #expect(hub.reports("web.sock (web)"))
    #expect(try hub.terminate() == .status(0))
    #expect(access(directory.file("web.sock"), F_OK) != 0)
  }

  @Test(
    "reloads and upgrades keep sessions with their socket, and add, change and remove sockets",
    arguments: Renewal.allCases)
  func reloads(by way: Renewal) throws {
    try configure(entry("web", "prefix: 'a'") + entry("old", "prefix: 'b'"))
    let hub = try start()
    let (host, web, old) = (try hub.connect(), try connect("web"), try connect("old"))
    for name in ["a.x", "b.x", "c.x"] { try host.write(.set(name, .integer(1))) }
    #expect(try hub.renew(host, by: way) == [])
    #expect(try names(web) == ["a.x"])
    try configure(entry("web", "prefix: 'c', mode: '0600'") + entry("new", "prefix: 'b'"))
    #expect(try hub.renew(host, by: way) == [])
    #expect(try names(web) == ["c.x"], "the same connection, with the new limits")
    #expect(try names(connect("new")) == ["b.x"])
    #expect(try status(of: "web").st_mode & 0o777 == 0o600)
    guard case .ended(.shuttingDown, let why) = try old.nextEvent() else { throw TestFailure("goes on") }
    #expect(why == "the configuration no longer has sockets.old")
    #expect(access(directory.file("old.sock"), F_OK) != 0)
  }

  @Test("a restart through the service manager keeps them as well")
  func restart() throws {
    try configure(entry("web", "prefix: 'a'"))
    let manager = try FakeServiceManager(in: directory)
    try manager.listen(at: directory.file("hub.sock"), name: "statehub")
    let arguments = ["--state-dir", directory.file("state")]
    var hub = try HubProcess(
      in: directory, arguments: arguments + ["--config", directory.file("hub.json5")],
      environment: ["FDSTORE": "16"], manager: manager)
    let (host, web) = (try hub.connect(), try connect("web"))
    try host.write(.set("a.x", .integer(1)))
    try host.write(.set("b.x", .integer(1)))
    hub.process.signal(SIGTERM)
    #expect(try manager.waitForEnd(of: hub.process) == .status(0))
    hub = try HubProcess(
      in: directory, arguments: arguments + ["--config", directory.file("hub.json5")],
      environment: ["FDSTORE": "16"], manager: manager)
    #expect(try names(web) == ["a.x"])
    #expect(try names(connect("web")) == ["a.x"])
    #expect(try names(host) == ["a.x", "b.x"])
  }

  @Test(
    "a socket of a service manager is found by its name, and one with a name that nobody knows is not served")
  func passed() throws {
    try configure("web: { prefix: 'a' },")
    let manager = try FakeServiceManager(in: directory)
    for (file, name) in [("hub", "statehub"), ("web", "web"), ("odd", "odd")] {
      try manager.listen(at: directory.file("\(file).sock"), name: name)
    }
    let hub = try start(manager: manager)
    let host = try hub.connect()
    try host.write(.set("a.x", .integer(1)))
    try host.write(.set("b.x", .integer(1)))
    let web = try connect("web")
    #expect(try names(web) == ["a.x"])
    #expect(
      hub.reports(
        "clients at \(directory.file("odd.sock")) are not served: the configuration has no"))
    // Its entry is gone: it does not become one without limits.
    try configure("odd: { prefix: 'b' },")
    _ = try reload(host)
    #expect(try names(connect("odd")) == ["b.x"])
    guard case .ended = try web.nextEvent() else { throw TestFailure("goes on") }
    // The kernel accepts it, the hub does not.
    let socket = try #require(RawClient.connectedSocket(to: directory.file("web.sock")))
    var waiting = pollfd(fd: socket, events: Int16(POLLIN), revents: 0)
    #expect(try names(host).count == 2)
    #expect(poll(&waiting, 1, 0) == 0)
    close(socket)
    // It is served again, with those who have connected meanwhile.
    let early = try connect("web", saysHello: false)
    try configure("web: { prefix: 'a' },")
    #expect(try reload(host).count == 1)
    try early.hello()
    #expect(try names(early) == ["a.x"])
  }

  @Test("a stale socket is replaced; a path that cannot be had ends a start, and is a note of a reload")
  func paths() throws {
    try configure(entry("web"))
    let first = try start()
    _ = try first.connect()
    first.kill()
    let hub = try start()
    let host = try hub.connect()
    _ = try connect("web")
    try directory.write("precious", to: "file.sock")
    try configure(entry("web") + entry("file") + "far: { path: '/proc/far.sock' },")
    let notes = try reload(host)
    #expect(notes.count == 2)
    #expect(
      notes.contains { $0.hasPrefix("sockets.file: cannot listen at") && $0.contains("is not a socket") })
    #expect(notes.contains { $0.hasPrefix("sockets.far: cannot listen at") })
    _ = try connect("web")
    #expect(readFile(directory.file("file.sock")) == "precious")
    try hub.terminate()
    let refused = try HubProcess(
      in: directory, arguments: ["--volatile", "--config", directory.file("hub.json5")], waits: false)
    #expect(try refused.process.wait() == .status(1))
    #expect(access(directory.file("hub.sock"), F_OK) != 0, "it leaves nothing behind")
  }

  @Test("a socket's clients count as a user, whoever they are", .enabled(if: geteuid() == 0))
  func user() throws {
    let rules =
      "defaultAccess: 'closed', access: [{ match: 'ct.**', read: 'owner', write: 'owner', create: 'user:daemon' }]"
    try configure(entry("web", "prefix: 'ct.web', as: 'user:daemon', mode: '0666', group: 'daemon'"), rules)
    let hub = try start()
    chmod(directory.path, 0o755)
    let host = try hub.connect()
    let web = try RawClient(to: directory.file("web.sock"), as: 65_534)
    try web.hello(name: "container")
    try web.write(.set("ct.web.a", .integer(1)))
    guard case .clients(let clients, _) = try host.call(.clients()) else { throw TestFailure("no clients") }
    #expect(clients.first { $0.name == "container" }?.peer.uid == 1)
    #expect(try status(of: "web").st_gid == 1)
    #expect(try reload(host) == [])
    #expect(try names(web) == ["ct.web.a"], "its user's groups and name are known after a reload")
    try configure(entry("web", "prefix: 'ct.web', as: 'user:bin', mode: '0666', group: 'daemon'"), rules)
    _ = try reload(host)
    guard case .ended(_, let why) = try web.nextEvent() else { throw TestFailure("goes on") }
    #expect(why.contains("now maps its clients to another user"))
  }
}
