// A real hub under its own confinement: what the kernel says of it, and that everything a hub does still works.

import Glibc
import HubCore
import HubSystem
import TestSupport
import Testing

@testable import HubEngine
@testable import HubServer

@Suite("A confined hub", .blocking)
struct ConfinedHubTests {
  /// A field of the status of each of the hub's threads.
  private func threads(of hub: HubProcess, _ field: String) throws -> [String] {
    // The thread that writes the log comes and goes, and is confined as all others.
    let values = try Directory.names(at: "/proc/\(hub.pid)/task").compactMap { thread in
      readFile("/proc/\(hub.pid)/task/\(thread)/status").split(separator: "\n")
        .first { $0.hasPrefix("\(field):") }.map { String($0.drop { $0 != "\t" }.dropFirst()) }
    }
    if values.isEmpty { throw TestFailure("no \(field)") }
    return Array(Set(values)).sorted()
  }

  private func reload(_ client: RawClient) throws -> [String] {
    let reply = try client.call(.reload)
    guard case .reloaded(_, let notes) = reply else { throw TestFailure("answered with \(reply)") }
    return notes
  }

  private func refusal(_ client: RawClient) throws -> String {
    guard case .error(let error) = try client.call(.reload) else { throw TestFailure("reloaded") }
    return error.message
  }

  // The thread sanitizer has a thread of its own, which is older than the filter.
  @Test(
    "all of its threads are filtered and can gain no privileges, and upgrades add no layer",
    .enabled(if: !isThreadSanitized))
  func status() throws {
    let directory = try TemporaryDirectory()
    let hub = try HubProcess(in: directory, arguments: ["--state-dir", directory.file("state")])
    // Who is answered is served by a hub that has begun.
    let client = try hub.connect()
    #expect(
      try Set(threads(of: hub, "NoNewPrivs")) == ["1"], "the loop's thread, the journal's and the log's")
    #expect(try Set(threads(of: hub, "Seccomp")) == ["2"])
    let layers = try Set(threads(of: hub, "Seccomp_filters"))
    // The kernel takes sixteen layers of Landlock.
    for _ in 0..<18 { #expect(try hub.renew(client, by: .upgrade) == []) }
    #expect(try Set(threads(of: hub, "Seccomp_filters")) == layers)
    try client.write(.set("kept", .integer(1)))
    #expect(try hub.terminate() == .status(0))
    #expect(!hub.standardError.contains("not confined"))
  }

  @Test(
    "it has no capability, also if root runs it, and an upgrade gives it none",
    .enabled(if: !isThreadSanitized)
  )
  func capabilities() throws {
    let directory = try TemporaryDirectory()
    // Another group's socket takes no capability either.
    try directory.write(
      "{ sockets: { web: { path: '\(directory.file("web.sock"))', group: '\(geteuid() == 0 ? 1 : getegid())' } } }",
      to: "hub.json5")
    let hub = try HubProcess(
      in: directory,
      arguments: ["--state-dir", directory.file("state"), "--config", directory.file("hub.json5")])
    let client = try hub.connect()
    let sets = ["CapInh", "CapPrm", "CapEff", "CapAmb"] + (geteuid() == 0 ? ["CapBnd"] : [])
    for _ in 0..<2 {
      for set in sets {
        #expect(try Set(threads(of: hub, set)) == [String(repeating: "0", count: 16)], "\(set)")
      }
      unlink(directory.file("web.sock"))
      while RawClient.connectedSocket(to: directory.file("web.sock")).map({ close($0) }) == nil {
        _ = try client.call(.ping)
      }
      #expect(try hub.renew(client, by: .upgrade) == [])
    }
    try client.write(.set("kept", .integer(1)))
  }

  @Test("it can be turned off, and a hub that runs confined stays so until it is restarted")
  func off() throws {
    let directory = try TemporaryDirectory()
    try directory.write("{ sandbox: false }", to: "hub.json5")
    let hub = try HubProcess(
      in: directory, arguments: ["--volatile", "--config", directory.file("hub.json5")])
    let client = try hub.connect()
    #expect(try threads(of: hub, "Seccomp") == ["\(ownSeccomp)"])
    #expect(try reload(client) == [])
    try directory.write("{ sandbox: true }", to: "hub.json5")
    #expect(
      try reload(client) == ["sandbox: the change from false to true waits until the hub is restarted"])
    #expect(try threads(of: hub, "Seccomp") == ["\(ownSeccomp)"])
    #expect(try hub.renew(client, by: .upgrade) == [])
    #expect(try threads(of: hub, "Seccomp") == ["2"], "a program that takes over begins with it")
    try directory.write("{ sandbox: false }", to: "hub.json5")
    for way in Renewal.allCases {
      #expect(
        try hub.renew(client, by: way) == [
          "sandbox: the change from true to false waits until the hub is restarted"
        ])
    }
    #expect(try threads(of: hub, "Seccomp") == ["2"])
  }

  private var ownSeccomp: String {
    let line = readFile("/proc/self/status").split(separator: "\n").first { $0.hasPrefix("Seccomp:") }
    return String(line?.last ?? "0")
  }

  @Test(
    "a reload reads a configuration that was replaced, looks users up, and executes a program that was replaced"
  )
  func reload() throws {
    let directory = try TemporaryDirectory()
    mkdir(directory.file("bin"), 0o755)
    let program = try directory.copy(ChildProcess.built("statehub"), to: "bin/statehub")
    try directory.write("{ maxClients: 50 }", to: "hub.json5")
    let hub = try HubProcess(
      program, in: directory, arguments: ["--volatile", "--config", directory.file("hub.json5")])
    let client = try hub.connect()
    try directory.write(
      "{ requireDeclaration: true, access: [{ match: 'a', read: ['user:daemon', 'group:adm'] }] }", to: "new")
    rename(directory.file("new"), directory.file("hub.json5"))
    _ = try directory.copy(program, to: "bin/new")
    rename(directory.file("bin/new"), program)
    #expect(try reload(client) == [])
    guard case .error(let error) = try client.call(.set("unknown", .integer(1))) else {
      throw TestFailure("taken")
    }
    #expect(error.code == .undeclared)
  }

  @Test("what it does not need it cannot read, and a refused reload says why")
  func hidden() throws {
    guard (try? Landlock(reachesAbstractSockets: true)) != nil else { return }
    let directory = try TemporaryDirectory()
    let elsewhere = try TemporaryDirectory()
    try directory.write("{}", to: "hub.json5")
    try elsewhere.write("{ sandbox: false }", to: "hub.json5")
    for (usesSandbox, name) in [(true, "hub.json5"), (false, "other.json5")] {
      if !usesSandbox { try directory.write("{ sandbox: false }", to: name) }
      let hub = try HubProcess(
        in: directory, arguments: ["--volatile", "--config", directory.file(name)])
      let client = try hub.connect()
      unlink(directory.file(name))
      symlink(elsewhere.file("hub.json5"), directory.file(name))
      if usesSandbox {
        let text = try refusal(client)
        #expect(text.contains("denied; if its user is permitted to, the hub's sandbox is the cause"))
        #expect(!readFile(elsewhere.file("hub.json5")).isEmpty)
      } else {
        #expect(try reload(client) == [])
      }
      try hub.terminate()
      unlink(directory.file(name))
    }
  }

  @Test("where the kernel has no Landlock it says so once, at level info, and goes on")
  func olderKernel() throws {
    let directory = try TemporaryDirectory()
    let hub = try HubProcess(
      ChildProcess.built("ConfinedWorker"), in: directory,
      environment: ["STATEHUB_TEST_PROGRAM": ChildProcess.built("statehub")])
    #expect(try reload(hub.connect()) == [])
    #expect(try threads(of: hub, "Seccomp") == ["2"])
    #expect(try hub.terminate() == .status(0))
    let lines = hub.standardError.split(separator: "\n").filter { $0.contains("Landlock") }
    #expect(
      lines == [
        "statehub: the hub's files are not confined: this kernel has no Landlock (Function not implemented)"
      ])
  }
}
