// The hub's socket at its path: what is replaced, refused and removed, and by which process.

import CLinux
import Glibc
import HubCore
import HubEngine
import TestSupport
import Testing

@Suite("Placing the socket", .blocking)
struct SocketPlacementTests {
  @Test("a stale socket is replaced, and its own is removed at the end")
  func staleSocket() throws {
    let directory = try TemporaryDirectory()
    let first = try HubProcess(in: directory)
    first.kill()
    #expect(kind(of: first.socket) == S_IFSOCK, "a killed hub leaves its socket")
    let second = try HubProcess(in: directory)
    _ = try second.connect().call(.ping)
    #expect(try second.terminate() == .status(0))
    #expect(kind(of: second.socket) == nil)
  }

  @Test("a second hub on the same path ends with status 1 and names the first one's process")
  func liveSocket() throws {
    let directory = try TemporaryDirectory()
    let first = try HubProcess(in: directory)
    let second = try HubProcess(in: directory, waits: false)
    #expect(try second.process.wait() == .status(1))
    #expect(second.reports("already running: process \(first.pid)"))
    _ = try first.connect().call(.ping)
  }

  @Test("a live socket of a program that takes no lock is not replaced")
  func foreignSocket() throws {
    let directory = try TemporaryDirectory()
    let foreign = try listen(at: directory.file("hub.sock"))
    defer { close(foreign) }
    let hub = try HubProcess(in: directory, waits: false)
    #expect(try hub.process.wait() == .status(1))
    #expect(hub.reports("already running: process \(getpid())"))
    #expect(kind(of: hub.socket) == S_IFSOCK)
  }

  @Test("of hubs that start at the same time exactly one serves the path, and the others name it")
  func race() throws {
    for _ in 0..<5 {
      let directory = try TemporaryDirectory()
      // A stale socket makes the race worth losing.
      close(try listen(at: directory.file("hub.sock")))
      let hubs = try (0..<6).map { _ in try HubProcess(in: directory, waits: false) }
      var losers = 0
      while losers < hubs.count - 1 {
        losers = hubs.count { $0.process.poll(milliseconds: 2) != nil }
      }
      let winner = try #require(hubs.first { $0.process.poll(milliseconds: 0) == nil })
      try winner.waitUntilReady()
      #expect(try winner.connect().welcome?.pid == UInt32(winner.pid))
      for loser in hubs where loser.pid != winner.pid {
        #expect(try loser.process.wait() == .status(1))
        #expect(loser.reports("already running: process \(winner.pid)"))
      }
    }
  }

  @Test("a file that is not a socket is left alone")
  func regularFile() throws {
    let directory = try TemporaryDirectory()
    try directory.write("precious", to: "hub.sock")
    let hub = try HubProcess(in: directory, waits: false)
    #expect(try hub.process.wait() == .status(1))
    #expect(hub.reports("is not a socket"))
    #expect(readFile(hub.socket) == "precious")
  }

  @Test("a socket that others have put in its place is not removed")
  func replacedSocket() throws {
    let directory = try TemporaryDirectory()
    let hub = try HubProcess(in: directory)
    unlink(hub.socket)
    let foreign = try listen(at: hub.socket)
    defer { close(foreign) }
    #expect(try hub.terminate() == .status(0))
    #expect(kind(of: hub.socket) == S_IFSOCK)
  }

  @Test("the socket lets in whom it should, and a missing directory is created for them")
  func modes() throws {
    let directory = try TemporaryDirectory()
    let hub = try HubProcess(in: directory, socket: directory.file("run/hub.sock"))
    let isSystem = geteuid() == 0
    #expect(permissions(of: hub.socket) == (isSystem ? 0o660 : 0o600))
    #expect(permissions(of: directory.file("run")) == (isSystem ? 0o755 : 0o700))
    #expect(permissions(of: hub.socket + ".lock") == 0o600)
  }

  @Test(
    "socketGroup lets a group in, also into a directory that the hub makes, and stays when the file was removed"
  )
  func group() throws {
    let directory = try TemporaryDirectory()
    // Anyone may give a file to a group of his own, and root to any.
    let group = geteuid() == 0 ? 4711 : getegid()
    let file = try directory.write("{ socketGroup: '\(group)' }", to: "hub.json5")
    let hub = try HubProcess(
      in: directory, socket: directory.file("run/hub.sock"), arguments: ["--volatile", "--config", file])
    func isOpen() -> Bool {
      var status = stat()
      return stat(hub.socket, &status) == 0 && status.st_gid == group
        && permissions(of: hub.socket) == 0o660 && permissions(of: directory.file("run")) == 0o755
    }
    #expect(isOpen())
    unlink(hub.socket)
    while !isOpen() { try #require(hub.process.poll(milliseconds: 5) == nil) }
  }

  @Test("a path that is too long for a socket is refused with the limit")
  func longPath() throws {
    let directory = try TemporaryDirectory()
    let fitting = directory.file(String(repeating: "x", count: 107 - directory.path.utf8.count - 1))
    #expect(fitting.utf8.count == 107)
    let hub = try HubProcess(in: directory, socket: fitting)
    _ = try hub.connect().call(.ping)
    let long = try HubProcess(in: directory, socket: fitting + "x", waits: false)
    #expect(try long.process.wait() == .status(1))
    #expect(long.reports("108 bytes"))
    #expect(long.reports("107"))
  }

  @Test(
    "a socket that is removed or replaced while the hub runs is made again, and its clients stay",
    arguments: [
      "removed", "replaced", "moved", "with its lock", "with its directory", "with its directory's name",
    ])
  func lost(how: String) throws {
    let directory = try TemporaryDirectory()
    let socket = directory.file("run/hub.sock")
    try directory.write(
      "{ sockets: { web: { path: '\(directory.file("run/web.sock"))' } } }", to: "hub.json5")
    let hub = try HubProcess(
      in: directory, socket: socket, arguments: ["--volatile", "--config", directory.file("hub.json5")])
    let client = try hub.connect()
    for socket in [socket, directory.file("run/web.sock")] {
      switch how {
      case "replaced":
        // A socket that no process listens at any more.
        unlink(socket)
        close(try listen(at: socket))
      case "moved": rename(socket, socket + ".moved")
      case "with its lock":
        unlink(socket + ".lock")
        unlink(socket)
      default: unlink(socket)
      }
    }
    let (run, old) = (directory.file("run"), directory.file("old"))
    switch how {
    case "with its directory":
      for name in directory.names(in: "run") { unlink("\(run)/\(name)") }
      rmdir(run)
    case "with its directory's name": rename(run, old)
    default: break
    }
    for path in [socket, directory.file("run/web.sock")] {
      var found: Int32?
      while found == nil {
        found = RawClient.connectedSocket(to: path)
        _ = try client.call(.ping)
      }
      let another = RawClient(connected: found!)
      try another.hello(name: "another")
      #expect(another.welcome?.pid == UInt32(hub.pid))
    }
    #expect(permissions(of: socket) == (geteuid() == 0 ? 0o660 : 0o600))
    // Its path is locked again.
    let second = try HubProcess(in: directory, socket: socket, waits: false)
    #expect(try second.process.wait() == .status(1))
    #expect(second.reports("already running: process \(hub.pid)"))
    #expect(try hub.terminate() == .status(0))
    #expect(
      hub.reports("the socket \(socket) was removed or replaced: the hub listens there again"))
  }

  @Test("where another process listens by now the hub does not, says so, and returns when that one is gone")
  func taken() throws {
    let directory = try TemporaryDirectory()
    let manager = try FakeServiceManager(in: directory)
    let hub = try HubProcess(in: directory, manager: manager)
    let foreign = try listen(at: directory.file("foreign.sock"))
    rename(directory.file("foreign.sock"), hub.socket)
    try manager.wait(for: "the problem") {
      $0.value("STATUS")?.contains("clients cannot connect there: already running: process \(getpid())")
        == true
    }
    close(foreign)
    unlink(hub.socket)
    try manager.wait(for: "the end of the problem") {
      $0.value("STATUS")?.contains("cannot connect") == false
    }
    _ = try hub.connect().call(.ping)
  }

  @Test("an abstract name is refused instead of made a file")
  func abstract() throws {
    let directory = try TemporaryDirectory()
    let hub = try HubProcess(in: directory, socket: "@\(directory.path)", waits: false)
    #expect(try hub.process.wait() == .status(1))
    #expect(hub.reports("not at an abstract name: for a file with that name, give ./@"))
  }

  @Test("a directory that cannot be created is named")
  func missingDirectory() throws {
    let directory = try TemporaryDirectory()
    let hub = try HubProcess(in: directory, socket: directory.file("a/b/hub.sock"), waits: false)
    #expect(try hub.process.wait() == .status(1))
    #expect(hub.reports("cannot create the directory \(directory.file("a/b"))"))
  }

  // MARK: Helpers

  private func listen(at path: String) throws -> Int32 {
    let socket = clinux_unix_stream_nonblocking()
    var path = path
    let result = path.withUTF8 { clinux_bind_unix(socket, $0.baseAddress, $0.count) }
    guard result == 0, Glibc.listen(socket, 8) == 0 else { throw TestFailure("bind: \(errno)") }
    return socket
  }

  private func kind(of path: String) -> mode_t? {
    var status = stat()
    return lstat(path, &status) == 0 ? status.st_mode & S_IFMT : nil
  }

  private func permissions(of path: String) -> mode_t? {
    var status = stat()
    return lstat(path, &status) == 0 ? status.st_mode & 0o777 : nil
  }
}
