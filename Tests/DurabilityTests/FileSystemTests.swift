// File systems that fail: read-only, and full. Each test has a mount namespace of its own, for which it has to be root.

import Glibc
import HubCore
import TestSupport
import Testing

/// Whether a test may mount something for itself alone.
private enum Mounting {
  static let isAllowed: Bool = {
    guard geteuid() == 0, let directory = try? TemporaryDirectory(),
      let probe = try? ChildProcess(
        "/bin/sh", ["-c", "unshare --mount mount -t tmpfs none '\(directory.path)'"], directory: directory)
    else { return false }
    return (try? probe.wait()) == .status(0)
  }()
}

@Suite("File systems that fail", .enabled(if: Mounting.isAllowed, "needs root and mount namespaces"))
struct FileSystemTests {
  /// A shell in a mount namespace, in which `$STATE` is the state directory, and `hub` starts one.
  private func shell(_ place: DurablePlace, _ script: String) throws -> ChildProcess {
    try place.directory.write("{}\n", to: "empty.json5")
    let program = ChildProcess.built("statehub")
    let hub = """
      hub() { "\(program)" --config '\(place.directory.file("empty.json5"))' --socket '\(place.socket)' --state-dir "$STATE"; }
      """
    return try ChildProcess(
      "/usr/bin/env", ["unshare", "--mount", "sh", "-c", "STATE='\(place.state)'\n\(hub)\n\(script)"],
      directory: place.directory)
  }

  private func connect(_ place: DurablePlace, _ process: ChildProcess) throws -> RawClient {
    for _ in 0..<20_000 {
      if let client = try? RawClient(to: place.socket), (try? client.hello()) != nil { return client }
      if let exit = process.poll(milliseconds: 2) {
        throw TestFailure("ended with \(exit): \(process.standardError)")
      }
    }
    throw TestFailure("no hub came: \(process.standardError)")
  }

  private func set(_ name: String, _ value: Value, _ client: RawClient) throws -> HubError? {
    switch try client.call(.write(.set(.name(try StoreName(name)), value))) {
    case .written: return nil
    case .error(let error): return error
    case let reply: throw TestFailure("set was answered with \(reply)")
    }
  }

  @Test("a read-only file system is refused with the reason, and nothing in the directory changes")
  func readOnly() throws {
    let place = try DurablePlace()
    let first = try place.start()
    try first.set("a", .integer(1))
    #expect(try first.terminate() == .status(0))
    let before = place.files()
    let hub = try shell(
      place, "mount --bind \"$STATE\" \"$STATE\" && mount -o remount,bind,ro \"$STATE\" && hub")
    #expect(try hub.wait(atMost: 60) == .status(1))
    #expect(
      hub.standardError.contains(place.state) && hub.standardError.contains("Read-only file system"),
      "\(hub.standardError)")
    #expect(place.files() == before)
    #expect(try place.start().value("a") == .integer(1))
  }

  @Test("on a full disk what has to be stored is refused, all else goes on, and writing resumes by itself")
  func full() async throws {
    let place = try DurablePlace()
    #expect(mkdir(place.state, 0o700) == 0)
    // The second hub starts when the first has been killed, on the same disk.
    let process = try shell(place, "mount -t tmpfs -o size=3m,mode=0700 tmpfs \"$STATE\" && { hub; hub; }")
    let client = try connect(place, process)
    let volatile = Schema(type: .integer, durability: .volatile)
    guard case .written = try client.call(.write(.create(try StoreName("v"), volatile))) else {
      throw TestFailure("create was refused")
    }
    var stored: [Int] = []
    var refusal: HubError?
    for index in 0..<200 where refusal == nil {
      refusal = try set("s.\(index)", .data([UInt8](repeating: UInt8(index), count: 50_000)), client)
      if refusal == nil { stored.append(index) }
    }
    #expect(
      refusal?.code == .storageFailed && refusal?.store == "s.\(stored.count)",
      "\(String(describing: refusal))")
    #expect(stored.count > 3)
    // What was refused is not there; reads and volatile writes go on.
    guard case .error(let missing) = try client.call(.get(.name(try StoreName("s.\(stored.count)")))) else {
      throw TestFailure("a refused store is there")
    }
    #expect(missing.code == .noSuchStore)
    #expect(try set("v", .integer(7), client) == nil)
    guard case .value(let state) = try client.call(.get(.name(try StoreName("s.0")))) else {
      throw TestFailure("s.0 cannot be read")
    }
    #expect(state.value == .data([UInt8](repeating: 0, count: 50_000)))

    // Room comes back: somebody gives the file system more.
    let pid = try #require(client.welcome?.pid)
    let remount = try ChildProcess(
      "/usr/bin/env",
      ["nsenter", "--mount", "--target", "\(pid)", "mount", "-o", "remount,size=64m", place.state],
      directory: place.directory)
    try #require(try remount.wait() == .status(0), "\(remount.standardError)")
    let deadline = ContinuousClock.now + .seconds(60)
    while let error = try set("after", .integer(1), client) {
      #expect(error.code == .storageFailed)
      try #require(ContinuousClock.now < deadline, "writing does not resume: \(process.standardError)")
      try await Task.sleep(for: .milliseconds(20))
    }
    kill(Int32(pid), SIGKILL)
    var next = try connect(place, process)
    while next.welcome?.pid == pid { next = try connect(place, process) }
    for index in stored {
      guard case .value(let state) = try next.call(.get(.name(try StoreName("s.\(index)")))) else {
        throw TestFailure("s.\(index) is lost")
      }
      #expect(state.value == .data([UInt8](repeating: UInt8(index), count: 50_000)))
    }
    guard case .value = try next.call(.get(.name(try StoreName("after")))) else {
      throw TestFailure("after is lost")
    }
    kill(Int32(try #require(next.welcome?.pid)), SIGTERM)
    #expect(try process.wait(atMost: 60) == .status(0), "\(process.standardError)")
  }
}
