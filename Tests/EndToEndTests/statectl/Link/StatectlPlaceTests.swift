// Where statectl looks for its hub, and what it says when none can be there.

import Glibc
import HubCore
import TestSupport
import Testing

@Suite("statectl's hub", .blocking)
struct StatectlPlaceTests {
  private let directory: TemporaryDirectory
  private let control: Control

  init() throws {
    directory = try TemporaryDirectory()
    control = Control(directory: directory, socket: directory.file("hub.sock"))
  }

  @Test("a path that no socket can have is a mistake of the command line, and names the limit")
  func tooLong() throws {
    let path = "/tmp/" + String(repeating: "x", count: 103)
    let named = try control.run("--socket", path, "get", "a")
    #expect(named.status == 2)
    #expect(
      named.errors
        == "statectl: the path of the hub's socket takes 108 bytes, and at most 107 are allowed: \(path) "
        + "(see --socket and STATEHUB_SOCKET)\n")
    for verb in ["get a", "set a 1", "watch a", "wait a exists", "ping"] {
      #expect(try control.shell("STATEHUB_SOCKET=\(path) statectl \(verb)").status == 2, "\(verb)")
      #expect(try control.shell("statectl --socket '' \(verb)").status == 2, "\(verb)")
    }
    // One byte less can be: nobody is there.
    #expect(try control.run("--socket", String(path.dropLast()), "get", "a").status == 3)
  }

  @Test(
    "a path where something else is names it, and advises no hub to be started there",
    arguments: [
      ("file", "a file"), ("directory", "a directory"), ("fifo", "a FIFO"),
      ("link", "a dangling symbolic link"),
    ])
  func noSocket(name: String, kind: String) throws {
    let path = directory.file(name)
    switch name {
    case "file": try directory.write("", to: name)
    case "directory": mkdir(path, 0o700)
    case "fifo": mkfifo(path, 0o600)
    default: symlink(directory.file("nowhere"), path)
    }
    let result = try control.shell("STATEHUB_SOCKET=\(path) statectl get a")
    #expect(result.status == 3)
    #expect(
      result.errors
        == "statectl: \(path) is \(kind), not a socket: check where the path comes from, for example STATEHUB_SOCKET\n"
    )
  }

  @Test(
    "a runtime directory of another user is not one's own, whatever names it", .enabled(if: geteuid() == 0))
  func foreignDirectory() throws {
    mkdir(directory.file("statehub"), 0o700)
    let hub = try HubProcess(in: directory, socket: directory.file("statehub/hub.sock"))
    defer { hub.kill() }
    var own = control
    own.variables = ["STATEHUB_SOCKET": nil, "XDG_RUNTIME_DIR": directory.path]
    #expect(try own.run("ping").status == 0)
    #expect(try own.run("--user", "ping").status == 0)
    #expect(chown(directory.path, 1234, 1234) == 0)
    defer { chown(directory.path, 0, 0) }
    for words in [["ping"], ["--user", "ping"]] {
      let process = try own.start(words)
      #expect(try process.status() == 3)
      #expect(!process.standardError.contains(directory.path))
    }
  }

  @Test("below a file there can be no hub")
  func belowFile() throws {
    let path = try directory.write("", to: "file")
    let result = try control.run("--socket", path + "/hub.sock", "get", "a")
    #expect(result.status == 3)
    #expect(
      result.errors
        == "statectl: no hub can listen at \(path)/hub.sock: a part of the path is not a directory\n"
    )
  }

  @Test("a stale socket is a hub that is not there, and the advice is a line that a shell takes as it is")
  func advice() throws {
    let path = directory.file("it's a hub.sock")
    let hub = try HubProcess(in: directory, socket: path)
    #expect(try control.run("--socket", path, "ping").status == 0)
    hub.kill()
    let result = try control.run("--socket", path, "ping")
    #expect(result.status == 3)
    #expect(
      result.errors.hasPrefix("statectl: no hub listens at \(path); start it with `statehub --socket '"))
    let line = try #require(result.errors.firstMatch(of: /`(.*)`/)).1
    // What follows is the advice, tried.
    let keyboard = try control.shell(
      "set -- ${1+x}; eval 'set -- '\"$(cat <<'END'\n\(line)\nEND\n)\"; printf %s \"$3\"")
    #expect(keyboard.output == path)
  }

  @Test("the advice for a user's own hub and for the machine's works there")
  func defaults() throws {
    let runtime = directory.file("run")
    mkdir(runtime, 0o700)
    let user = try control.shell("unset STATEHUB_SOCKET; XDG_RUNTIME_DIR=\(runtime) statectl --user get a")
    #expect(user.status == 3)
    let path = "\(runtime)/statehub/hub.sock"
    // For root `statehub` alone is the machine's hub.
    let own = geteuid() == 0 ? "`statehub --socket \(path)`" : "`statehub`"
    #expect(user.errors.hasPrefix("statectl: no hub listens at \(path); start it with "))
    #expect(user.errors.contains(own))
    let missing = try control.shell("XDG_RUNTIME_DIR=/nowhere statectl --user get a")
    #expect(missing.errors.contains("`statehub --socket /nowhere/statehub/hub.sock`"))
    guard access("/run/statehub/hub.sock", F_OK) != 0 else { return }
    let system = try control.shell("XDG_RUNTIME_DIR=/nowhere statectl --system get a")
    let hasSystemd = access("/run/systemd/system", F_OK) == 0
    #expect(system.errors.contains("systemctl start statehub") == hasSystemd)
    #expect(system.errors.contains("`statehub"))
  }

  @Test("what a user's hub leaves behind does not hide the machine's hub, and its socket does")
  func leftovers() throws {
    let runtime = directory.file("run")
    mkdir(runtime, 0o700)
    mkdir("\(runtime)/statehub", 0o700)
    try directory.write("", to: "run/statehub/hub.sock.lock")
    let get = "unset STATEHUB_SOCKET; XDG_RUNTIME_DIR=\(runtime) statectl get a"
    #expect(try !control.shell(get).errors.contains(runtime))
    let hub = try HubProcess(in: directory, socket: "\(runtime)/statehub/hub.sock")
    #expect(try control.shell(get).errors == "statectl: a: there is no such store: set or create it first\n")
    try hub.terminate()
    #expect(try !control.shell(get).errors.contains(runtime))
  }

  @Test("an abstract name is refused, not taken for a file")
  func abstractName() throws {
    let result = try control.shell("statectl --socket @x get a")
    #expect(
      result.errors.contains(
        "@x is an abstract name, but a hub listens at a path: for a file with that name, give ./@x"))
  }

  @Test("a full hub is status 8 with the hub's reason, every time and for every verb")
  func full() throws {
    let configuration = try directory.write("{ maxClients: 2 }", to: "hub.json5")
    let hub = try HubProcess(
      in: directory, socket: control.socket, arguments: ["--volatile", "--config", configuration])
    let first = try hub.connect()
    let second = try hub.connect()
    for round in 0..<5 {
      for verb in [
        ["get", "a"], ["set", "a", "1"], ["watch", "a"], ["wait", "a", "exists"], ["list"], ["dump"],
      ] {
        let process = try control.start(verb)
        #expect(try process.status() == 8, "\(verb) in round \(round)")
        #expect(
          process.standardError.contains("2 clients"), "\(process.standardError)")
      }
    }
    withExtendedLifetime((first, second)) {}
  }

  @Test("a watch that comes back to a full hub waits for room")
  func fullLater() throws {
    let hub = try PlayedHub(at: control.socket)
    let watch = try control.start("watch", "a")
    func serve(_ value: Int64) throws -> PlayedConnection {
      let connection = try hub.accept()
      #expect(try connection.requests(2).count == 2)
      try connection.answer { out in
        PlayedHub.welcome(&out)
        Reply.watching(revision: 1).encode(into: &out, request: 2)
        let state = StoreState(
          id: StoreID(raw: 1), revision: UInt64(value), version: UInt64(value), time: 0, uid: 0,
          value: .integer(value))
        HubEvent.current(name: "a", state).encode(into: &out)
        HubEvent.synced(revision: UInt64(value)).encode(into: &out)
      }
      return connection
    }
    var connection: PlayedConnection? = try serve(1)
    #expect(try watch.lines(1) == ["1"])
    withExtendedLifetime(connection) {}
    connection = nil
    for _ in 0..<2 {
      try hub.accept().answer { Reply.error(HubError(.quota, "no room")).encode(into: &$0, request: 0) }
    }
    connection = try serve(2)
    #expect(try watch.lines(2) == ["1", "2"])
    withExtendedLifetime(connection) {}
  }
}
