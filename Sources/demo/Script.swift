// The demonstration: what happens, and what each subscriber process must see of it. Anything more, or less, is a failure.

import HubClient
import HubSystem

@MainActor
struct Script {
  nonisolated static let store = "number"

  private let directory: TemporaryDirectory
  private let programs: String
  private let socket: String

  init() throws(Failure) {
    directory = try TemporaryDirectory()
    socket = directory.file("hub.sock")
    programs = try ChildProcess.directoryOfThisProgram()
  }

  func play() async throws {
    let start = ContinuousClock.now
    var hub = try startHub()
    let number = Hub(.explicit(socket), name: "demo writer").value(Script.store, of: Int.self)
    try Screen.show("A hub runs: process \(hub.pid). This writer is process \(CurrentProcess.pid).")
    try await number.set(20)
    try Screen.show("The writer sets the store `\(Script.store)` to 20, and three processes subscribe.\n")

    let subscribers = try (0..<3).map { _ in try startSubscriber() }
    try Screen.row("", subscribers.map { "process \($0.process.pid)" })
    try await show(subscribers, "three subscribe", see: ["initial 20", "synced"])
    try await set(number, 21...23, subscribers)
    try await setAtOnce(number, 24...123, subscribers)

    hub.end(.kill)
    try Screen.row("the hub is killed", [])
    hub = try startHub()
    try Screen.row("process \(hub.pid) is the hub", [])
    try await show(subscribers, "it knows no values", see: ["reset", "synced"])
    try await set(number, 200...201, subscribers)
    try await setAtOnce(number, 202...301, subscribers)

    let tenths = Int(((ContinuousClock.now - start) / .milliseconds(100)).rounded())
    try Screen.show(
      """

      Each process saw the current value first and then each of the 205 changes, once and in order,
      also across the end of the hub that it was connected to. It took \(tenths / 10).\(tenths % 10) s.
      """)
  }

  // MARK: Steps

  /// One change after the other: each is seen everywhere before the next.
  private func set(
    _ number: SharedValue<Int>, _ values: ClosedRange<Int>, _ subscribers: [SubscriberProcess]
  ) async throws {
    for value in values {
      try await number.set(value)
      try await show(subscribers, "the writer sets \(value)", see: ["changed \(value)"])
    }
  }

  /// As fast as the hub takes them: nothing is conflated, because the subscribers ask for every change.
  private func setAtOnce(
    _ number: SharedValue<Int>, _ values: ClosedRange<Int>, _ subscribers: [SubscriberProcess]
  ) async throws {
    for value in values { try await number.set(value) }
    let step = "... \(values.count) changes at once"
    try await show(subscribers, step, see: values.map { "changed \($0)" })
  }

  /// Waits until every process has seen exactly these events, and shows them.
  private func show(_ subscribers: [SubscriberProcess], _ step: String, see events: [String]) async throws {
    for subscriber in subscribers {
      for event in events {
        var seen = await subscriber.next()
        // A process that fell behind briefly gets this when it has caught up.
        while seen == "synced", event != "synced" { seen = await subscriber.next() }
        guard seen == event else {
          throw Failure(
            "process \(subscriber.process.pid) should have seen `\(event)` "
              + (seen.map { "and saw `\($0)`" } ?? (Task.isCancelled ? "in time" : "and has ended")))
        }
      }
    }
    let summary =
      events.count > 2
      ? "\(events[0]) ... \(events.last!.split(separator: " ").last!)" : events.joined(separator: ", ")
    try Screen.row(step, subscribers.map { _ in summary })
  }

  // MARK: Processes

  private func startHub() throws(Failure) -> ChildProcess {
    // Its own configuration: the user's must not affect the demonstration.
    let configuration = try directory.write("{}\n", to: "statehub.json5")
    return try ChildProcess(
      "\(programs)/statehub",
      ["--socket", socket, "--volatile", "--config", configuration, "--log-level", "warning"])
  }

  private func startSubscriber() throws(Failure) -> SubscriberProcess {
    try SubscriberProcess("\(programs)/demo", [Subscriber.role, socket])
  }
}
