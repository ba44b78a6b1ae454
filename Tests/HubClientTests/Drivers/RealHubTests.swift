// The same client on a real socket with the real daemon behind it: what a hub in memory cannot show.

import Glibc
import HubClient
import HubCore
import HubTransport
import Synchronization
import TestSupport
import Testing

@Suite("A Hub on a real socket")
struct RealHubTests {
  let directory: TemporaryDirectory

  init() throws { directory = try TemporaryDirectory() }

  private func hub(_ process: HubProcess) -> Hub { process.hub() }

  @Test("a stream shows what another process sets")
  func streams() async throws {
    let process = try HubProcess(in: directory)
    let (mine, other) = (hub(process), hub(process))
    let number = mine.value("number", of: Int.self)
    var values = number.values(.every(limit: 1000)).makeAsyncIterator()
    let writer = Task {
      for value in 0..<500 { try await other.value("number", of: Int.self).set(value) }
    }
    for value in 0..<500 { #expect(try await values.next() == value) }
    try await writer.value
  }

  @Test("a task on the Hub's own executor gets the same events, on the Hub's thread")
  func executor() async throws {
    let process = try HubProcess(in: directory)
    let mine = hub(process)
    let number = mine.value("number", of: Int.self)
    let reader = Task(executorPreference: mine.executor) {
      var threads: Set<UInt> = []
      for try await value in number.values(.every(limit: 1000)) {
        threads.insert(UInt(pthread_self()))
        if value == 99 { break }
      }
      return threads
    }
    for value in 0..<100 { try await number.set(value) }
    #expect(try await reader.value.count == 1)
  }

  @Test(
    "an observer sees each request with its store, and once its end, also of those that fail or are cancelled"
  )
  func observed() async throws {
    let process = try HubProcess(in: directory)
    let seen = Mutex<[String]>([])
    let observer = RequestObserver { request in
      let text = "\(request.verb) \(request.store ?? "-")"
      seen.withLock { $0.append("\(text)?") }
      return { error in seen.withLock { $0.append("\(text) \(error.map { "\($0.code)" } ?? "done")") } }
    }
    let mine = Hub(.explicit(process.socket), timeout: .unhurried, observer: observer)
    let number = mine.value("number", of: Int.self)
    try await number.set(1)
    _ = await failure { try await mine.value("none", of: Int.self).add(1) }
    for try await value in number.values where value == 1 { break }
    mine.close()
    _ = await failure { try await mine.ping() }
    #expect(
      seen.withLock { $0 } == [
        "set number?", "set number done", "add none?", "add none noSuchStore", "ping -?", "ping - closed",
      ])
  }

  @Test("tasks that prefer the executor of a Hub that is gone still run to their end")
  func executorOutlivesHub() async throws {
    let process = try HubProcess(in: directory)
    var mine: Hub? = hub(process)
    let executor = mine?.executor
    _ = try await mine?.ping()
    mine = nil
    let sum = await Task(executorPreference: executor) {
      var sum = 0
      for value in 0..<100 {
        await Task.yield()
        sum += value
      }
      return sum
    }.value
    #expect(sum == 4950)
  }

  @Test("updates from several Hubs at once all count")
  func updates() async throws {
    let process = try HubProcess(in: directory)
    let counts = (0..<4).map { _ in hub(process).value("count", of: Int.self) }
    let tasks = counts.map { count in
      Task { for _ in 0..<250 { try await count.update(default: 0) { $0 += 1 } } }
    }
    for task in tasks { try await task.value }
    #expect(try await counts[0].get() == 1000)
  }

  @Test("a hub that is killed and started again: streams continue, also one that nobody iterated meanwhile")
  func killed() async throws {
    var process = try HubProcess(in: directory)
    let mine = hub(process)
    let number = mine.value("number", of: Int.self)
    try await number.set(1)
    var iterated = number.events(.every(limit: 10)).makeAsyncIterator()
    var waiting = number.values.makeAsyncIterator()
    #expect(try await iterated.next()?.value == 1)
    #expect(try await iterated.next()?.kind == .synced)
    process.kill()
    process = try HubProcess(in: directory)
    try await hub(process).value("number").set(2)
    // The hub kept nothing: its state is another one.
    while let kind = try await iterated.next()?.kind, kind != .reset { #expect(kind == .freshness) }
    while let event = try await iterated.next(), event.value != 2 {}
    #expect(try await number.get() == 2)
    // What waited is the newest, once the same watch has seen it.
    #expect(number.cached == 2)
    #expect(try await waiting.next() == 2)
  }

  @Test(
    "without a hub requests fail with noHub once they time out, and the message says how to start one",
    arguments: [Duration.nanoseconds(1), .milliseconds(50)])
  func noHub(timeout: Duration) async throws {
    let mine = Hub(.explicit(directory.file("none.sock")), timeout: timeout)
    let error = await failure { try await mine.ping() }
    #expect(error?.code == .noHub)
    #expect(error?.message.contains("statehub --socket") == true)
  }

  @Test("a stream and a request that were there before the hub find it when it comes")
  func hubComesLater() async throws {
    let mine = Hub(.explicit(directory.file("hub.sock")), timeout: .unhurried)
    let number = mine.value("number", of: Int.self)
    var values = number.values.makeAsyncIterator()
    let writer = Task { _ = try await number.set(5) }
    let process = try HubProcess(in: directory)
    try await writer.value
    #expect(try await values.next() == 5)
    withExtendedLifetime(process) {}
  }

  @Test("a request larger than the hub takes fails by itself, and the connection lives on")
  func tooLarge() async throws {
    let process = try HubProcess(in: directory)
    let blob = hub(process).value("blob", of: [UInt8].self)
    let error = await failure { try await blob.set([UInt8](repeating: 0, count: 2 << 20)) }
    #expect(error?.code == .frameTooLarge)
    try await blob.set([UInt8](repeating: 7, count: 1 << 19))
    #expect(try await blob.get().count == 1 << 19)
  }

  @Test("many tasks write at once, more than the socket takes")
  func pressure() async throws {
    let process = try HubProcess(in: directory)
    let mine = hub(process)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for index in 0..<200 {
        group.addTask {
          let blob = mine.value("blob.\(index % 10)", of: [UInt8].self)
          try await blob.set([UInt8](repeating: UInt8(index), count: 100_000))
        }
      }
      try await group.waitForAll()
    }
    #expect(try await mine.list().count == 10)
  }

  @Test("a cancelled request ends at once, and a stopped hub does not hold it")
  func cancelled() async throws {
    let process = try HubProcess(in: directory)
    let mine = hub(process)
    try await mine.ping()
    process.process.signal(SIGSTOP)
    defer { process.process.signal(SIGCONT) }
    let request = Task { try await mine.ping() }
    request.cancel()
    #expect(await failure { try await request.value }?.code == .closed)
    let write = Task { try await mine.value("x").set(1) }
    write.cancel()
    #expect(await failure { try await write.value }?.code == .outcomeUnknown)
  }

  @Test("a hub that does not answer: requests time out")
  func timeouts() async throws {
    let process = try HubProcess(in: directory)
    let mine = Hub(.explicit(process.socket), timeout: .milliseconds(100))
    try await mine.ping()
    process.process.signal(SIGSTOP)
    defer { process.process.signal(SIGCONT) }
    #expect(await failure { try await mine.ping() }?.code == .timeout)
  }

  @Test("a thousand streams of one value all see the newest")
  func fanOut() async throws {
    let process = try HubProcess(in: directory)
    let mine = hub(process)
    let number = mine.value("number", of: Int.self)
    try await number.set(0)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<1000 {
        group.addTask {
          for try await value in number.values where value == 100 { return }
        }
      }
      for value in 1...100 { try await number.set(value) }
      try await group.waitForAll()
    }
    #expect(try await mine.clients().count == 1)
  }

  @Test("a blocking connection's requests are answered when their numbers begin again")
  func requestNumbers() throws {
    let process = try HubProcess(in: directory)
    var connection = try HubConnection(
      to: .explicit(process.socket), name: "test", deadline: .after(.seconds(longestWait)),
      lastRequest: .max - 2)
    let numbers = (0..<6).map { _ in connection.enqueue(.ping) }
    #expect(numbers == [.max - 1, .max, 2, 3, 4, 5])
    for number in numbers.reversed() {
      guard case .pong = try connection.receive(number, deadline: .after(.seconds(longestWait))) else {
        throw TestFailure("\(number) is not answered")
      }
    }
  }
}
