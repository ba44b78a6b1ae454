// Tests what a program shows and keeps while its hub is away: shared values, followers, streams.

import HubReducers
import HubReducersTesting
import TestSupport
import Testing

@Suite struct HubAwayTests {
  private let directory: TemporaryDirectory
  private let hub: Hub

  init() throws {
    directory = try TemporaryDirectory()
    hub = Hub(.explicit(directory.file("hub.sock")), name: "tested", timeout: .milliseconds(20))
  }

  /// The hub's number, by a program that waits for its hub without a word.
  private func number() -> Shared<Int> {
    withDependencies {
      $0.hubPatience.time = .seconds(3600)
    } operation: {
      Shared(wrappedValue: 0, .hub("number", on: hub))
    }
  }

  @Test("what is written while the hub is away is shown, kept, and saved when it comes")
  func shared() async throws {
    let shared = number()
    for _ in 1...8 { shared.withLock { $0 += 1 } }
    try await eventually("the hub is missed") { shared.loadError != nil }
    #expect((shared.loadError as? HubError)?.code == .noHub)
    // Several times its time-out.
    for _ in 1...5 { await #expect(throws: HubError.self) { _ = try await hub.ping() } }
    #expect(shared.wrappedValue == 8 && shared.saveError == nil)

    let process = try HubProcess(in: directory)
    try await shared.save()
    #expect(shared.wrappedValue == 8 && shared.saveError == nil)
    try await eventually("the hub is there") { shared.loadError == nil }
    let other = process.hub(name: "other")
    let stored = try await other.value("number", of: Int.self).read()
    #expect(stored.value == 8)
    #expect(stored.version <= 2, "what waited is one change")
  }

  @Test("what is written while the hub is away adds to what others have written meanwhile")
  func rebased() async throws {
    let process = try HubProcess(in: directory, arguments: [])
    let other = process.hub(name: "other")
    let theirs = other.value("number", of: Int.self)
    let shared = number()
    try await theirs.set(100)
    try await eventually("the number is there") { shared.wrappedValue == 100 }
    try process.terminate()
    try await eventually("the hub is missed") { shared.loadError != nil }
    for _ in 1...3 { shared.withLock { $0 += 1 } }
    #expect(shared.wrappedValue == 103)
    let next = try HubProcess(in: directory, arguments: [])
    try await theirs.update { $0 += 10 }
    try await shared.save()
    #expect(try await theirs.get() == 113)
    withExtendedLifetime(next) {}
  }

  @Test("a refused change takes no other with it, although they wait together")
  func refusedTogether() async throws {
    let shared = number()
    shared.withLock { $0 += 1 }
    try await eventually("the hub is missed") { shared.loadError != nil }
    shared.withLock { $0 += 4 }
    shared.withLock { $0 += 1000 }
    _ = try directory.write("{stores: {number: {type: 'integer', initial: 0, maximum: 10}}}", to: "hub.json5")
    let process = try HubProcess(
      in: directory, arguments: ["--volatile", "--config", directory.file("hub.json5")])
    _ = try? await shared.save()
    #expect(shared.wrappedValue == 5)
    #expect((shared.saveError as? HubError)?.code == .outOfRange)
    withExtendedLifetime(process) {}
  }

  @Test("a follower that nothing answers says so once, after two seconds, and how to start a hub")
  func silent() async throws {
    let clock = TestClock()
    let collector = IssueCollector()
    let tasks = IssueReporter.$scoped.withValue(collector.reporter) {
      withDependencies {
        $0.hubPatience.clock = clock
      } operation: {
        (1...3).map { number in
          Task { [hub] in
            for await _ in hub.value("room.\(number)", of: Int.self).stream(or: 0) {}
          }
        }
      }
    }
    await #expect(throws: HubError.self) { _ = try await hub.ping() }
    #expect(Dependency(\.hubPatience).wrappedValue.time == .seconds(2))
    try await eventually("the report") {
      await clock.advance(by: .milliseconds(1999))
      await clock.advance(by: .milliseconds(1))
      return !collector.messages.isEmpty
    }
    await clock.advance(by: .seconds(60))
    for task in tasks {
      task.cancel()
      await task.value
    }
    #expect(collector.messages.count == 1)
    #expect(collector.messages.first?.contains("start it with `statehub") == true)
  }

  @Test(
    "a stream keeps its value when a volatile hub restarts, and takes the default only of a removed store")
  func restarted() async throws {
    let process = try HubProcess(in: directory)
    let other = process.hub(name: "other")
    let number = other.value("number", of: Int.self)
    try await number.set(7)
    let numbers = Log<Int>()
    let reader = Task { [hub] in
      for await number in hub.value("number", of: Int.self).stream(or: 0) { numbers.append(number) }
    }
    try await eventually("the number is there") { numbers.entries == [7] }
    process.kill()
    let next = try HubProcess(in: directory)
    try await eventually("the new hub is followed") {
      try await other.clients().contains { $0.name == "tested" && $0.watches > 0 }
    }
    try await number.set(8)
    try await eventually("the new number") { numbers.entries.last == 8 }
    try await number.remove()
    try await eventually("the removal") { numbers.entries.last == 0 }
    #expect(numbers.entries == [7, 8, 0])
    reader.cancel()
    withExtendedLifetime(next) {}
  }
}
