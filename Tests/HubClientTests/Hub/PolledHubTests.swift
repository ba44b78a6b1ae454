// A Hub in a program's own event loop: everything happens on its thread, within `process`, and the descriptor says when.

import Glibc
import HubClient
import HubTransport
import Synchronization
import TestSupport
import Testing

@Suite("A Hub in an event loop", .blocking)
struct PolledHubTests {
  let directory: TemporaryDirectory

  init() throws { directory = try TemporaryDirectory() }

  /// Waits for the descriptor as the documentation says, and processes.
  ///
  /// - Returns: whether the descriptor became readable.
  @discardableResult
  private func turn(_ polled: PolledHub, atMost milliseconds: Int32 = 10_000) -> Bool {
    var entry = pollfd(fd: polled.descriptor, events: Int16(POLLIN), revents: 0)
    let timeout = polled.timeout
    let isReadable = poll(&entry, 1, timeout < 0 ? milliseconds : min(timeout, milliseconds)) == 1
    polled.process()
    return isReadable
  }

  private func turn(_ polled: PolledHub, until isSo: () -> Bool) { while !isSo() { turn(polled) } }

  /// What tasks have noted.
  private final class Notes<Value: Sendable>: Sendable {
    private let state = Mutex((values: [Value](), threads: Set<UInt>()))

    func add(_ value: Value) {
      state.withLock { state in
        state.values.append(value)
        state.threads.insert(UInt(pthread_self()))
      }
    }

    var values: [Value] { state.withLock { $0.values } }
    var threads: Set<UInt> { state.withLock { $0.threads } }
  }

  @Test("follows and writes on the loop's thread alone")
  func thread() throws {
    let process = try HubProcess(in: directory)
    let polled = try PolledHub(.explicit(process.socket), timeout: .unhurried)
    let number = polled.hub.value("number", of: Int.self)
    let notes = Notes<Int>()
    let task = Task(executorPreference: polled.hub.executor) {
      try await number.set(0)
      for try await value in number.values {
        notes.add(value)
        if value == 100 { return }
        try await number.add(1)
      }
    }
    turn(polled) { notes.values.last == 100 }
    #expect(notes.values == Array(0...100))
    #expect(notes.threads == [UInt(pthread_self())])
    withExtendedLifetime((process, task)) {}
  }

  @Test("makes its descriptor readable for an event and for another thread's request, and for nothing else")
  func descriptor() async throws {
    let process = try HubProcess(in: directory)
    let polled = try PolledHub(.explicit(process.socket), timeout: .unhurried)
    let hub = polled.hub
    let other = process.hub()
    let values = hub.value("number", of: Int.self).values.makeAsyncIterator()
    turn(polled) { hub.status.isConnected }
    while turn(polled, atMost: 50) {}
    #expect(polled.deadline == .never)
    #expect(!turn(polled, atMost: 0))
    try await other.value("number", of: Int.self).set(1)
    #expect(turn(polled))
    #expect(hub.value("number", of: Int.self).cached == 1)
    // On that Hub's own thread: those that tests have in common may all be waiting.
    let revisions = Notes<Revision>()
    Task(executorPreference: other.executor) { revisions.add(try await hub.ping()) }
    #expect(turn(polled))
    // That it is noted there makes nothing readable here.
    while revisions.values.isEmpty { turn(polled, atMost: 10) }
    #expect(revisions.values == [1])
    withExtendedLifetime((process, values)) {}
  }

  @Test("finds a hub that was killed and started again, by its deadlines")
  func restart() async throws {
    var process = try HubProcess(in: directory)
    let polled = try PolledHub(.explicit(process.socket), timeout: .unhurried)
    let descriptor = polled.descriptor
    let number = polled.hub.value("number", of: Int.self)
    let values = number.values.makeAsyncIterator()
    turn(polled) { polled.hub.status.isConnected }
    process.kill()
    turn(polled) { polled.hub.status.error?.code == .noHub }
    #expect(polled.timeout >= 0)
    process = try HubProcess(in: directory)
    try await process.hub().value("number").set(7)
    turn(polled) { number.cached == 7 }
    #expect(polled.descriptor == descriptor)
    withExtendedLifetime((process, values)) {}
  }

  @Test("ends requests and streams in time while there is no hub")
  func timeout() throws {
    let polled = try PolledHub(.explicit(directory.file("none.sock")), timeout: .milliseconds(20))
    let number = polled.hub.value("number", of: Int.self)
    let notes = Notes<HubError.Code?>()
    let start = Deadline.now
    Task(executorPreference: polled.hub.executor) {
      let code = await failure { try await number.set(1) }?.code
      notes.add(code)
    }
    Task(executorPreference: polled.hub.executor) {
      let code = await failure { for try await _ in number.values.timeout(.milliseconds(40)) {} }?.code
      notes.add(code)
    }
    turn(polled) { notes.values.count == 2 }
    #expect(notes.values == [.noHub, .noHub])
    #expect(start.duration(to: .now) >= .milliseconds(40))
  }

  @Test("does not keep the loop for tasks that never rest")
  func bounded() throws {
    let polled = try PolledHub(.explicit(directory.file("none.sock")))
    let rounds = Notes<Void>()
    let task = Task(executorPreference: polled.hub.executor) {
      while !Task.isCancelled {
        rounds.add(())
        await Task.yield()
      }
    }
    polled.process()
    for _ in 0..<10 { #expect(turn(polled)) }
    #expect(rounds.values.count >= 10)
    task.cancel()
    while turn(polled, atMost: 20) {}
  }

  @Test("that is released closes its Hub, and its tasks come to their end")
  func released() async throws {
    let process = try HubProcess(in: directory)
    var polled: PolledHub? = try PolledHub(.explicit(process.socket), timeout: .unhurried)
    let hub = try #require(polled?.hub)
    let notes = Notes<Int>()
    let task = Task(executorPreference: hub.executor) {
      notes.add(0)
      return await failure { for try await _ in hub.value("number", of: Int.self).values {} }?.code
    }
    if let polled { turn(polled) { !notes.values.isEmpty } }
    polled = nil
    #expect(await task.value == .closed)
    #expect(hub.status == .closed)
    withExtendedLifetime(process) {}
  }
}
