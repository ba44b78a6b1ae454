// The code of the article on standing behind stores, run against a hub in memory.

import HubClient
import HubTesting
import Synchronization
import TestSupport
import Testing

/// What the code below has printed.
private let printed = Mutex<[String]>([])

private func print(_ item: Any) { printed.withLock { $0.append("\(item)") } }

/// A device that does not do everything.
actor Backlight {
  private(set) var level = 50
  var isLidOpen = true
  let buttons: AsyncStream<Int>
  private let press: AsyncStream<Int>.Continuation

  init() { (buttons, press) = AsyncStream.makeStream() }

  func set(_ level: Int) -> Int {
    self.level = min(level, 97)
    return self.level
  }

  func press(_ level: Int) {
    self.level = level
    press.yield(level)
  }

  func setLid(open: Bool) { isLidOpen = open }
  nonisolated func finish() { press.finish() }
}

/// What is elsewhere.
actor Source {
  private var values = ["net.name": "eth0"]

  func everything() -> [String: String] { values }

  func commit(_ operations: [ProvidedWrite.Operation]) -> Bool {
    guard operations.allSatisfy({ $0.kind == .set }) else { return false }
    for operation in operations { values[operation.name.text] = operation.value.map { "\($0)" } }
    return true
  }
}

@Suite("The code of the article on providers")
struct HubProviderSnippets {
  let hub = Hub.inMemory()

  func serve(_ backlight: Backlight, on hub: Hub) async throws {
    let brightness = try hub.provide("display.brightness", of: Int.self, initial: await backlight.level)
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask {
        try await brightness.decide { level, _ in
          guard await backlight.isLidOpen else { throw Refusal("the lid is closed") }
          return await backlight.set(level)
        }
      }
      group.addTask {
        for await level in backlight.buttons { try await brightness.publish(level) }
      }
      try await group.waitForAll()
    }
  }

  func serveLevel(of backlight: Backlight, on hub: Hub) async throws {
    let level = try hub.provide(
      "display.level", of: Int.self, initial: 0, onRead: { await backlight.level })
    try await level.decide { _, _ in throw Refusal("set display.brightness") }
  }

  func dim(_ hub: Hub) async -> String {
    do {
      try await hub.value("display.brightness", of: Int.self).set(40)
      return "done"
    } catch {
      switch error.code {
      case .refused: return "not allowed: \(error.message)"
      case .unavailable: return "nothing was done: \(error.message)"
      case .unanswered, .outcomeUnknown: return "nobody knows: \(error.message)"
      default: return "\(error)"
      }
    }
  }

  func mirror(_ source: Source, on hub: Hub) async throws {
    let claim = try hub.claim("net.**", window: 16) { hub in
      for (name, value) in await source.everything() {
        try await hub.value(name, of: String.self).set(value)
      }
    }
    for try await write in claim.writes {
      if await source.commit(write.operations) {
        try await write.accept()
      } else {
        try await write.refuse("the source does not want it")
      }
    }
  }

  func watchProviders(of hub: Hub) async throws {
    for try await event in hub.watch(ClaimStatus.pattern.text) {
      guard let value = event.value, let status = ClaimStatus(event.name, value) else { continue }
      print("\(status.name) is \(status.state.rawValue)")
    }
  }

  private func wait(for line: String) async throws {
    try await eventually(line) { printed.withLock { $0.contains(line) } }
  }

  @Test("says what happens")
  func all() async throws {
    let (backlight, source) = (Backlight(), Source())
    let watching = Task { try await watchProviders(of: hub) }
    let serving = Task { try await serve(backlight, on: hub) }
    let mirroring = Task { try await mirror(source, on: hub) }
    let computing = Task { try await serveLevel(of: backlight, on: hub) }
    try await wait(for: "display.brightness is live")
    try await wait(for: "net is live")
    let brightness = hub.value("display.brightness", of: Int.self)
    #expect(await dim(hub) == "done")
    #expect(await backlight.level == 40)
    try await wait(for: "display.level is live")
    let level = hub.value("display.level", of: Int.self)
    #expect(try await level.get() == 40)
    await #expect(throws: HubError.self) { try await level.set(5) }
    computing.cancel()
    try await computing.value
    await backlight.press(60)
    for try await level in brightness.values where level == 60 { break }
    await backlight.setLid(open: false)
    #expect(await dim(hub) == "not allowed: the lid is closed")
    let name = hub.value("net.name", of: String.self)
    #expect(try await name.get() == "eth0")
    try await name.set("wlan0")
    #expect(await source.everything()["net.name"] == "wlan0")
    await #expect(throws: HubError.self) { try await name.remove() }
    mirroring.cancel()
    try await mirroring.value
    serving.cancel()
    backlight.finish()
    try await serving.value
    try await wait(for: "display.brightness is vacant")
    #expect(await dim(hub).hasPrefix("nothing was done"))
    watching.cancel()
    try await watching.value
  }
}
