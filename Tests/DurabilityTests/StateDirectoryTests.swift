// A state directory as a user meets it: what a hub says to one that it cannot use, and what it does when it is taken away.

import Glibc
import HubCore
import TestSupport
import Testing

@Suite("State directories", .blocking)
struct StateDirectoryTests {
  /// A hub that must not start: what it says.
  private func refusal(_ place: DurablePlace, _ more: [String] = []) throws -> String {
    let hub = try place.start(more, waits: false)
    #expect(try hub.process.wait() == .status(1))
    return hub.standardError
  }

  @Test("values outlive a kill and a stop, in the same epoch, and the directory is for its owner alone")
  func restarts() throws {
    let place = try DurablePlace()
    let first = try place.start()
    try first.set("kept", .string("yes"))
    let epoch = try first.connect().welcome?.epoch
    var status = stat()
    #expect(stat(place.state, &status) == 0 && status.st_mode & 0o777 == 0o700)
    first.kill()
    let second = try place.start()
    #expect(try second.value("kept") == .string("yes"))
    #expect(try second.connect().welcome?.epoch == epoch)
    try second.set("kept", .string("still"))
    #expect(try second.terminate() == .status(0))
    let third = try place.start()
    #expect(try third.value("kept") == .string("still"))
    #expect(try third.connect().welcome?.epoch == epoch)
  }

  @Test(
    "a second hub on the same directory is refused, learns who has it, and disturbs neither that hub nor its clients"
  )
  func locked() throws {
    let place = try DurablePlace()
    let hub = try place.start()
    try hub.set("a", .integer(1))
    let other = DurablePlaceBeside(place)
    let errors = try other.refusal()
    #expect(errors.contains(place.state) && errors.contains("process \(hub.pid) uses it"), "\(errors)")
    try hub.set("a", .integer(2))
    hub.kill()
    let next = try place.start()
    #expect(try next.value("a") == .integer(2))
  }

  /// Another hub, with a socket of its own, that wants the same directory.
  private struct DurablePlaceBeside {
    let place: DurablePlace

    init(_ place: DurablePlace) { self.place = place }

    func refusal() throws -> String {
      let hub = try HubProcess(
        in: place.directory, socket: place.directory.file("other.sock"),
        arguments: ["--state-dir", place.state], waits: false)
      #expect(try hub.process.wait() == .status(1))
      return hub.standardError
    }
  }

  @Test(
    "a directory that others may look into is refused, with what to do",
    arguments: [0o755, 0o770, 0o701] as [mode_t])
  func mode(_ mode: mode_t) throws {
    let place = try DurablePlace()
    #expect(mkdir(place.state, 0o700) == 0 && chmod(place.state, mode) == 0)
    let errors = try refusal(place)
    #expect(
      errors.contains("its mode is \(String(mode, radix: 8))") && errors.contains("chmod 700"), "\(errors)")
    #expect(place.files().isEmpty)
  }

  @Test("a directory of another user is refused", .enabled(if: geteuid() == 0))
  func owner() throws {
    let place = try DurablePlace()
    #expect(mkdir(place.state, 0o700) == 0 && chown(place.state, 4711, 4711) == 0)
    let errors = try refusal(place)
    #expect(
      errors.contains("it belongs to user 4711, but this process runs as user 0: run it as user 4711"),
      "\(errors)")
    #expect(place.files().isEmpty)
  }

  @Test(
    "root can inspect the directory of another user's hub, but not change it", .enabled(if: geteuid() == 0))
  func ofAnotherUser() throws {
    let place = try DurablePlace()
    let hub = try place.start()
    try hub.set("a", .integer(1))
    try hub.terminate()
    for path in [place.state] + place.files().map({ "\(place.state)/\($0)" }) {
      #expect(chown(path, 4711, 4711) == 0)
    }
    let files = place.files()
    let shown = try place.run("statehub", "inspect", "--summary", place.state)
    #expect(shown.status == 0 && shown.output.contains("stores:    1"), "\(shown)")
    for verb in ["new-epoch", "repair"] {
      let refused = try place.run("statehub", verb, place.state)
      #expect(refused.status == 1 && refused.errors.contains("run it as user 4711"), "\(refused)")
    }
    #expect(place.files() == files)
  }

  @Test("a file in the directory's place is refused")
  func file() throws {
    let place = try DurablePlace()
    try place.directory.write("mine\n", to: "state")
    let errors = try refusal(place)
    #expect(errors.contains(place.state) && errors.contains("Not a directory"), "\(errors)")
    #expect(readFile(place.state) == "mine\n")
  }

  @Test(
    "a directory that is removed under a hub comes back with everything, and so do the values after a kill")
  func removed() async throws {
    let place = try DurablePlace()
    // A confined hub may not write beside its directory: it refuses writes then.
    let configuration = try place.directory.write("{ sandbox: false }", to: "unconfined.json5")
    let hub = try place.start(["--config", configuration])
    try hub.set("before", .integer(1))
    for name in place.files() { #expect(unlink("\(place.state)/\(name)") == 0) }
    #expect(rmdir(place.state) == 0)
    // Until the hub has made it again it refuses what it would have to store, and serves everything else.
    try await eventually("the directory is made again, and takes writes") {
      #expect(try hub.value("before") == .integer(1))
      let reply = try hub.connect().call(.write(.set(.name(try StoreName("after")), .integer(2))))
      switch reply {
      // It has its name once it is whole.
      case .written:
        return place.files().contains { $0.hasPrefix("snapshot-") && !$0.hasSuffix(".new") }
      case .error(let error):
        #expect(error.code == .storageFailed && error.store == "after")
        return false
      default: throw TestFailure("set was answered with \(reply)")
      }
    }
    hub.kill()
    let next = try place.start()
    #expect(try next.value("before") == .integer(1))
    #expect(try next.value("after") == .integer(2))
  }

  @Test("a confined hub whose directory is removed says that a restart helps")
  func removedUnderSandbox() async throws {
    let place = try DurablePlace()
    let hub = try place.start()
    try hub.set("a", .integer(1))
    for name in place.files() { #expect(unlink("\(place.state)/\(name)") == 0) }
    #expect(rmdir(place.state) == 0)
    try await eventually("the error has the advice") {
      switch try hub.connect().call(.write(.set(.name(try StoreName("a")), .integer(2)))) {
      // This kernel has no Landlock.
      case .written: return true
      case .error(let error): return error.message.contains("restart this hub")
      case let reply: throw TestFailure("set was answered with \(reply)")
      }
    }
  }

  @Test("a damaged directory is refused with file and offset, and nothing in it changes")
  func damaged() throws {
    let place = try DurablePlace()
    let hub = try place.start()
    for index in 0..<50 { try hub.set("s.\(index)", .string(String(repeating: "x", count: 100))) }
    #expect(try hub.terminate() == .status(0))
    let journal = try #require(place.files().last { $0.hasPrefix("journal-") })
    try place.damage(journal, at: 10_000)
    let before = place.files()
    let errors = try refusal(place)
    #expect(
      errors.contains(journal) && errors.contains("damaged at offset") && errors.contains("statehub repair"),
      "\(errors)")
    #expect(place.files() == before)
  }

  @Test(
    "something else in the place of a file is refused at once and named by hub, inspect and repair",
    arguments: ["fifo", "directory", "link", "socket"])
  func noFile(kind: String) throws {
    for name in ["journal-00000000000000aa", "snapshot-0000000000000001", "lock"] {
      let place = try DurablePlace()
      let first = try place.start()
      try first.set("a", .integer(1))
      #expect(try first.terminate() == .status(0))
      let path = "\(place.state)/\(name)"
      unlink(path)
      let what: String
      switch kind {
      case "fifo": (what, _) = ("a named pipe", mkfifo(path, 0o600))
      case "directory": (what, _) = ("a directory", mkdir(path, 0o700))
      case "link": (what, _) = ("a symbolic link", symlink("/dev/zero", path))
      default: (what, _) = ("a socket", mknod(path, S_IFSOCK | 0o600, 0))
      }
      let before = place.files()
      let errors = try refusal(place)
      #expect(errors.contains(name) || name == "lock", "\(errors)")
      #expect(errors.contains("is \(what), not a regular file"), "\(errors)")
      #expect(place.files() == before)
      let repair = try place.run("statehub", "repair", place.state)
      #expect(repair.status == 1 && repair.errors.contains("is \(what)"), "\(repair)")
      #expect(place.files() == before)
      if name == "lock" { continue }
      let inspect = try place.run("statehub", "inspect", place.state)
      #expect(inspect.status == 1 && inspect.errors.contains("is \(what)"), "\(inspect)")
    }
  }

  @Test("a start that is refused leaves no lock file that was not there")
  func noLockLeft() throws {
    let place = try DurablePlace()
    let hub = try place.start()
    for index in 0..<50 { try hub.set("s.\(index)", .integer(Int64(index))) }
    #expect(try hub.terminate() == .status(0))
    let journal = try #require(place.files().last { $0.hasPrefix("journal-") })
    try place.damage(journal, at: 9000)
    for hasLock in [true, false] {
      if !hasLock { #expect(unlink("\(place.state)/lock") == 0) }
      _ = try refusal(place)
      #expect(place.files().contains("lock") == hasLock)
    }
    // Nor does a repair that has nothing to do, or cannot.
    #expect(try place.run("statehub", "repair", place.state).status == 0)
    #expect(unlink("\(place.state)/lock") == 0)
    #expect(try place.run("statehub", "repair", place.state).output.hasPrefix("Nothing is damaged"))
    #expect(!place.files().contains("lock"))
  }

  @Test("a hub does not wait for a process whose lock file was removed: it locks the file that is there")
  func lockReplaced() throws {
    let place = try DurablePlace()
    let hub = try place.start()
    try hub.set("a", .integer(1))
    hub.kill()
    #expect(unlink("\(place.state)/lock") == 0)
    let next = try place.start()
    #expect(try next.value("a") == .integer(1))
    let other = DurablePlaceBeside(place)
    #expect(try other.refusal().contains("process \(next.pid) uses it"))
  }
}
