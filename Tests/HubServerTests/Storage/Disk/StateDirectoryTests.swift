// A hub with a state directory, as a process: killed, reloaded, started on what it must not use, on a disk without room.

import Glibc
import HubCore
import HubEngine
import TestSupport
import Testing

@Suite("State directory", .blocking)
struct StateDirectoryTests {
  private static let synced = Schema(type: .integer, durability: .synced)

  private func hub(_ directory: TemporaryDirectory, waits: Bool = true) throws -> HubProcess {
    try HubProcess(in: directory, arguments: ["--state-dir", directory.file("state")], waits: waits)
  }

  @Test(
    "what was acknowledged outlives a killed hub, with its versions; the epoch stays, revisions are not given out again"
  )
  func killed() throws {
    let directory = try TemporaryDirectory()
    var welcome: Welcome?
    var revision: Revision = 0
    for round in 1...4 {
      let hub = try hub(directory)
      let client = try RawClient(to: hub.socket)
      let hello = try client.hello()
      #expect(welcome.map { $0.epoch == hello.epoch } ?? true)
      #expect(hello.revision >= revision)
      welcome = hello
      if round > 1 { #expect(try client.value(of: "a") == .integer(Int64(round - 1))) }
      let result = try client.write(.set("a", .integer(Int64(round))))
      #expect(result.durability == .relaxed && result.version == UInt64(round))
      #expect(result.revision > revision)
      revision = result.revision
      hub.kill()
    }
  }

  @Test("a stopped hub starts where it ended")
  func stopped() throws {
    let directory = try TemporaryDirectory()
    let hub = try hub(directory)
    let result = try hub.connect().write(.set("a", .integer(1)))
    try hub.terminate()
    let again = try self.hub(directory)
    let client = try RawClient(to: again.socket)
    #expect(try client.hello().revision == result.revision)
    #expect(try client.value(of: "a") == .integer(1))
  }

  @Test("replies after a synced write keep their order, and others do not wait for it")
  func order() throws {
    let directory = try TemporaryDirectory()
    let hub = try hub(directory)
    let client = try hub.connect()
    let result = try client.write(.write(.create(try StoreName("s"), StateDirectoryTests.synced)))
    #expect(result.durability == .synced)
    for round in 1...20 {
      let requests: [Request] = [
        .get("s"), .set("s", .integer(Int64(round))), .get("s"), .set("r", .integer(1)), .ping,
      ]
      let numbers = try requests.map { try client.send($0) }
      for (index, number) in numbers.enumerated() {
        guard case .reply(let request, let reply)? = try client.next() else { throw TestFailure("no reply") }
        #expect(request == number)
        if index == 2, case .value(let state) = reply { #expect(state.value == .integer(Int64(round))) }
      }
    }
  }

  @Test("a hub that is reloaded or upgraded continues with its journal", arguments: Renewal.allCases)
  func renewed(by way: Renewal) throws {
    let directory = try TemporaryDirectory()
    let hub = try hub(directory)
    let client = try hub.connect()
    _ = try client.write(.write(.create(try StoreName("v"), Schema(type: .integer, durability: .volatile))))
    for round in 1...3 {
      try client.write(.set("before", .integer(Int64(round))))
      try hub.renew(client, by: way)
      #expect(try client.value(of: "before") == .integer(Int64(round)))
      let result = try client.write(.set("after", .integer(Int64(round))))
      #expect(result.durability == .relaxed)
    }
    hub.kill()
    let again = try self.hub(directory)
    let other = try again.connect()
    #expect(try other.value(of: "before") == .integer(3))
    #expect(try other.value(of: "after") == .integer(3))
  }

  @Test("a directory that others may look into, or that a hub uses, is refused with the reason")
  func refusals() throws {
    let directory = try TemporaryDirectory()
    let path = directory.file("state")
    mkdir(path, 0o755)
    chmod(path, 0o755)
    let open = try hub(directory, waits: false)
    #expect(try open.process.wait() == .status(1))
    #expect(open.reports("\(path): its mode is 755"))
    chmod(path, 0o700)
    let first = try hub(directory)
    let second = try HubProcess(
      in: directory, socket: directory.file("second.sock"), arguments: ["--state-dir", path], waits: false)
    #expect(try second.process.wait() == .status(1))
    #expect(second.reports("process \(first.pid) uses it"))
  }

  @Test("a damaged directory is refused with file and offset, and left as it is")
  func damaged() throws {
    let directory = try TemporaryDirectory()
    let hub = try hub(directory)
    let client = try hub.connect()
    try client.write(.write(.create(try StoreName("s"), StateDirectoryTests.synced)))
    for value in 1...3 { try client.write(.set("s", .integer(Int64(value)))) }
    hub.kill()
    let path = directory.file("state/journal-0000000000000001")
    let file = Glibc.open(path, O_RDWR)
    var byte: UInt8 = 0xFF
    pwrite(file, &byte, 1, 8450)
    close(file)
    let refused = try self.hub(directory, waits: false)
    #expect(try refused.process.wait() == .status(1))
    #expect(refused.reports("journal-0000000000000001 is damaged at offset"))
    #expect(access(directory.file("state/journal-0000000000000002"), F_OK) != 0)
  }

  @Test(
    "on a full disk what has to be stored is refused, the rest continues, and with room writing resumes by itself"
  )
  func full() throws {
    let directory = try TemporaryDirectory()
    let mount = directory.file("disk")
    mkdir(mount, 0o700)
    // The file system is the hub's alone: no other process sees it, and it disappears with the hub.
    let script = """
      mount -t tmpfs -o size=700k,mode=700 tmpfs "$2" || exit 77
      exec "$0" --socket "$1" --state-dir "$2" --config "$3"
      """
    let empty = try directory.write("{}", to: "empty.json5")
    let socket = directory.file("hub.sock")
    let shell = try ChildProcess(
      "/usr/bin/unshare",
      ["--mount", "/bin/sh", "-c", script, ChildProcess.built("statehub"), socket, mount, empty],
      directory: directory)
    while RawClient.connectedSocket(to: socket) == nil {
      if let exit = shell.poll(milliseconds: 1) {
        // Without the right to mount, the test is skipped, and says so.
        print("SKIPPED: no file system of its own: \(exit) \(shell.standardError)")
        return
      }
    }
    let client = try RawClient(to: socket)
    try client.hello()
    try client.write(.write(.create(try StoreName("v"), Schema(type: .integer, durability: .volatile))))
    try client.write(.set("small", .integer(1)))
    var refused: HubError?
    var last: Int64 = 0
    for value in Int64(1)...500 {
      let reply = try client.call(
        .set("blob", .data([UInt8](repeating: UInt8(truncatingIfNeeded: value), count: 8000))))
      if case .error(let error) = reply {
        refused = error
        break
      }
      last = value
    }
    #expect(refused?.code == .storageFailed)
    #expect(refused?.message.contains("No space left") == true)
    try client.write(.set("v", .integer(2)))
    #expect(try client.value(of: "small") == .integer(1))
    guard case .value(let state) = try client.call(.get("blob")) else { throw TestFailure("blob has gone") }
    #expect(state.value == .data([UInt8](repeating: UInt8(truncatingIfNeeded: last), count: 8000)))
    let remount = try ChildProcess(
      "/usr/bin/nsenter", ["--target", "\(shell.pid)", "--mount", "mount", "-o", "remount,size=8m", mount],
      directory: directory)
    try remount.wait()
    var isBack = false
    for _ in 0..<longestLooks where !isBack {
      if case .written = try client.call(.set("blob", .integer(1))) { isBack = true }
      if case .written = try client.call(.set("later", .integer(1))) { isBack = true }
      if !isBack { _ = shell.poll(milliseconds: 2) }
    }
    #expect(isBack)
    shell.signal(SIGTERM)
    try shell.wait()
  }

  @Test("on a file system that takes no writes the hub serves what it has read, and lets no other hub in")
  func readOnly() throws {
    let directory = try TemporaryDirectory()
    let first = try hub(directory)
    _ = try first.connect().write(.set("a", .integer(1)))
    try first.terminate()
    let state = directory.file("state")
    let script = """
      mount --bind "$2" "$2" && mount -o remount,bind,ro "$2" || exit 77
      exec "$0" --socket "$1" --state-dir "$2" --config "$3"
      """
    let socket = directory.file("reading.sock")
    let shell = try ChildProcess(
      "/usr/bin/unshare",
      [
        "--mount", "/bin/sh", "-c", script, ChildProcess.built("statehub"), socket, state,
        try directory.write("{}", to: "empty.json5"),
      ],
      directory: directory)
    while RawClient.connectedSocket(to: socket) == nil {
      if let exit = shell.poll(milliseconds: 1) {
        #expect(!shell.standardError.contains("statehub: "), "\(shell.standardError)")
        // Without the right to mount, the test is skipped, and says so.
        print("SKIPPED: no file system of its own: \(exit) \(shell.standardError)")
        return
      }
    }
    let client = try RawClient(to: socket)
    try client.hello()
    #expect(try client.value(of: "a") == .integer(1))
    guard case .error(let error) = try client.call(.set("a", .integer(2))) else {
      throw TestFailure("it was stored")
    }
    #expect(error.code == .storageFailed)
    let other = try hub(directory, waits: false)
    #expect(try other.process.wait() == .status(1))
    #expect(other.reports("process \(shell.pid) uses it"), "\(other.standardError)")
    shell.signal(SIGTERM)
    try shell.wait()
  }
}
