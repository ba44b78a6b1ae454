// What a person reads from a hub: the log at each level, several lines in one message, and which setting raises a limit.

import Glibc
import HubCore
import TestSupport
import Testing

@testable import HubEngine
@testable import HubServer

@Suite("What the log and the errors tell", .blocking)
struct DebugLogTests {
  private func hub(
    _ directory: TemporaryDirectory, level: String, configuration: String = "{}",
    arguments: [String] = ["--volatile"]
  ) throws -> HubProcess {
    let path = try directory.write(configuration, to: "hub.json5")
    return try HubProcess(in: directory, arguments: arguments + ["--config", path, "--log-level", level])
  }

  @Test("at debug the log tells of connections, refused requests, signals, upgrades, hand-offs and the end")
  func debug() throws {
    let directory = try TemporaryDirectory()
    let hub = try hub(directory, level: "debug")
    let client = try hub.connect(name: "a \"player\"\n")
    _ = try client.call(.get("absent"))
    try hub.renew(client, by: .upgrade)
    hub.process.signal(SIGHUP)
    // The hub reads requests and signals in the order of their events, so it has seen the signal by then.
    while !hub.standardError.contains("signal: SIGHUP") { _ = try client.call(.ping) }
    client.close()
    let title = "(\"a \\\"player\\\"\\n\"), process \(getpid()) of user \(geteuid()): "
    // Until the child of another test's fork has executed its program, it has the connection, too.
    #expect(hub.reports(title + "closed after "))
    try RawClient(to: hub.socket).send(bytes: [UInt8](repeating: 0xFF, count: 12))
    let witness = try hub.connect(name: "witness")
    while !hub.standardError.contains("ended by the hub") { _ = try witness.call(.ping) }
    try hub.terminate()
    for text in [
      "process \(getpid()) of user \(geteuid()): opened", title + "sent hello",
      title + "request 2 is refused, noSuchStore: ", "signal: SIGUSR2, an upgrade", "upgrade: trying ",
      "upgrade: handing over to ",
      "hand-off: an image of ", " bytes, with 0 stores and 1 connection", title + "is notified of the reload",
      "ended by the hub after ", "signal: SIGTERM, the hub stops",
    ] { #expect(hub.reports(text), "\(text) in \(hub.standardError)") }
    for line in hub.standardError.split(separator: "\n") { #expect(line.hasPrefix("statehub: ")) }
  }

  @Test("at debug the log tells when a snapshot begins and when it is over")
  func snapshots() throws {
    let directory = try TemporaryDirectory()
    let hub = try hub(
      directory, level: "debug", configuration: "{ snapshotThresholdBytes: 65536 }",
      arguments: ["--state-dir", directory.file("state")])
    let client = try hub.connect()
    var number = 0
    while !hub.standardError.contains("snapshot: over"), number < 100_000 {
      number += 1
      try client.write(.set("a", .data([UInt8](repeating: UInt8(truncatingIfNeeded: number), count: 4000))))
    }
    #expect(hub.reports("snapshot: begun"))
    #expect(hub.reports("snapshot: over"))
  }

  @Test("at the other levels none of this is logged", arguments: ["info", "warning"])
  func others(level: String) throws {
    let directory = try TemporaryDirectory()
    let hub = try hub(directory, level: level)
    let client = try hub.connect()
    _ = try client.call(.get("absent"))
    client.close()
    try hub.terminate()
    #expect(hub.standardError.split(separator: "\n").count == (level == "info" ? 2 : 0))
  }

  @Test("each line of a message has the same in front of it")
  func lines() {
    #expect(LogWriter.lines("one", after: "<3>") == "<3>one\n")
    #expect(
      LogWriter.lines("one\n\ntwo", after: "statehub: ") == "statehub: one\nstatehub: \nstatehub: two\n")
  }

  @Test("--check-config prints what is wrong as it is, a hub that starts prints it after its name")
  func problems() throws {
    let directory = try TemporaryDirectory()
    let file = try directory.write("{\n  requireDeclaration: 1,\n  maxClients: 0,\n}\n", to: "bad.json5")
    func errors(_ arguments: [String]) throws -> [Substring] {
      let process = try ChildProcess(
        ChildProcess.built("statehub"),
        arguments + ["--config", file, "--volatile", "--socket", directory.file("s")],
        environment: ["JOURNAL_STREAM": nil], directory: directory)
      #expect(try process.wait() == .status(1))
      return process.standardError.split(separator: "\n")
    }
    let checked = try errors(["--check-config"])
    #expect(checked.count == 2 && checked.allSatisfy { $0.hasPrefix("\(file):") })
    #expect(try errors([]) == checked.map { "statehub: \($0)" })
  }

  @Test(
    "a path of the configuration that is refused is told why",
    arguments: [
      (
        "socket: 'hub.sock'",
        "socket: \"hub.sock\" is a relative path: give an absolute one, which begins with /"
      ),
      (
        "stateDirectory: '~/x'",
        "stateDirectory: \"~/x\" is a relative path: give an absolute one, which begins with /"
      ),
      (
        "socket: ''",
        "socket: the path is empty: give an absolute one, which begins with /, or leave the key out"
      ),
      (
        "socket: '/\(String(repeating: "x", count: 107))'",
        "socket: the path has 108 bytes, and at most 107 are allowed"
      ),
      ("socket: '/a\\u0000b'", "socket: the path contains a zero byte"),
      ("socket: 7", "socket: expected a string, found 7"),
    ])
  func paths(text: String, message: String) throws {
    let error = #expect(throws: ConfigurationError.self) { try read("{ \(text) }") }
    let description = error?.description ?? ""
    #expect(description.hasSuffix(message), "\(description)")
  }

  @Test("errors about limits name the setting that raises them")
  func limits() throws {
    let directory = try TemporaryDirectory()
    let hub = try hub(directory, level: "info", configuration: "{ maxFrameBytes: 65536, maxStores: 1 }")
    let client = try hub.connect()
    try client.write(.set("a", .integer(1)))
    guard case .error(let stores) = try client.call(.set("b", .integer(1))) else {
      throw TestFailure("created")
    }
    #expect(stores.code == .quota && stores.message.contains("maxStores"))
    try client.send(.set("a", .data([UInt8](repeating: 0, count: 70_000))))
    guard case .reply(_, .error(let frame)) = try client.next() else { throw TestFailure("taken") }
    #expect(frame.code == .frameTooLarge && frame.message.contains("maxFrameBytes"))
    #expect(frame.message.contains("65536"))
  }

  @Test(
    "a hub without XDG_RUNTIME_DIR is told what to do and creates nothing, or finds its user's directory",
    .enabled(if: geteuid() == 0))
  func runtimeDirectory() throws {
    // A user that does not exist.
    let user = 60_000 + getpid() % 5000
    let directory = try TemporaryDirectory()
    chmod(directory.path, 0o755)
    let program = try directory.copy(ChildProcess.built("statehub"), to: "statehub")
    let home = directory.file("home")
    guard mkdir(home, 0o700) == 0, chown(home, uid_t(user), gid_t(user)) == 0 else {
      throw TestFailure("mkdir \(home)")
    }
    func start(_ options: String...) throws -> ChildProcess {
      try ChildProcess(
        "/usr/bin/setpriv",
        ["--reuid=\(user)", "--regid=\(user)", "--clear-groups", program] + options,
        environment: [
          "XDG_RUNTIME_DIR": nil, "STATEHUB_SOCKET": nil, "XDG_CONFIG_HOME": directory.path,
          "XDG_STATE_HOME": nil, "HOME": home, "JOURNAL_STREAM": nil,
        ], directory: directory)
    }
    let refused = try start()
    #expect(try refused.wait() == .status(2))
    #expect(
      refused.reports(
        "XDG_RUNTIME_DIR is not set, and /run/user/\(user) is not a directory of this user"),
      "\(refused.standardError)")
    #expect(directory.names(in: "home") == [])
    let path = "/run/user/\(user)"
    mkdir("/run/user", 0o755)
    guard mkdir(path, 0o700) == 0 else { throw TestFailure("mkdir \(path)") }
    defer {
      for name in ["statehub/hub.sock", "statehub/hub.sock.lock"] { unlink("\(path)/\(name)") }
      rmdir("\(path)/statehub")
      rmdir(path)
    }
    chown(path, uid_t(user), gid_t(user))
    let hub = try start("--volatile")
    var socket: Int32?
    while socket == nil, hub.poll(milliseconds: 1) == nil {
      socket = RawClient.connectedSocket(to: "\(path)/statehub/hub.sock")
    }
    guard let socket else { throw TestFailure("not started: \(hub.standardError)") }
    try RawClient(connected: socket).hello()
    hub.signal(SIGTERM)
    #expect(try hub.wait() == .status(0))
  }
}
