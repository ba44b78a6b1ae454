// What the daemon shares with everybody: a setting that others write, and a sign of life that goes with the process.

import HubClient

struct Settings {
  /// In milliseconds.
  let interval: SharedValue<Int>
  /// The process id of the running daemon.
  private let process: SharedValue<Int>
  private let hub: Hub

  init(hub: Hub) {
    self.hub = hub
    interval = hub.value("heartbeat.interval")
    process = hub.value("heartbeat.process")
  }

  /// Tells the hub which values make sense, so that it refuses all others. An existing value stays.
  func declare() async throws {
    try await hub.create(
      interval.name,
      Schema(
        type: .integer, initial: .integer(1000), minimum: .integer(10), maximum: .integer(60_000),
        description: "milliseconds between two heartbeats"))
  }

  /// The hub removes the value when this process ends, however it ends.
  func announce(process id: Int32) async throws {
    try await process.set(Int(id), lifetime: .whileConnected)
  }
}
