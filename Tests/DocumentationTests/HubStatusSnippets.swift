// The code of the page about a hub that is away, run against a hub in memory that goes away.

import HubClient
import HubTesting
import Observation
import Synchronization
import TestSupport
import Testing

/// What the code below has printed.
private let printed = Mutex<[String]>([])

private func print(_ item: Any) { printed.withLock { $0.append("\(item)") } }

@Suite("The code of the page about a hub that is away")
struct HubStatusSnippets {
  let hub = Hub.inMemory()

  func health(of hub: Hub) -> String {
    switch hub.status {
    case .connected, .idle: "ok"
    case .connecting: "starting"
    case .unreachable(let since, let error): "no hub for \(since.duration(to: hub.now)): \(error)"
    case .closed: "stopped"
    }
  }

  func report(_ hub: Hub) async {
    for await status in hub.statuses { print(status) }
  }

  func follow(_ volume: SharedValue<Int>, otherwise standard: Int) async throws(HubError) {
    do {
      for try await value in volume.values.timeout(.seconds(15)) { print(value) }
    } catch {
      guard [.noHub, .connectionLost, .denied, .timeout].contains(error.code) else { throw error }
      print(standard)
    }
  }

  @MainActor
  func show(_ volume: ObservedValue<Int>) async {
    let texts = Observations {
      switch volume.state {
      case .loading: "…"
      case .current: volume.value.map { "\($0)" } ?? "not set"
      case .stale: volume.value.map { "\($0)?" } ?? "?"
      case .ended(let error): "\(error)"
      }
    }
    for await text in texts { print(text) }
  }

  private func wait(for line: String) async throws {
    try await eventually(line) { printed.withLock { $0.contains(line) } }
  }

  @Test("says what happens")
  func all() async throws {
    let memory = try #require(hub.memory)
    let volume = hub.value("audio.volume", of: Int.self)
    #expect(health(of: hub) == "ok")
    try await volume.set(6)
    let reporter = Task { await report(hub) }
    let follower = Task { try await follow(volume, otherwise: 4) }
    // Its time-out is counted from its beginning, so the time is not to go on before. Only it has printed a 6 by now.
    for line in ["connected", "6"] { try await wait(for: line) }
    let view = Task { @MainActor in await show(ObservedValue(volume)) }
    try await eventually("the view shows the value") { printed.withLock { $0.count { $0 == "6" } > 1 } }
    memory.stop()
    memory.advance(by: .seconds(20))
    for line in ["unreachable: the hub in memory was stopped", "4", "6?"] { try await wait(for: line) }
    #expect(health(of: hub) == "no hub for 20.0 seconds: the hub in memory was stopped")
    hub.close()
    try await wait(for: "this Hub was closed")
    await reporter.value
    try await follower.value
    view.cancel()
    await view.value
    #expect(health(of: hub) == "stopped")
  }
}
