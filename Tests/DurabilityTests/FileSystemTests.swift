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

@Suite(
  "File systems that fail", .blocking,
  .enabled(if: Mounting.isAllowed, "needs root and mount namespaces"))
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

  /// Asks until what has to be stored is taken.
  private func waitUntilWritable(_ client: RawClient, _ process: ChildProcess) throws {
    let deadline = ContinuousClock.now + .seconds(120)
    while let error = try client.set("after", .integer(1)) {
      #expect(error.code == .storageFailed)
      try #require(ContinuousClock.now < deadline, "writing does not resume: \(process.standardError)")
      _ = process.poll(milliseconds: 20)
    }
  }

  private func value(_ name: String, _ client: RawClient) throws -> Value? {
    guard case .value(let state) = try client.call(.get(.name(try StoreName(name)))) else { return nil }
    return state.value
  }

  private func run(_ place: DurablePlace, inside pid: UInt32, _ words: String...) throws {
    let process = try ChildProcess(
      "/usr/bin/env", ["nsenter", "--mount", "--target", "\(pid)"] + words, directory: place.directory)
    try #require(try process.wait() == .status(0), "\(process.standardError)")
  }

  @Test(
    "on a read-only file system a hub serves what is there, alone, changes nothing, and writes when it may again",
    arguments: [true, false])
  func readOnly(endsWell: Bool) throws {
    let place = try DurablePlace()
    let first = try place.start()
    try first.set("a", .integer(1))
    if endsWell { #expect(try first.terminate() == .status(0)) } else { first.kill() }
    let before = place.files()
    let hub = try shell(
      place, "mount --bind \"$STATE\" \"$STATE\" && mount -o remount,bind,ro \"$STATE\" && hub")
    let client = try place.connect(to: hub)
    #expect(try value("a", client) == .integer(1))
    #expect(try client.set("a", .integer(2))?.code == .storageFailed)
    #expect(hub.reports("Read-only file system"), "\(hub.standardError)")
    #expect(place.files() == before)
    // Others are kept out, whether they may write or not.
    let pid = try #require(client.welcome?.pid)
    let other = try HubProcess(
      in: place.directory, socket: place.directory.file("other.sock"),
      arguments: ["--state-dir", place.state],
      waits: false)
    #expect(try other.process.wait() == .status(1))
    #expect(other.reports("process \(pid) uses it"), "\(other.standardError)")
    let third = try ChildProcess(
      "/usr/bin/env",
      [
        "nsenter", "--mount", "--target", "\(pid)", ChildProcess.built("statehub"), "--socket",
        place.directory.file("third.sock"), "--state-dir", place.state,
      ], directory: place.directory)
    #expect(try third.wait() == .status(1))
    #expect(third.reports("process \(pid) uses it"), "\(third.standardError)")

    try run(place, inside: pid, "mount", "-o", "remount,bind,rw", place.state)
    try waitUntilWritable(client, hub)
    kill(Int32(pid), SIGKILL)
    _ = try hub.wait()
    let next = try place.start()
    #expect(try next.value("a") == .integer(1))
    #expect(try next.value("after") == .integer(1))
  }

  @Test(
    "a read-only directory whose lock file is missing is refused, with the reason, and nothing is left there")
  func noLock() throws {
    let place = try DurablePlace()
    let first = try place.start()
    try first.set("a", .integer(1))
    #expect(try first.terminate() == .status(0))
    #expect(unlink("\(place.state)/lock") == 0)
    let before = place.files()
    let hub = try shell(
      place, "mount --bind \"$STATE\" \"$STATE\" && mount -o remount,bind,ro \"$STATE\" && hub")
    #expect(try hub.wait() == .status(1))
    #expect(hub.reports("its lock file cannot be created"), "\(hub.standardError)")
    #expect(place.files() == before)
    #expect(try place.start().value("a") == .integer(1))
  }

  @Test(
    "a hub starts on a full disk, serves what was acknowledged, outlives a kill, and writes by itself when there is room",
    arguments: [true, false])
  func fullAtStart(endsWell: Bool) throws {
    let place = try DurablePlace()
    #expect(mkdir(place.state, 0o700) == 0)
    let signal = endsWell ? SIGTERM : SIGKILL
    // Four hubs follow each other. The second and the third find no room.
    let process = try shell(
      place,
      """
      mount -t tmpfs -o size=3m,mode=0700 tmpfs "$STATE" && hub
      dd if=/dev/zero of="$STATE/other" bs=4096 2>/dev/null
      hub; hub; hub
      """)
    var client = try place.connect(to: process)
    #expect(try client.set("a", .integer(1)) == nil)
    var pid = try #require(client.welcome?.pid)
    kill(Int32(pid), signal)
    for signal in [SIGKILL, SIGTERM] {
      let last = pid
      repeat { client = try place.connect(to: process) } while client.welcome?.pid == last
      pid = try #require(client.welcome?.pid)
      #expect(try value("a", client) == .integer(1))
      let refusal = try client.set("a", .integer(2))
      #expect(
        refusal?.code == .storageFailed && refusal?.message.contains("No space left") == true,
        "\(String(describing: refusal))")
      let volatile = Schema(type: .integer, durability: .volatile)
      guard case .written = try client.call(.write(.create(try StoreName("v"), volatile))) else {
        throw TestFailure("create was refused")
      }
      if endsWell {
        // The next program knows no segment of this life either.
        kill(Int32(pid), SIGUSR2)
        guard case .reloaded = try client.call(.reload) else { throw TestFailure("not reloaded") }
        #expect(try value("a", client) == .integer(1))
        #expect(try client.set("a", .integer(2))?.code == .storageFailed)
      }
      try run(place, inside: pid, "sh", "-c", "test -z \"$(ls '\(place.state)' | grep new)\"")
      if signal == SIGTERM {
        try run(place, inside: pid, "rm", "\(place.state)/other")
        try waitUntilWritable(client, process)
        #expect(try client.set("a", .integer(3)) == nil)
      }
      kill(Int32(pid), signal)
    }
    let last = pid
    repeat { client = try place.connect(to: process) } while client.welcome?.pid == last
    #expect(try value("a", client) == .integer(3))
    #expect(try value("after", client) == .integer(1))
    kill(Int32(try #require(client.welcome?.pid)), SIGTERM)
    #expect(try process.wait() == .status(0), "\(process.standardError)")
  }

  @Test(
    "on a full disk what has to be stored is refused, everything else continues, and writing resumes by itself"
  )
  func full() async throws {
    let place = try DurablePlace()
    #expect(mkdir(place.state, 0o700) == 0)
    // The second hub starts when the first has been killed, on the same disk.
    let process = try shell(place, "mount -t tmpfs -o size=3m,mode=0700 tmpfs \"$STATE\" && { hub; hub; }")
    let client = try place.connect(to: process)
    let volatile = Schema(type: .integer, durability: .volatile)
    guard case .written = try client.call(.write(.create(try StoreName("v"), volatile))) else {
      throw TestFailure("create was refused")
    }
    var stored: [Int] = []
    var refusal: HubError?
    for index in 0..<200 where refusal == nil {
      refusal = try client.set("s.\(index)", .data([UInt8](repeating: UInt8(index), count: 50_000)))
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
    #expect(try client.set("v", .integer(7)) == nil)
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
    let deadline = ContinuousClock.now + .seconds(longestWait)
    while let error = try client.set("after", .integer(1)) {
      #expect(error.code == .storageFailed)
      try #require(ContinuousClock.now < deadline, "writing does not resume: \(process.standardError)")
      try await Task.sleep(for: .milliseconds(20))
    }
    kill(Int32(pid), SIGKILL)
    var next = try place.connect(to: process)
    while next.welcome?.pid == pid { next = try place.connect(to: process) }
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
    #expect(try process.wait() == .status(0), "\(process.standardError)")
  }
}
