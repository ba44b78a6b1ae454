// The code of the page of recipes, each piece run against a hub in memory.

import HubClient
import HubTesting
import Synchronization
import TestSupport
import Testing

/// What the code below has printed.
private let printed = Mutex<[String]>([])

private func print(_ item: Any) { printed.withLock { $0.append("\(item)") } }

@Suite("The code of the recipes")
struct HubRecipesSnippets {
  let hub = Hub.inMemory()

  private func expectPrinted(_ line: String) {
    #expect(printed.withLock { $0.contains(line) }, "\(line)")
  }

  @Test("keeps settings")
  func settings() async throws {
    try await hub.create(
      "player.speed",
      Schema(type: .integer, initial: .integer(1), minimum: .integer(1), maximum: .integer(3)))
    let speed = hub.value("player.speed", of: Int.self)
    try await speed.set(2)
    for try await value in speed.values {
      print("speed: \(value)")
      if value == 2 { break }
    }
    expectPrinted("speed: 2")
    await #expect(throws: HubError.self) { try await speed.set(4) }
    try await hub.create(
      "player.speed", Schema(type: .integer, initial: .integer(1), minimum: .integer(1), maximum: .integer(3))
    )
    #expect(try await speed.get() == 2)
  }

  @Test("follows a gauge")
  func gauge() async throws {
    let level = hub.value("tank.level", of: Double.self)
    try await level.set(0.4)
    for try await value in level.values(atMost: .milliseconds(100), by: 0.01) {
      print("level: \(value)")
      break
    }
    expectPrinted("level: 0.4")
  }

  @Test("notices that a sensor has fallen silent")
  func silence() async throws {
    let memory = try #require(hub.memory)
    let advancing = Task {
      while !Task.isCancelled {
        memory.advance(by: .milliseconds(50))
        await Task.yield()
      }
    }
    defer { advancing.cancel() }
    let pressure = hub.value("tank.pressure", of: Double.self)
    try await pressure.set(1.2)
    for try await event in pressure.events(deadline: .milliseconds(50)) {
      guard event.isOverdue, let value = event.value else { continue }
      print("no news since \(value)")
      break
    }
    expectPrinted("no news since 1.2")
  }

  func lead(_ leader: SharedValue<String>, as name: String) async throws -> Bool {
    do {
      try await leader.set(name, if: .absent, lifetime: .whileConnected)
      return true
    } catch {
      guard error.code == .conflict else { throw error }
      return false
    }
  }

  @Test("finds one leader, and the next when it has ended")
  func leader() async throws {
    let memory = try #require(hub.memory)
    let (first, second) = (memory.connect(), memory.connect())
    #expect(try await lead(first.value("leader"), as: "first"))
    #expect(try await !lead(second.value("leader"), as: "second"))
    first.close()
    #expect(try await lead(second.value("leader"), as: "second"))
  }

  @Test("lists who is there")
  func presence() async throws {
    try await hub.value("present.ann", of: Int.self).set(1, lifetime: .whileConnected)
    for try await view in hub.watch("present.*").views {
      print("present: \(view.values.keys.sorted().joined(separator: ", "))")
      break
    }
    expectPrinted("present: present.ann")
  }

  func isEnabled(_ flag: SharedValue<Bool>) -> Bool { flag.cached ?? false }

  @Test("reads flags")
  func flags() async throws {
    let flag = hub.value("flags.menu", of: Bool.self)
    #expect(!isEnabled(flag))
    try await flag.set(true)
    for try await value in flag.values where value { break }
    #expect(try await flag.get() == true)
  }

  @Test("shares progress")
  func progress() async throws {
    let done = hub.value("import.done", of: Int.self)
    try await done.set(0)
    await withTaskGroup(of: Void.self) { group in
      for _ in 1...4 {
        group.addTask { for _ in 1...25 { _ = try? await done.add(1) } }
      }
    }
    for try await value in done.values {
      print("imported: \(value) of 100")
      if value == 100 { break }
    }
    expectPrinted("imported: 100 of 100")
  }
}
