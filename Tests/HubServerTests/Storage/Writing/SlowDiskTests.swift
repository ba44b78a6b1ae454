// A disk that takes long for a sync: the hub serves meanwhile, acknowledges no more than it may lose, and ends with one sync.

import Glibc
import HubCore
import TestSupport
import Testing

@testable import HubEngine
@testable import HubServer

@Suite("A disk that is slow", .blocking, .disabled(if: isSanitized, "its runtime must be loaded first"))
struct SlowDiskTests {
  private let directory: TemporaryDirectory
  private let disk: SlowDisk
  private let hub: HubProcess
  private let client: RawClient

  init() throws {
    directory = try TemporaryDirectory()
    disk = try SlowDisk(in: directory)
    hub = try HubProcess(
      in: directory, arguments: ["--state-dir", directory.file("state")], environment: disk.environment)
    client = try hub.connect()
  }

  @Test(
    "while the disk does not answer, a reload is done at once, an upgrade is refused after a second and works when it answers, and everyone is served"
  )
  func upgrade() throws {
    defer { disk.release() }
    let other = try hub.connect()
    try client.write(.set("r", .integer(1)))
    try client.write(.write(.create(try StoreName("s"), Schema(type: .integer, durability: .synced))))
    let before = disk.begun
    disk.hold()
    let waiting = try client.send(.set("s", .integer(1)))
    try disk.waitForSync(after: before)
    try hub.renew(other, by: .reload)
    let upgrade = try hub.ask(other, for: .upgrade)
    // Each of these would wait for the disk if the hub did.
    let third = try hub.connect()
    var answer = pollfd(fd: other.descriptor, events: Int16(POLLIN), revents: 0)
    while poll(&answer, 1, 0) == 0 { #expect(try third.value(of: "r") == .integer(1)) }
    guard case .error(let error) = try other.reply(to: upgrade) else { throw TestFailure("it was upgraded") }
    #expect(error.code == .reloadFailed && error.message.contains("its disk has not answered"), "\(error)")
    #expect(try third.value(of: "r") == .integer(1))
    disk.release()
    guard case .written = try client.reply(to: waiting) else { throw TestFailure("not written") }
    try hub.renew(other, by: .upgrade)
    #expect(hub.reports("s to sync the journal"), "\(hub.standardError)")
  }

  @Test("a hub that is restarted serves until its disk has answered, and then hands over")
  func restart() throws {
    let directory = try TemporaryDirectory()
    let manager = try FakeServiceManager(in: directory)
    let hub = try HubProcess(
      in: directory, arguments: ["--state-dir", directory.file("state")],
      environment: disk.environment.merging(["FDSTORE": "512"]) { $1 }, manager: manager, waits: false)
    try manager.waitUntilReady()
    let client = try hub.connect()
    defer { disk.release() }
    let before = disk.begun
    disk.hold()
    try client.write(.set("r", .integer(1)))
    try disk.waitForSync(after: before)
    hub.process.signal(SIGTERM)
    try manager.wait(for: "STOPPING=1") { $0.value("STOPPING") == "1" }
    for _ in 0..<100 { #expect(try client.value(of: "r") == .integer(1)) }
    disk.release()
    #expect(try manager.waitForEnd(of: hub.process) == .status(0), "\(hub.standardError)")
    #expect(hub.reports("handed over"), "\(hub.standardError)")
  }

  @Test("a stop syncs once after the sync that was running, whatever was written")
  func stop() throws {
    defer { disk.release() }
    let before = disk.begun
    disk.hold()
    try client.write(.set("r", .integer(1)))
    try client.write(.set("e", .integer(1), lifetime: Lifetime(ephemeral: true)))
    try disk.waitForSync(after: before)
    hub.process.signal(SIGTERM)
    // Its sessions have ended: only the disk is awaited.
    _ = try client.messagesUntilEnd()
    disk.release()
    #expect(try hub.process.wait() == .status(0))
    #expect(disk.begun - before == 2)
    let inspection = try ChildProcess(
      ChildProcess.built("statehub"), ["inspect", "--summary", directory.file("state")], directory: directory)
    #expect(try inspection.wait() == .status(0))
    #expect(inspection.standardOutput.contains("stopped cleanly"), "\(inspection.standardOutput)")
  }

  @Test("relaxed writes are acknowledged for a second without the disk, and then wait for it; reads do not")
  func relaxed() throws {
    defer { disk.release() }
    let reader = try hub.connect()
    try client.write(.set("r", .integer(0)))
    disk.hold()
    var value: Int64 = 0
    var waiting: UInt32?
    // The hub's own clock decides: the line is logged with the first write that is not acknowledged.
    while waiting == nil {
      value += 1
      let request = try client.send(.set("r", .integer(value)))
      var event = pollfd(fd: client.descriptor, events: Int16(POLLIN), revents: 0)
      while poll(&event, 1, 10) == 0, waiting == nil {
        if hub.standardError.contains("the disk has confirmed nothing for a second") { waiting = request }
      }
      if waiting == nil { _ = try client.reply(to: request) }
      if value > 10_000_000 { throw TestFailure("it is acknowledged without a disk") }
    }
    #expect(try reader.value(of: "r") == .integer(value))
    var event = pollfd(fd: client.descriptor, events: Int16(POLLIN), revents: 0)
    #expect(poll(&event, 1, 0) == 0)
    disk.release()
    guard case .written(let result) = try client.reply(to: waiting!) else { throw TestFailure("not written") }
    #expect(result.durability == .relaxed)
    try client.write(.set("r", .integer(0)))
  }
}

@Suite("Journal: writes that wait for the disk")
struct UnsyncedWritesTests {
  private func position(_ offset: Int) -> JournalPosition { JournalPosition(segment: 1, offset: offset) }

  @Test("the oldest write that is not on the disk is known to a tenth of a second, and the list stays short")
  func ages() {
    var writes = UnsyncedWrites()
    #expect(writes.since(.zero) == nil)
    for step in 1...1000 as ClosedRange<UInt64> {
      writes.add(upTo: position(Int(step)), at: step * 1_000_000)
    }
    #expect(writes.since(.zero) == 1_000_000)
    #expect(writes.since(position(99)) == 1_000_000)
    #expect(writes.since(position(100)) == 101_000_000)
    #expect(writes.since(position(1000)) == nil)
    for step in 1...100_000 as ClosedRange<UInt64> {
      writes.add(upTo: position(2000 + Int(step)), at: step << 30)
    }
    #expect(writes.since(position(2001)) == 2 << 30)
    #expect(writes.since(position(102_000)) == nil)
  }
}
