// Access rules over real sockets: the kernel says who is there, and the hub acts on it.

import Glibc
import HubCore
import HubEngine
import TestSupport
import Testing

@Suite("Access of other users", .blocking, .enabled(if: geteuid() == 0))
struct AccessProcessTests {
  private static let alice: UInt32 = 50_001
  private static let bob: UInt32 = 50_002

  private static let rules = """
    { defaultAccess: "closed", access: [
      { match: "audio.**", read: "anyone", write: "group:50100", remove: "hub" },
      { match: "desk.**", read: "owner", write: "owner", create: "anyone", remove: "owner", define: "owner" },
    ], stores: {
      "declared": { type: "integer", readers: ["user:50001"], writers: "hub" },
    } }
    """

  private func start(_ directory: TemporaryDirectory, _ arguments: [String] = ["--volatile"]) throws
    -> HubProcess
  {
    let file = directory.file("hub.json5")
    if readFile(file).isEmpty { try directory.write(Self.rules, to: "hub.json5") }
    let hub = try HubProcess(in: directory, arguments: ["--config", file] + arguments)
    chmod(hub.socket, 0o666)
    chmod(directory.path, 0o755)
    return hub
  }

  private func connect(_ hub: HubProcess, _ user: UInt32, groups: [UInt32] = []) throws -> RawClient {
    let client = try RawClient(to: hub.socket, as: user, group: user, groups: groups)
    try client.hello(name: "user \(user)")
    return client
  }

  @Test("each verb needs its right, whoever asks, and a store that may not be read is not there")
  func verbs() throws {
    let directory = try TemporaryDirectory()
    let hub = try start(directory)
    let root = try hub.connect()
    _ = try root.call(.write(.create(StoreName("audio.volume"), Schema(type: .integer))))
    let (alice, bob) = (try connect(hub, Self.alice), try connect(hub, Self.bob, groups: [50_100, 50_101]))
    func code(_ client: RawClient, _ request: Request) throws -> HubError.Code? {
      if case .error(let error) = try client.call(request) { error.code } else { nil }
    }
    let volume = StoreReference.name(try StoreName("audio.volume"))
    #expect(try code(alice, .get(volume)) == nil)
    #expect(try code(alice, .describe(volume)) == nil)
    #expect(try code(alice, .write(.set(volume, .integer(1)))) == .denied)
    #expect(try code(alice, .write(.add(volume, .integer(1)))) == .denied)
    #expect(try code(bob, .write(.set(volume, .integer(1)))) == nil, "his group may")
    #expect(try code(bob, .write(.add(volume, .integer(1)))) == nil)
    #expect(try code(bob, .write(.reset(volume))) == nil)
    #expect(try code(bob, .write(.remove(volume))) == .denied)
    #expect(try code(bob, .write(.create(StoreName("audio.volume"), Schema(type: .double)))) == .denied)
    #expect(try code(bob, .write(.create(StoreName("audio.other"), Schema(type: .double)))) == .denied)
    let desk = StoreReference.name(try StoreName("desk.alice"))
    #expect(try code(alice, .write(.set(desk, .boolean(true)))) == nil)
    #expect(try code(alice, .write(.toggle(desk))) == nil)
    #expect(try code(bob, .get(desk)) == .noSuchStore)
    #expect(try code(bob, .transaction([.toggle(desk)])) == .noSuchStore)
    #expect(try code(alice, .get(.name(StoreName("declared")))) == nil)
    #expect(try code(alice, .write(.set(.name(StoreName("declared")), .integer(1)))) == .denied)
    #expect(try code(bob, .get(.name(StoreName("declared")))) == .noSuchStore)
    #expect(try code(alice, .stats) == .denied)
    #expect(try code(alice, .reload) == .denied)
    #expect(try code(alice, .write(.remove(desk))) == nil)
    #expect(try code(root, .stats) == nil)
    guard case .listed(let stores, _) = try bob.call(.list(.everything)) else { throw TestFailure("no list") }
    #expect(stores.map(\.name) == ["audio.volume"])
  }

  @Test("a reload that takes a right away ends what was shown, says why, and still knows everybody's groups")
  func reload() throws {
    let directory = try TemporaryDirectory()
    let hub = try start(directory)
    let root = try hub.connect()
    _ = try root.call(.write(.create(StoreName("audio.volume"), Schema(type: .integer))))
    let (alice, bob) = (try connect(hub, Self.alice), try connect(hub, Self.bob, groups: [50_100]))
    for client in [alice, bob] {
      _ = try client.call(.watch([.everything]))
      _ = try client.eventsUntilSynced()
    }
    try directory.write(
      "{ defaultAccess: 'closed', access: [{ match: 'audio.**', read: 'group:50100', write: 'group:50100' }] }",
      to: "hub.json5")
    guard case .reloaded = try root.call(.reload) else { throw TestFailure("not reloaded") }
    let events = try alice.eventsUntilSynced()
    let withdrawn = events.compactMap { event in
      if case .removed(let name, let removal, _, _) = event, removal.isWithdrawn { name } else { nil }
    }
    #expect(Set(withdrawn) == ["audio.volume", "declared"])
    #expect(withdrawn.count == events.count - 1)
    let volume = StoreReference.name(try StoreName("audio.volume"))
    guard case .written = try bob.call(.write(.set(volume, .integer(4)))) else {
      throw TestFailure("refused")
    }
    guard case .change(let state, _, _) = try bob.nextEvent() else { throw TestFailure("not told") }
    #expect(state.value == .integer(4))
    guard case .error(let error) = try alice.call(.get(volume)) else { throw TestFailure("shown") }
    #expect(error.code == .noSuchStore)
    #expect(try alice.call(.ping) != .unwatched)
    // A second reload, with the same rules, tells nobody anything.
    guard case .reloaded = try root.call(.reload) else { throw TestFailure("not reloaded") }
    guard case .written = try bob.call(.write(.set(volume, .integer(5)))) else {
      throw TestFailure("refused")
    }
    guard case .change = try bob.nextEvent() else { throw TestFailure("told something else") }
  }

  @Test(
    "a reload may change the rules and declare stores at once; if a declaration is refused, it does neither")
  func declarations() throws {
    let directory = try TemporaryDirectory()
    let hub = try start(directory)
    let (root, alice) = (try hub.connect(), try connect(hub, Self.alice))
    _ = try alice.call(.watch([.everything]))
    _ = try alice.eventsUntilSynced()
    func reload(_ limit: Int, read: String, _ stores: String) throws -> Reply {
      let rules = "defaultAccess: 'closed', access: [{ match: 'new.**', read: '\(read)' }]"
      try directory.write("{ maxStores: \(limit), \(rules), stores: \(stores) }", to: "hub.json5")
      return try root.call(.reload)
    }
    let stores = "{ 'new.one': { type: 'integer' }, 'new.two': { type: 'integer', readers: 'hub' } }"
    guard case .reloaded = try reload(9, read: "anyone", stores) else { throw TestFailure("not reloaded") }
    let events = try alice.eventsUntilSynced()
    // She may read more than before: everything comes anew.
    let shown = events.compactMap { if case .current(let name, _) = $0 { name } else { nil } }
    #expect(shown == ["new.one"], "\(events)")
    guard case .error(let error) = try reload(1, read: "user:50002", "{ 'new.three': { type: 'integer' } }")
    else {
      throw TestFailure("reloaded")
    }
    #expect(error.code == .invalidConfiguration)
    #expect(try alice.value(of: "new.one") == .integer(0), "the rules in force stay")
    guard case .reloaded = try reload(9, read: "user:50002", "{ 'new.three': { type: 'integer' } }") else {
      throw TestFailure("not reloaded")
    }
    #expect(try connect(hub, Self.bob).value(of: "new.three") == .integer(0))
    guard case .error(let hidden) = try alice.call(.get("new.three")) else { throw TestFailure("shown") }
    #expect(hidden.code == .noSuchStore)
  }

  @Test("an owner is known after the hub was killed")
  func restart() throws {
    let directory = try TemporaryDirectory()
    let state = ["--state-dir", directory.file("state")]
    let hub = try start(directory, state)
    let desk = StoreReference.name(try StoreName("desk.alice"))
    let alice = try connect(hub, Self.alice)
    guard case .written = try alice.call(.write(.set(desk, .integer(4)))) else {
      throw TestFailure("refused")
    }
    hub.kill()
    let next = try start(directory, state)
    guard case .value(let found) = try connect(next, Self.alice).call(.get(desk)) else {
      throw TestFailure("not his any more")
    }
    #expect(found.value == .integer(4))
    guard case .error(let error) = try connect(next, Self.bob).call(.get(desk)) else {
      throw TestFailure("shown")
    }
    #expect(error.code == .noSuchStore)
  }

  @Test("the check of a configuration tells of rules that can never match, and takes them for no error")
  func check() throws {
    let directory = try TemporaryDirectory()
    try directory.write(
      "{ access: [\n  { match: '**' },\n  { match: '*.**', read: 'anyone' },\n] }", to: "hub.json5")
    let check = try ChildProcess(
      ChildProcess.built("statehub"), ["--check-config", "--config", directory.file("hub.json5")],
      directory: directory)
    #expect(try check.wait() == .status(0))
    #expect(
      check.reports("hub.json5:2:3: access[0]: ** can never match"), "\(check.standardError)")
  }

  @Test("statehub access says which rule decides about a name, and what it lets a user do")
  func explanation() throws {
    let directory = try TemporaryDirectory()
    try directory.write(Self.rules, to: "hub.json5")
    func ask(_ words: String...) throws -> (exit: ChildProcess.Exit, output: String, errors: String) {
      let process = try ChildProcess(
        ChildProcess.built("statehub"), ["access", "--config", directory.file("hub.json5")] + words,
        directory: directory)
      return (try process.wait(), process.standardOutput, process.standardError)
    }
    let alice = try ask("--as", "50001", "desk.lamp")
    #expect(alice.exit == .status(0), "\(alice.errors)")
    #expect(
      alice.output == """
        access[1] applies to desk.lamp: its pattern is desk.**
          50001 may read: only as its owner
          50001 may write: only as its owner
          50001 may create: yes, because of anyone
          50001 may remove: only as its owner
          50001 may define: only as its owner
          50001 may provide: no

        """)
    #expect(try ask("declared", "--as=50001").output.contains("50001 may read: yes, because of user:50001\n"))
    let closed = try ask("other", "--as=50001").output
    #expect(closed.hasPrefix("defaultAccess \"closed\" applies to other: its pattern is **\n"))
    #expect(try ask("other", "--as", "root").output == "root may do everything, regardless of the rules\n")
    #expect(try ask("--as", "statehub-has-no-such-user", "other").exit == .status(1))
    #expect(try ask("--as").exit == .status(2))
  }
}
