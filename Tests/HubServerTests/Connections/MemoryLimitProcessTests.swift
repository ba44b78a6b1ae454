// Limits of memory at a real hub, with users of their own: who is told what, and what the log says.

import Glibc
import HubCore
import TestSupport
import Testing

@testable import HubEngine
@testable import HubServer

@Suite("Real users' memory", .blocking, .enabled(if: geteuid() == 0))
struct MemoryLimitProcessTests {
  private static let user: UInt32 = 50_031

  private func start(_ directory: TemporaryDirectory, _ settings: String) throws -> HubProcess {
    try directory.write(settings, to: "hub.json5")
    let hub = try HubProcess(
      in: directory,
      arguments: ["--state-dir", directory.file("state"), "--config", directory.file("hub.json5")])
    chmod(hub.socket, 0o666)
    chmod(directory.path, 0o755)
    return hub
  }

  private func connect(_ hub: HubProcess, _ uid: UInt32) throws -> RawClient {
    let client = try RawClient(to: hub.socket, as: uid)
    try client.hello()
    return client
  }

  private func set(_ name: String, _ length: Int) throws -> Request {
    .write(.set(.name(try StoreName(name)), .string(String(repeating: "x", count: length))))
  }

  @Test(
    "a user that has what it may is refused and named once, also after a reload; a restart keeps the limit; others continue"
  )
  func refused() throws {
    let directory = try TemporaryDirectory()
    var hub = try start(directory, "{ maxUserMemoryBytes: 100000 }")
    var client = try connect(hub, Self.user)
    #expect(try client.call(set("a", 90_000)).written != nil)
    for _ in 0..<50 { #expect(try client.call(set("b", 20_000)).error?.code == .quota) }
    let root = try hub.connect()
    #expect(try root.call(set("r", 500_000)).written != nil)
    #expect(try connect(hub, Self.user + 1).call(set("o", 90_000)).written != nil)
    guard case .reloaded = try root.call(.reload) else { throw TestFailure("not reloaded") }
    #expect(try client.call(set("b", 20_000)).error?.code == .quota)
    // Who has less may have more.
    #expect(try client.call(set("a", 1000)).written != nil)
    #expect(try client.call(set("b", 20_000)).written != nil)
    try hub.terminate()
    let log = hub.standardError
    #expect(log.ranges(of: "of user \(Self.user): user \(Self.user) uses").count == 1, "\(log)")
    #expect(log.contains("maxUserMemoryBytes in the hub's configuration allows 100000"))

    hub = try start(directory, "{ maxUserMemoryBytes: 100000 }")
    client = try connect(hub, Self.user)
    #expect(try client.call(set("c", 79_000)).error?.code == .quota)
    #expect(try client.call(set("c", 70_000)).written != nil)
    // A reload may lower the limit: nothing is lost, and nothing more is taken.
    try directory.write("{ maxUserMemoryBytes: 65536 }", to: "hub.json5")
    guard case .reloaded = try hub.connect().call(.reload) else { throw TestFailure("not reloaded") }
    #expect(try client.call(set("d", 1)).error?.code == .quota)
    #expect(
      try client.call(.get(.name(try StoreName("c")))).state?.value
        == .string(String(repeating: "x", count: 70_000)))
    #expect(try client.call(set("c", 1)).written != nil)
    #expect(try client.call(set("d", 1)).written != nil)
  }

  @Test(
    "connections beyond the first eight of a user count, also after a reload, and are refused at the limit")
  func connections() throws {
    let directory = try TemporaryDirectory()
    let hub = try start(directory, "{ maxUserMemoryBytes: 65536 }")
    let root = try hub.connect()
    func refusal() throws -> HubError {
      guard case .reply(0, .error(let error)) = try RawClient(to: hub.socket, as: Self.user).next() else {
        throw TestFailure("not refused")
      }
      return error
    }
    var clients = try (0..<12).map { _ in try connect(hub, Self.user) }
    #expect(try refusal().message.contains("maxUserMemoryBytes in the hub's configuration allows 65536"))
    guard case .reloaded = try root.call(.reload) else { throw TestFailure("not reloaded") }
    #expect(try refusal().code == .quota)
    _ = try connect(hub, Self.user + 1)
    clients.removeLast().close()
    // The hub has noticed the end once the connection is listed no more.
    while case .clients(let list, _) = try root.call(.clients(after: -1, limit: 100)),
      list.count(where: { $0.peer.uid == Self.user }) > 11
    {}
    clients.append(try connect(hub, Self.user))
    #expect(try refusal().code == .quota)
    try hub.terminate()
    #expect(hub.reports("refused a client, process \(getpid()): user \(Self.user) uses"))
  }

  @Test("a client whose watches have grown too much is ended and told why, and its user's others go on")
  func overdrawn() throws {
    let directory = try TemporaryDirectory()
    let hub = try start(directory, "{ maxUserMemoryBytes: 65536 }")
    let (small, large) = (try connect(hub, Self.user), try connect(hub, Self.user))
    _ = try small.call(.watch([try NamePattern("a.b")]))
    _ = try large.call(.watch([try NamePattern("a.*"), try NamePattern("*.a")]))
    let root = try hub.connect()
    for index in 0..<1000 {
      _ = try root.call(.write(.set(.name(try StoreName("a.n\(index)")), .integer(1))))
    }
    let messages = try large.messagesUntilEnd()
    guard case .event(.ended(let reason, let message))? = messages.last else {
      throw TestFailure("\(messages.count)")
    }
    #expect(reason == .quota && message.contains("maxUserMemoryBytes in its configuration allows 65536"))
    guard case .pong = try small.call(.ping) else { throw TestFailure("not served") }
    guard case .error(let error) = try small.call(.watch([try NamePattern("a.*")])) else {
      throw TestFailure("not refused")
    }
    #expect(error.code == .quota)
    try hub.terminate()
    #expect(hub.reports("of user \(Self.user): its watches match more stores than before"))
  }
}

extension Reply {
  fileprivate var written: Bool? { if case .written(let result) = self { result.changed } else { nil } }
  fileprivate var error: HubError? { if case .error(let error) = self { error } else { nil } }
  fileprivate var state: StoreState? { if case .value(let state) = self { state } else { nil } }
}
