// Memory after a burst: it goes back to the system.

import Glibc
import HubCore
import TestSupport
import Testing

@testable import HubServer

@Suite("Memory after a burst", .blocking)
struct MemoryReturnTests {
  private static let second: UInt64 = 1_000_000_000

  @Test("memory is given back ten seconds after much of it has become free, once, and not for a little")
  func time() {
    var memory = MemoryReturn()
    memory.note(freed: MemoryReturn.least - 1, now: 1)
    #expect(memory.deadline == .max && memory.take(freed: MemoryReturn.least - 1, now: .max - 1) == nil)
    memory.note(freed: MemoryReturn.least, now: 2)
    memory.note(freed: 2 * MemoryReturn.least, now: 5 * Self.second)
    #expect(memory.deadline == 2 + 10 * Self.second)
    #expect(memory.take(freed: 2 * MemoryReturn.least, now: 10 * Self.second) == nil)
    #expect(memory.take(freed: 2 * MemoryReturn.least, now: 11 * Self.second) == .tables)
    #expect(memory.deadline == 11 * Self.second, "the rest is for the next turn")
    #expect(memory.take(freed: 2 * MemoryReturn.least, now: 11 * Self.second) == .pages)
    #expect(memory.deadline == .max)
    memory.note(freed: 3 * MemoryReturn.least - 1, now: 12 * Self.second)
    #expect(memory.deadline == .max)
    memory.note(freed: 3 * MemoryReturn.least, now: 12 * Self.second)
    #expect(memory.deadline == 22 * Self.second)
  }

  @Test("hundreds of values of 1 MiB that came and went leave nothing behind", .enabled(if: !isSanitized))
  func large() async throws {
    let directory = try TemporaryDirectory()
    let hub = try HubProcess(in: directory)
    let writer = try hub.connect()
    let value = Value.data([UInt8](repeating: 7, count: 1 << 20 - 1000))
    // The change log is full, and one long frame was read.
    for _ in 0..<40 { for value in [value, .data([1])] { try writer.write(.set("first", value)) } }
    let before = hub.process.residentKilobytes
    for number in 0..<100 { try writer.write(.set("s\(number)", value)) }
    #expect(hub.process.residentKilobytes - before > 90 << 10)
    for number in 0..<50 { try writer.write(.write(.remove(.name(StoreName("s\(number)"))))) }
    for number in 50..<100 { try writer.write(.set("s\(number)", .data([1]))) }
    let process = hub.process
    try await eventually("the hub is as small as before") { process.residentKilobytes < before + 16 << 10 }
  }

  @Test("the stores of a client that made 200,000 and left leave little behind", .enabled(if: !isSanitized))
  func many() async throws {
    let directory = try TemporaryDirectory()
    let hub = try HubProcess(in: directory)
    let count = 200_000
    var client: RawClient? = try hub.connect()
    // The change log is full.
    for number in 0..<40 {
      try client!.write(.set("first", .data([UInt8](repeating: UInt8(number), count: 1 << 20 - 1000))))
    }
    let before = hub.process.residentKilobytes
    var bytes: [UInt8] = []
    for number in 0..<count {
      bytes += RawClient.bytes(
        .set("presence.client\(number)", .integer(1), lifetime: Lifetime(ephemeral: true)),
        id: UInt32(number + 10))
      if number % 1000 == 999 {
        try client!.send(bytes: bytes)
        _ = try client!.reply(to: UInt32(number + 10))
        bytes = []
      }
    }
    let most = hub.process.residentKilobytes - before
    client!.close()
    client = nil
    #expect(most > 30 << 10)
    let process = hub.process
    try await eventually("the hub is small again, after \(most) KB") {
      process.residentKilobytes < before + most / 2
    }
    // It is as before for those who come next.
    let next = try hub.connect()
    try next.write(.set("next", .integer(1)))
    #expect(try next.value(of: "next") == .integer(1))
  }
}
