// The program is tried before it may take over: whatever is installed at the hub's path, the serving hub continues.

import FoundationEssentials
import Glibc
import HubCore
import HubEngine
import HubSystem
import TestSupport
import Testing

@testable import HubServer

@Suite("The program that a reload would execute", .blocking)
struct TrialTests {
  private let directory: TemporaryDirectory
  /// Where the hub was installed, and where its copy is.
  private let installed: String
  private let good: String
  private let hub: HubProcess
  private let client: RawClient

  init() throws {
    directory = try TemporaryDirectory()
    installed = try directory.copy(ChildProcess.built("statehub"), to: "statehub")
    good = try directory.copy(installed, to: "good")
    hub = try HubProcess(installed, in: directory)
    client = try hub.connect()
    try client.write(.set("kept", .integer(1)))
  }

  private func install(_ bytes: [UInt8], mode: mode_t = 0o755) throws {
    try Data(bytes).write(to: URL(filePath: directory.file("content")))
    let path = try directory.copy(directory.file("content"), to: "next")
    chmod(path, mode)
    guard rename(path, installed) == 0 else { throw TestFailure("rename: \(errno)") }
  }

  private func install(script: String) throws { try install(Array("#!/bin/sh\n\(script)\n".utf8)) }

  /// The reload is refused for this reason, and the hub continues as the same program.
  private func expectRefusal(_ reason: String, _ sourceLocation: SourceLocation = #_sourceLocation) throws {
    guard case .error(let error) = try client.call(.reload) else { throw TestFailure("reloaded") }
    #expect(error.code == .reloadFailed, sourceLocation: sourceLocation)
    #expect(error.message.contains(reason), "\(error.message)", sourceLocation: sourceLocation)
    #expect(error.message.contains(installed), "\(error.message)", sourceLocation: sourceLocation)
    #expect(
      hub.reports("not reloaded, version \(Release.version) continues: \(error.message)"))
    #expect(try client.value(of: "kept") == .integer(1), sourceLocation: sourceLocation)
    #expect(try children() == "", "nothing is left of it", sourceLocation: sourceLocation)
  }

  private func children() throws -> String {
    // A killed process may not have ended yet.
    for _ in 0..<2000 where !readFile("/proc/\(hub.pid)/task/\(hub.pid)/children").isEmpty {
      _ = try client.call(.ping)
    }
    return readFile("/proc/\(hub.pid)/task/\(hub.pid)/children")
  }

  private func expectReload() throws {
    guard case .reloaded = try client.call(.reload) else { throw TestFailure("not reloaded") }
    #expect(try client.value(of: "kept") == .integer(1))
  }

  @Test("what cannot be executed is refused with the reason, and the good program is taken afterwards")
  func notExecutable() throws {
    let binary = try [UInt8](Data(contentsOf: URL(filePath: good)))
    try install(Array("Not a program.\n".utf8))
    try expectRefusal("Exec format error")
    try install([])
    try expectRefusal("Exec format error")
    try install(binary, mode: 0o644)
    try expectRefusal("Permission denied")
    var foreign = binary
    foreign[18] = foreign[18] == 0xB7 ? 62 : 0xB7
    try install(foreign)
    try expectRefusal("Exec format error")
    unlink(installed)
    try expectRefusal("No such file or directory")
    mkdir(installed, 0o755)
    try expectRefusal("Permission denied")
    rmdir(installed)
    try install(Array("#!/nowhere/interpreter\n".utf8))
    try expectRefusal("No such file or directory")
    try install(binary)
    try expectReload()
  }

  @Test("a program that crashes is refused with the signal")
  func crashing() throws {
    var garbled = try [UInt8](Data(contentsOf: URL(filePath: good)))
    for index in garbled.indices.dropFirst(0x1000) { garbled[index] = 0xCC }
    try install(garbled)
    try expectRefusal("")
    try install(script: "kill -SEGV $$")
    try expectRefusal("crashes on --version: Segmentation fault")
  }

  @Test("a program that is not a hub is refused, with what it says")
  func foreign() throws {
    for (path, says) in [
      ("/bin/true", "is not a statehub"), ("/bin/cat", "is not a statehub"), ("/bin/false", ""),
    ] {
      try install([UInt8](Data(contentsOf: URL(filePath: path))))
      try expectRefusal(says)
    }
    try install(script: "echo hello; echo world")
    try expectRefusal("is not a statehub: it printed “hello”")
    try install(script: "exit 0")
    try expectRefusal("is not a statehub: it does not print its --version")
    try install(script: "echo statehub: no memory >&2; exit 7")
    try expectRefusal("exits on --version with status 7: it printed “statehub: no memory”")
    try install(script: "cat /dev/zero & exit 3")
    try expectRefusal("with status 3")
  }

  @Test(
    "a program that hangs is refused after some seconds, in which the hub serves and other reloads wait with it"
  )
  func hanging() throws {
    try install(script: "sleep 1000 & sleep 1000")
    let other = try RawClient(to: directory.file("hub.sock"))
    try other.hello()
    let requests = try (0..<3).map { _ in try client.send(.reload) }
    for value in 2...100 {
      let asked = ContinuousClock.now
      try other.write(.set("served", .integer(Int64(value))))
      // The trial takes seconds: none of these waited for its end.
      #expect(ContinuousClock.now - asked < .nanoseconds(ProgramTrial.patience))
    }
    for request in requests {
      guard case .error(let error) = try client.reply(to: request) else { throw TestFailure("reloaded") }
      #expect(error.code == .reloadFailed && error.message.contains("did not answer --version within 4 s"))
    }
    #expect(try children() == "")
    try install(script: "yes")
    try expectRefusal("did not answer --version within 4 s")
  }

  @Test("a stop does not wait for a program that hangs, and who waits for the reload is told")
  func stopped() throws {
    try install(script: "sleep 1000")
    let request = try client.send(.reload)
    while try children() == "" {}
    let asked = ContinuousClock.now
    hub.process.signal(SIGTERM)
    guard case .error(let error) = try client.reply(to: request) else { throw TestFailure("reloaded") }
    #expect(error.message == "the hub stops")
    #expect(try hub.process.wait() == .status(0))
    #expect(ContinuousClock.now - asked < .nanoseconds(ProgramTrial.patience))
  }

  @Test("the answer for a client that asked for a reload and left goes to no other client")
  func gone() throws {
    try install(script: "while ! [ -e '\(installed).go' ]; do sleep 0.01; done; exit 9")
    let asking = try RawClient(to: directory.file("hub.sock"))
    try asking.hello()
    try asking.send(.reload)
    while try children() == "" {}
    asking.close()
    // The next connections get the number of the closed one.
    let others = try (0..<3).map { _ in
      let other = try RawClient(to: directory.file("hub.sock"))
      try other.hello()
      return other
    }
    try directory.write("", to: "statehub.go")
    while !hub.standardError.contains("with status 9") { _ = try client.call(.ping) }
    for other in others {
      let request = try other.send(.ping)
      guard case .reply(request, .pong)? = try other.next() else { throw TestFailure("another's answer") }
    }
  }

  @Test("a script that executes the hub is one, and it takes over")
  func wrapper() throws {
    try install(script: "exec '\(good)' \"$@\"")
    try expectReload()
    #expect(hub.reports("takes over 1 store and 1 client"))
  }

  @Test(
    "a program that is another one by the time that it is to be executed is tried again, and not forever")
  func changing() throws {
    try install(script: "touch '\(installed)'; exec '\(good)' \"$@\"")
    try expectRefusal("keeps changing while it is being tried")
    // The second trial finds it as the first left it.
    try install(
      script: "[ -e '\(installed).once' ] || touch '\(installed)' '\(installed).once'; exec '\(good)' \"$@\"")
    try expectReload()
  }

  @Test("a release that does not report which images it reads is refused")
  func silent() throws {
    try install(
      script: "case $1 in --version) echo statehub 0.0.9;; *) exec '\(good)' \"$@\";; esac")
    try expectRefusal("statehub 0.0.9 does not report which images it reads, this one writes version")
  }

  @Test("a hub that reads other images is refused")
  func unsuitable() throws {
    try install(script: "printf 'statehub 9.9.9\\nimage 70\\n'")
    try expectRefusal("takes over from hubs that write images of version 70, this one writes version")
  }

  @Test("the program itself answers a trial with what it reads")
  func answer() throws {
    let process = try ChildProcess(
      good, ["--version"], environment: [TrialAnswer.variable: "1"], directory: directory)
    #expect(try process.wait() == .status(0))
    let answer = try #require(TrialAnswer(parsing: process.standardOutput))
    #expect(answer.release == Release.version && answer.image == ImageFormat.version)
    let files = JournalFileKind.allCases.map(\.formatName)
    #expect(answer.objection(version: ImageFormat.version, files: files) == nil)
    #expect(
      answer.objection(version: ImageFormat.version, files: ["journal-9"])?.contains("journal-9") == true)
    #expect(TrialAnswer(parsing: answer.text) == answer)
    let plain = try ChildProcess(
      good, ["--version"], environment: [TrialAnswer.variable: nil], directory: directory)
    #expect(try plain.wait() == .status(0))
    #expect(plain.standardOutput == "statehub \(Release.version)\n")
  }
}
