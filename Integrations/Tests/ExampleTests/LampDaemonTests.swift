// The daemon of the examples as a process, with a real hub and another program that writes.

import HubClient
import IntegrationSupport
import Testing

@Suite("The lamp's daemon", .enabled(if: HubProgram.path != nil), .timeLimit(.minutes(4)))
struct LampDaemonTests {
  @Test(
    "starts without a hub, then provides, has its settings and log levels, measures, and loses nothing when it is stopped"
  )
  func daemon() async throws {
    let program = try await HubProgram()
    program.kill()
    let daemon = try ChildProgram(
      "lamp-daemon", environment: ["STATEHUB_SOCKET": program.socket, "METRICS_SECONDS": "1"])
    var log = Log(daemon)
    try await log.shows("the hub cannot be reached")
    try await program.start()
    try await log.shows("the hub is there")
    let hub = program.connect()
    while try await hub.claims().first?.state != .live { await Task.yield() }

    let level = hub.value("lamp.level", of: Int.self)
    try await level.set(70)
    try await log.shows("level 70")
    let max = hub.value("lamp.settings.max", of: Int.self)
    try await max.set(50)
    var refusal: HubError?
    while refusal == nil {
      do throws(HubError) { try await level.set(60) } catch { refusal = error }
    }
    #expect(refusal?.code == .refused)
    #expect(refusal?.message.contains("at most 50") == true)

    #expect(!log.text.contains("statehub_connected"))
    try await hub.value("lamp.log", of: String.self).set("debug")
    try await log.shows("statehub_connected 1.0")

    try await max.set(Int.max)
    while (try? await level.set(1000)) == nil {}
    let writing = Task {
      var accepted = [1000]
      while true {
        do throws(HubError) {
          try await level.set(accepted.count + 1000)
          accepted.append(accepted.count + 1000)
        } catch {
          return (accepted, error)
        }
      }
    }
    try await log.shows("level 1010")
    daemon.stop()
    let (accepted, error) = await writing.value
    #expect([.unavailable, .unanswered].contains(error.code))
    try await log.shows("stopped")
    await log.finish()
    #expect(daemon.status() == 0)
    // Every write that was accepted has reached the lamp. The hub has the last one, or the one whose outcome the writer does not
    // know.
    for number in accepted { #expect(log.text.contains("level \(number)\n")) }
    let last = try await level.get()
    #expect(last == accepted.last || error.code == .unanswered && last == accepted.count + 1000)
    #expect(try await hub.claims().first?.state == .vacant)
  }
}

/// What a program has written so far.
private struct Log {
  private(set) var text = ""
  private var lines: AsyncStream<String>.Iterator

  init(_ program: ChildProgram) { lines = program.log.makeAsyncIterator() }

  /// Reads until a line has `part`.
  mutating func shows(_ part: String) async throws {
    while let line = await lines.next(isolation: #isolation) {
      text += line + "\n"
      if line.contains(part) { return }
    }
    Issue.record("the program has ended without '\(part)':\n\(text)")
    throw CancellationError()
  }

  /// Reads the rest.
  mutating func finish() async {
    while let line = await lines.next(isolation: #isolation) { text += line + "\n" }
  }
}
