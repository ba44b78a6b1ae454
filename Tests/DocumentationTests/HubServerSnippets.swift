// The code of the page about servers, run against a hub in memory.

import HubClient
import HubTesting
import Synchronization
import Testing

struct RateLimit: Sendable {
  let perMinute: SharedValue<Int>

  var now: Int { perMinute.cached ?? 60 }

  /// Runs as long as the server does.
  func keep() async throws { for try await _ in perMinute.values {} }
}

func events(
  of volume: SharedValue<Int>, write: (String) async throws -> Void
) async throws {
  for try await value in volume.values { try await write("data: \(value)\n\n") }
}

struct SoldOut: Error {}

func takeSeat(_ seats: SharedValue<Int>) async throws -> Int {
  try await seats.update(default: 0) { left in
    guard left > 0 else { throw SoldOut() }
    left -= 1
    return left
  }
}

func serve(_ hub: Hub, requests: @Sendable () async throws -> Void) async throws {
  defer { hub.close() }
  try await withThrowingTaskGroup(of: Void.self) { group in
    let limit = RateLimit(perMinute: hub.value("limit", of: Int.self))
    group.addTask { try await limit.keep() }
    try await requests()
    group.cancelAll()
  }
}

@Suite("The code of the page about servers")
struct HubServerSnippets {
  let hub = Hub.inMemory()

  @Test("a request reads the limit from memory, and the server ends in order")
  func limit() async throws {
    let limit = RateLimit(perMinute: hub.value("limit", of: Int.self))
    #expect(limit.now == 60)
    try await hub.value("limit", of: Int.self).set(10)
    try await serve(hub) {
      while limit.now != 10 { await Task.yield() }
    }
    #expect(hub.status == .closed)
  }

  @Test("a client gets the value and its changes until it leaves")
  func following() async throws {
    struct Left: Error {}
    let volume = hub.value("volume", of: Int.self)
    try await volume.set(1)
    let written = Mutex<[String]>([])
    await #expect(throws: Left.self) {
      try await events(of: volume) { text in
        written.withLock { $0.append(text) }
        if text.contains("2") { throw Left() }
        try await volume.set(2)
      }
    }
    #expect(written.withLock { $0 } == ["data: 1\n\n", "data: 2\n\n"])
  }

  @Test("each seat is given once, and none when there are none left")
  func seats() async throws {
    let seats = hub.value("seats", of: Int.self)
    try await seats.set(5)
    let given = await withTaskGroup(of: Int?.self) { group in
      for _ in 0..<8 { group.addTask { try? await takeSeat(seats) } }
      return await group.reduce(into: []) { $0.append($1) }
    }
    #expect(given.compactMap(\.self).sorted() == [0, 1, 2, 3, 4])
    #expect(given.count { $0 == nil } == 3)
    #expect(try await seats.get() == 0)
  }
}
