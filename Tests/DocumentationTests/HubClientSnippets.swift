// The code of HubClient's catalogue, each piece run against a hub in memory unless it needs a daemon.

import HubClient
import HubTesting
import Synchronization
import TestSupport
import Testing

/// What the code below has printed.
private let printed = Mutex<[String]>([])

private func print(_ item: Any) { printed.withLock { $0.append("\(item)") } }

/// A type of one's own in a store.
struct Theme: Codable, Sendable, Equatable {
  var name: String
  var isDark: Bool
}

/// A part of a program that takes its hub from outside, so that it can be tested.
struct Mixer {
  let volume: SharedValue<Int>

  init(hub: Hub) { volume = hub.value("audio.volume") }

  func mute() async throws { try await volume.set(0) }
}

@Suite("The code of HubClient's pages")
struct HubClientSnippets {
  let hub = Hub.inMemory()

  /// Not run: it would use the machine's hub.
  func connect() async throws {
    let hub = Hub()
    let volume = hub.value("audio.volume", of: Int.self)
    try await volume.set(6)
  }

  @Test("values are read and written")
  func readAndWrite() async throws {
    let volume = hub.value("audio.volume", of: Int.self)
    try await volume.set(6)

    let now = try await volume.get()
    try await volume.update { $0 += 1 }
    try await volume.add(-2)
    #expect(now == 6)
    #expect(try await volume.get() == 5)
  }

  func follow(_ volume: SharedValue<Int>) async throws {
    for try await value in volume.values {
      print("volume: \(value)")
    }
  }

  func followEvery(_ volume: SharedValue<Int>) async throws {
    for try await event in volume.events(.every(limit: 100)) {
      if let skipped = event.skipped, skipped > 0 { print("missed \(skipped)") }
      if let value = event.value { print("each: \(value)") }
    }
  }

  func followTogether() async throws {
    for try await view in hub.watch("savings", "cash").views {
      let sum = try view.value("savings", of: Int.self)! + view.value("cash", of: Int.self)!
      print("together: \(sum)")
    }
  }

  /// Runs an endless loop until it has printed a line.
  private func run(until line: String, _ body: @escaping @Sendable () async throws -> Void) async throws {
    let task = Task { try await body() }
    while !printed.withLock({ $0.contains(line) }) { await Task.yield() }
    task.cancel()
    try await task.value
  }

  @Test("values are followed")
  func following() async throws {
    let volume = hub.value("audio.volume", of: Int.self)
    try await volume.set(6)
    try await run(until: "volume: 6") { try await follow(volume) }
    try await run(until: "each: 6") { try await followEvery(volume) }
    try await hub.transaction {
      $0.set(hub.value("savings"), to: 60)
      $0.set(hub.value("cash"), to: 40)
    }
    try await run(until: "together: 100") { try await followTogether() }
  }

  @Test("a store has rules, and says so")
  func rules() async throws {
    let volume = hub.value("audio.volume", of: Int.self)
    try await hub.create(
      "audio.volume",
      Schema(
        type: .integer, initial: .integer(4), minimum: .integer(0), maximum: .integer(10),
        description: "loudness, in steps"))
    do {
      try await volume.set(11)
    } catch {
      print(error)  // audio.volume: 11 is above the maximum, 10
    }
    #expect(printed.withLock { $0.contains("audio.volume: 11 is above the maximum, 10") })
  }

  @Test("Codable types, lifetimes and transactions")
  func more() async throws {
    let theme = hub.value("ui.theme", of: Theme.self)
    try await theme.set(Theme(name: "dusk", isDark: true))
    try await theme.update { $0.isDark.toggle() }
    #expect(try await theme.get() == Theme(name: "dusk", isDark: false))

    let player = hub.value("player.process", of: Int.self)
    try await player.set(4711, lifetime: .whileConnected)

    let (savings, cash) = (hub.value("savings", of: Int.self), hub.value("cash", of: Int.self))
    try await savings.set(100)
    try await cash.set(0)
    try await hub.transaction {
      $0.add(-10, to: savings)
      $0.add(10, to: cash)
    }
    #expect(try await cash.get() == 10)
  }

  @Test("a program's part is tested with a hub of its own")
  func testing() async throws {
    let hub = Hub.inMemory()
    try await Mixer(hub: hub).mute()
    #expect(try await hub.value("audio.volume", of: Int.self).get() == 0)
  }

  @Test("a restarted hub is not an error")
  func restart() async throws {
    let memory = InMemoryHub()
    let (writer, reader) = (memory.connect(), memory.connect())
    let number = reader.value("number", of: Int.self)
    try await writer.value("number", of: Int.self).set(1)
    var events = number.events(.every()).makeAsyncIterator()
    #expect(try await events.next()?.value == 1)

    memory.restart(keepingState: true)
    memory.advance(by: .seconds(1))
    try await writer.value("number", of: Int.self).set(2)
    while let event = try await events.next() {
      if event.value == 2 { break }
    }
  }
}
