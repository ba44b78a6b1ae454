// Memory after a burst: it goes back to the system.

import Glibc
import HubCore
import TestSupport
import Testing

@testable import HubEngine
@testable import HubServer

@Suite("Memory after a burst", .blocking)
struct MemoryReturnTests {
  private static let second: UInt64 = 1_000_000_000

  /// What a hub does about its memory, with two steps for the tables.
  private struct Returning {
    var memory = MemoryReturn()
    var steps: [String] = []

    mutating func proceed(freed: Int, now: UInt64) {
      var steps = steps
      memory.proceed(
        freed: freed, now: now,
        tables: { _ in
          steps.append("tables")
          return steps.count % 3 == 2
        }, pages: { steps.append("pages") })
      self.steps = steps
    }
  }

  @Test("memory is given back ten seconds after much of it has become free, once, and not for a little")
  func time() {
    var returning = Returning()
    returning.memory.note(freed: MemoryReturn.least - 1, now: 1)
    returning.proceed(freed: MemoryReturn.least - 1, now: .max - 1)
    #expect(returning.memory.deadline == .max && returning.steps.isEmpty)
    returning.memory.note(freed: MemoryReturn.least, now: 2)
    let freed = MemoryReturn.least + MemoryReturn.little - 1
    returning.memory.note(freed: freed, now: 5 * Self.second)
    #expect(returning.memory.deadline == 2 + 10 * Self.second)
    returning.proceed(freed: freed, now: 10 * Self.second)
    #expect(returning.steps.isEmpty)
    for step in 1...4 {
      #expect(returning.memory.deadline == 2 + 10 * Self.second, "the rest is for the next turn")
      returning.proceed(freed: freed, now: 11 * Self.second)
      #expect(returning.steps == Array(["tables", "tables", "pages"].prefix(step - 1)))
    }
    #expect(returning.memory.deadline == .max)
    returning.memory.note(freed: freed + MemoryReturn.least - 1, now: 12 * Self.second)
    #expect(returning.memory.deadline == .max)
    returning.memory.note(freed: freed + MemoryReturn.least, now: 12 * Self.second)
    #expect(returning.memory.deadline == 22 * Self.second)
  }

  @Test(
    "as long as more becomes free it waits, but not for more than a minute, and comes once more at the end"
  )
  func busy() {
    var returning = Returning()
    var (now, freed) = (UInt64(0), MemoryReturn.least)
    returning.memory.note(freed: freed, now: now)
    var begun: [UInt64] = []
    while returning.memory.deadline < .max, now < 300 * Self.second {
      let before = returning.steps.count
      now = returning.memory.deadline
      // They give back for eighty seconds.
      if now <= 80 * Self.second { freed += MemoryReturn.little }
      returning.proceed(freed: freed, now: now)
      if returning.steps.count % 3 == 1, returning.steps.count > before { begun.append(now / Self.second) }
    }
    #expect(begun == [50, 90] && returning.steps.count == 6)
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

  @Test(
    "the memory of stores that requests have removed goes back while their client stays",
    .enabled(if: !isSanitized))
  func removed() async throws {
    let directory = try TemporaryDirectory()
    let hub = try HubProcess(in: directory)
    let client = try hub.connect()
    // The change log is full.
    for number in 0..<40 {
      try client.write(.set("first", .data([UInt8](repeating: UInt8(number), count: 1 << 20 - 1000))))
    }
    let before = hub.process.residentKilobytes
    var last: UInt32 = 10
    func pipeline(_ operation: (StoreReference) -> WriteOperation) throws {
      for start in stride(from: 0, to: 40_000, by: 1000) {
        var bytes: [UInt8] = []
        for number in start..<start + 1000 {
          last += 1
          bytes += RawClient.bytes(
            .write(operation(.name(try StoreName("presence.client\(number)")))), id: last)
        }
        try client.send(bytes: bytes)
        _ = try client.reply(to: last)
      }
    }
    try pipeline { .set($0, .integer(1)) }
    let most = hub.process.residentKilobytes - before
    try pipeline { .remove($0) }
    let process = hub.process
    try await eventually("the hub is small again, after \(most) KB") {
      process.residentKilobytes < before + most / 2
    }
  }

  @Test(
    "the stores of a client that made 50,000 and left leave little behind, also if some stay among them",
    .enabled(if: !isSanitized), arguments: [0, 5_000])
  func many(staying gap: Int) async throws {
    let directory = try TemporaryDirectory()
    let hub = try HubProcess(in: directory)
    let count = 50_000
    var client: RawClient? = try hub.connect()
    // The change log is full.
    for number in 0..<40 {
      try client!.write(.set("first", .data([UInt8](repeating: UInt8(number), count: 1 << 20 - 1000))))
    }
    let before = hub.process.residentKilobytes
    var bytes: [UInt8] = []
    for number in 0..<count {
      let stays = gap > 0 && (number + 1) % gap == 0
      bytes += RawClient.bytes(
        .set("presence.client\(number)", .integer(1), lifetime: Lifetime(ephemeral: !stays)),
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
    #expect(most > 7 << 10)
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
