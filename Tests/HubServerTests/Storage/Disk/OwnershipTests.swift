// One directory is one hub's, whatever happens to the lock file and to the directory's name.

import Glibc
import HubCore
import TestSupport
import Testing

@testable import HubEngine
@testable import HubServer

@Suite("State directory: its owner", .blocking)
struct OwnershipTests {
  private let directory: TemporaryDirectory
  private let path: String

  init() throws {
    directory = try TemporaryDirectory(inMemory: true)
    path = directory.file("state")
  }

  /// Not confined: otherwise it could not reach another directory at the path.
  private func hub(_ name: String, waits: Bool = true) throws -> HubProcess {
    let configuration = try directory.write("{ sandbox: false }", to: "\(name).json5")
    return try HubProcess(
      in: directory, socket: directory.file("\(name).sock"),
      arguments: ["--state-dir", path, "--config", configuration], waits: waits)
  }

  private func shell(_ script: String) throws {
    let shell = try ChildProcess("/bin/sh", ["-ec", script, "sh", path], directory: directory)
    #expect(try shell.wait() == .status(0), "\(shell.standardError)")
  }

  /// Sets a value until it is stored or, if `isRefused`, until it is refused.
  private func set(_ value: Int64, by client: RawClient, until isRefused: Bool) throws -> HubError? {
    let deadline = ContinuousClock.now + .seconds(60)
    while ContinuousClock.now < deadline {
      switch try client.call(.set("a", .integer(value))) {
      case .error(let error) where isRefused: return error
      case .written where !isRefused: return nil
      default: break
      }
      // The next value is another one, so that it has to be stored.
      _ = try client.call(.set("a", .integer(-value)))
    }
    throw TestFailure("it never was \(isRefused ? "refused" : "stored")")
  }

  @Test(
    "a second hub is kept out although the lock file was removed, replaced or renamed, and the first one locks it again",
    arguments: [
      "rm $1/lock", "mv $1/lock $1/other", "touch $1/new; mv $1/new $1/lock",
      "cp -a $1/lock $1/n; mv $1/n $1/lock",
    ])
  func lock(script: String) throws {
    let first = try hub("first")
    let client = try first.connect()
    try client.write(.set("a", .integer(1)))
    try shell(script)
    let second = try hub("second", waits: false)
    #expect(try second.process.wait() == .status(1))
    #expect(second.reports("process \(first.pid) uses it"), "\(second.standardError)")
    let refused = try set(2, by: client, until: true)
    #expect(
      refused?.code == .storageFailed && refused?.message.contains("lock file") == true,
      "\(String(describing: refused))")
    // The log may come a moment after the answer.
    while !first.standardError.contains("lock file was moved, replaced or removed") {
      _ = try client.call(.ping)
    }
    _ = try set(3, by: client, until: false)
    let third = try hub("third", waits: false)
    #expect(try third.process.wait() == .status(1))
    #expect(third.reports("process \(first.pid) uses it"), "\(third.standardError)")
    try client.write(.set("a", .integer(4)))
    first.kill()
    let fourth = try hub("fourth")
    #expect(try fourth.connect().value(of: "a") == .integer(4))
    fourth.kill()
  }

  @Test("a lock file that is written over stays the hub's")
  func overwritten() throws {
    let first = try hub("first")
    let client = try first.connect()
    try shell("echo x >$1/lock; cat $1/lock >/dev/null; touch $1/lock")
    try client.write(.set("a", .integer(1)))
    #expect(!first.standardError.contains("lock file"), "\(first.standardError)")
    let second = try hub("second", waits: false)
    #expect(try second.process.wait() == .status(1))
  }

  @Test(
    "a hub whose directory is another one's now stores nothing, overwrites nothing, and says so; with its own back it resumes"
  )
  func renamed() throws {
    let first = try hub("first")
    let client = try first.connect()
    try client.write(.set("a", .integer(1)))
    try shell("mv $1 $1.moved")
    let second = try hub("second")
    let other = try second.connect()
    try other.write(.set("b", .integer(7)))
    let refused = try set(2, by: client, until: true)
    #expect(refused?.code == .storageFailed)
    while !first.standardError.contains("directory was moved, replaced or removed") {
      _ = try client.call(.ping)
    }
    while !first.standardError.contains("process \(second.pid) uses it") { _ = try client.call(.ping) }
    try second.terminate()
    while !first.standardError.contains("another hub has written to it") { _ = try client.call(.ping) }
    let third = try hub("third")
    #expect(try third.connect().value(of: "b") == .integer(7))
    try third.terminate()
    try shell("rm -r $1; mv $1.moved $1")
    _ = try set(3, by: client, until: false)
    try client.write(.set("a", .integer(5)))
    try first.terminate()
    let fourth = try hub("fourth")
    #expect(try fourth.connect().value(of: "a") == .integer(5))
    fourth.kill()
  }

  @Test("a hub that was upgraded keeps its segment locked, too")
  func reloaded() throws {
    let first = try hub("first")
    let client = try first.connect()
    try client.write(.set("a", .integer(1)))
    try first.renew(client, by: .upgrade)
    try shell("rm $1/lock")
    let second = try hub("second", waits: false)
    #expect(try second.process.wait() == .status(1))
    #expect(second.reports("process \(first.pid) uses it"), "\(second.standardError)")
    let inspection = try ChildProcess(
      ChildProcess.built("statehub"), ["repair", path], directory: directory)
    #expect(try inspection.wait() == .status(1))
    #expect(inspection.reports("process \(first.pid) uses it"), "\(inspection.standardError)")
  }
}
