// Clients that do not read what they are sent: they get the newest values when they do, and do not slow the others.

import Glibc
import HubCore
import HubEngine
import TestSupport
import Testing

@Suite("Slow readers", .blocking)
struct SlowReaderTests {
  private let directory: TemporaryDirectory
  private let hub: HubProcess

  init() throws {
    directory = try TemporaryDirectory()
    hub = try HubProcess(in: directory)
  }

  @Test("a client that never reads the replies to 1,000 gets of 1 MiB costs the hub two of them at most")
  func unreadReplies() throws {
    let writer = try hub.connect()
    let length = 1 << 20 - 1000
    _ = try writer.call(.set("large", .data([UInt8](repeating: 7, count: length))))
    let before = hub.process.residentKilobytes
    let client = try hub.connect()
    var bytes: [UInt8] = []
    for number in 10..<1010 { bytes += RawClient.bytes(.get("large"), id: UInt32(number)) }
    try client.send(bytes: bytes)
    // While serving others, the hub has tried to answer.
    for number in 0..<200 { _ = try writer.call(.set("other", .integer(Int64(number)))) }
    #expect(hub.process.residentKilobytes - before < 6 * 1024 || isSanitized)
    #expect(hub.process.peakResidentKilobytes - before < 8 * 1024 || isSanitized)
    // None of the answers is lost.
    for number in 10..<1010 {
      guard case .reply(UInt32(number), .value(let state)) = try client.next(),
        case .data(let bytes) = state.value
      else { throw TestFailure("reply \(number) is missing") }
      #expect(bytes.count == length && bytes.last == 7)
    }
    #expect(hub.standardError.split(separator: "\n").count == 1, "nothing to complain about")
  }

  @Test(
    "clients that do not read a long value cost the hub nothing while its store has it, and get that one whole"
  )
  func unreadValues() throws {
    let writer = try hub.connect()
    let length = 1 << 20 - 1000
    func set(_ byte: UInt8) throws {
      _ = try writer.call(.set("large", .data([UInt8](repeating: byte, count: length))))
    }
    try set(7)
    try writer.send(.get("large"))
    _ = try writer.next()
    let before = hub.process.residentKilobytes
    let clients = try (0..<40).map { _ in try hub.connect() }
    for client in clients {
      try client.send(.get("large"))
      _ = try writer.call(.ping)
    }
    #expect(hub.process.residentKilobytes - before < 4 * 1024 || isSanitized)
    // They share the old value, too.
    try set(8)
    #expect(hub.process.residentKilobytes - before < 6 * 1024 || isSanitized)
    for (index, client) in clients.enumerated() {
      if index == clients.count / 2 { _ = try writer.call(.write(.remove(.name(try StoreName("large"))))) }
      guard case .reply(_, .value(let state)) = try client.next(), case .data(let bytes) = state.value else {
        throw TestFailure("no value")
      }
      #expect(bytes.count == length && bytes.allSatisfy { $0 == 7 })
      guard case .pong = try client.call(.ping) else { throw TestFailure("no pong") }
    }
  }

  @Test("an answer costs what is copied for it, however short the request is")
  func answerCost() throws {
    let writer = try hub.connect()
    // So few that the socket takes them all: none has to wait, which costs as well.
    let (length, count) = (4000, 30)
    _ = try writer.call(.set("long", .data([UInt8](repeating: 7, count: length))))
    _ = try writer.call(.set("short", .data([7])))
    func cost(_ name: String) throws -> UInt64 {
      let client = try hub.connect()
      try client.send(bytes: (0..<count).flatMap { RawClient.bytes(.get(name), id: UInt32(10 + $0)) })
      for _ in 0..<count { _ = try client.next() }
      guard case .clients(let all, _) = try client.call(.clients()) else { throw TestFailure("no clients") }
      return try #require(all.map(\.cost).max())
    }
    let short = try cost("short")
    let long = try cost("long")
    #expect(long > short + UInt64(count * (length - 8) / 4), "\(long) beside \(short)")
  }

  @Test("of a client that has gone what writes is carried out, and what only asks is not")
  func gone() throws {
    let writer = try hub.connect()
    let length = 1 << 20 - 1000
    _ = try writer.call(.set("large", .data([UInt8](repeating: 7, count: length))))
    try writer.send(.watch("last"))
    _ = try writer.eventsUntilSynced()
    let client = try hub.connect()
    var bytes: [UInt8] = []
    for number in 10..<510 {
      bytes += RawClient.bytes(.get("large"), id: UInt32(number))
      bytes += RawClient.bytes(.describe(.name(try StoreName("large"))), id: UInt32(number + 1000))
    }
    try client.send(bytes: bytes + RawClient.bytes(.set("last", .integer(1)), id: 9))
    client.close()
    guard case .created = try writer.nextEvent() else { throw TestFailure("the write is lost") }
    guard case .statistics(let figures) = try writer.call(.stats) else { throw TestFailure("no figures") }
    let requests = try #require(figures.first { $0.name == "requests" }).value
    #expect(requests < 100, "nobody reads those answers")
  }

  @Test(
    "clients that together leave more unread than the hub keeps are ended with the reason, the largest first")
  func memoryBound() throws {
    let writer = try hub.connect()
    _ = try writer.call(.set("large", .data([UInt8](repeating: 7, count: 1 << 20 - 1000))))
    let before = hub.process.residentKilobytes
    let modest = try hub.connect()
    try modest.send(.watch("other", policy: .every))
    _ = try modest.eventsUntilSynced()
    let clients = try (0..<150).map { _ in try hub.connect() }
    var bytes: [UInt8] = []
    for number in 10..<1010 {
      bytes += RawClient.bytes(.describe(.name(try StoreName("large"))), id: UInt32(number))
    }
    for client in clients {
      try client.send(bytes: bytes)
      _ = try writer.call(.set("other", .string("\(client.descriptor)")))
    }
    #expect(hub.process.peakResidentKilobytes - before < (64 + 16) * 1024 || isSanitized)
    var ended = 0
    for client in clients {
      // Ended clients see the end once they have read what the kernel kept for them: in the middle of a frame, or after the
      // reason.
      ended += ends(client, withinBytes: 3 << 20) ? 1 : 0
    }
    #expect(ended > 50 && ended < 130, "\(ended) clients were ended")
    #expect(hub.reports("process \(getpid()) of user \(getuid())"))
    for client in clients.indices {
      guard case .change(let state, _, _) = try modest.nextEvent() else {
        guard client == 0 else { throw TestFailure("the modest client missed a change") }
        continue
      }
      #expect(state.value == .string("\(clients[client].descriptor)"))
    }
  }

  @Test(
    "old values of which clients have a part count to what the hub keeps for them",
    .enabled(if: geteuid() == 0))
  func oldValues() throws {
    chmod(hub.socket, 0o666)
    chmod(directory.path, 0o755)
    let writer = try hub.connect()
    let before = hub.process.residentKilobytes
    var clients: [RawClient] = []
    for index in 0..<100 {
      let value = [UInt8](repeating: UInt8(index), count: 1 << 20 - 1000)
      _ = try writer.call(.set("large", .data(value)))
      clients.append(try RawClient(to: hub.socket, as: 50_013))
      try clients[index].send(.hello(name: "slow"))
      try clients[index].send(.get("large"))
      _ = try writer.call(.ping)
    }
    // The change log takes half as much, with these values.
    #expect(hub.process.peakResidentKilobytes - before < (64 + 32 + 16) * 1024 || isSanitized)
    let ended = clients.count { ends($0, withinBytes: 600_000) }
    #expect(ended > 20 && ended < 60, "\(ended) clients were ended")
    #expect(hub.reports("of user 50013"))
  }

  /// Whether the stream ends within this many bytes.
  private func ends(_ client: RawClient, withinBytes limit: Int) -> Bool {
    var bytes = [UInt8](repeating: 0, count: 1 << 18)
    var total = 0
    while total < limit {
      var waiting = pollfd(fd: client.descriptor, events: Int16(POLLIN), revents: 0)
      guard poll(&waiting, 1, longestPoll) > 0 else { return false }
      let count = recv(client.descriptor, &bytes, bytes.count, 0)
      if count <= 0 { return true }
      total += count
    }
    return false
  }

  @Test("a watcher that was not reading gets whole frames, then the newest value, and is not disconnected")
  func conflation() throws {
    let writer = try hub.connect()
    let watcher = try hub.connect()
    try watcher.send(.watch("state.*"))
    _ = try watcher.eventsUntilSynced()
    let before = hub.process.residentKilobytes
    // Of many lengths, so that the socket fills up in the middle of a frame.
    for number in 0..<5000 {
      let text = "\(number) " + String(repeating: "x", count: number * 37 % 5000)
      _ = try writer.call(.set("state.a", .string(text)))
      _ = try writer.call(.set("state.b", .integer(Int64(number))))
    }
    #expect(hub.process.residentKilobytes - before < 16 * 1024 || isSanitized)
    var newest: [StoreID: StoreState] = [:]
    while newest.values.contains(where: { $0.value == .integer(4999) }) == false {
      for event in try watcher.eventsUntilSynced() {
        guard let state = event.state else { continue }
        #expect(state.version > newest[state.id]?.version ?? 0, "versions rise")
        newest[state.id] = state
      }
    }
    #expect(newest.count == 2)
    #expect(
      newest.values.contains {
        if case .string(let text) = $0.value { text.hasPrefix("4999 ") } else { false }
      })
    // It keeps up again.
    _ = try writer.call(.set("state.b", .integer(-1)))
    #expect(try watcher.nextEvent().state?.value == .integer(-1))
  }

  @Test("a snapshot much larger than a socket's buffer arrives whole, while others are served")
  func largeSnapshot() throws {
    let writer = try hub.connect()
    let count = 3000
    for number in 0..<count {
      _ = try writer.call(.set("many.s\(number)", .string(String(repeating: "v", count: 1000))))
    }
    let watcher = try hub.connect()
    try watcher.send(.watch("many.*"))
    guard case .pong = try writer.call(.ping) else { throw TestFailure("no pong") }
    var names = Set<String>()
    for event in try watcher.eventsUntilSynced() {
      guard case .current(let name, _) = event else { continue }
      #expect(names.insert(name).inserted)
    }
    #expect(names.count == count)
  }

  @Test("a value with a time to live ends without a request")
  func expiry() throws {
    let writer = try hub.connect()
    let watcher = try hub.connect()
    try watcher.send(.watch("brief"))
    _ = try watcher.eventsUntilSynced()
    _ = try writer.call(.set("brief", .integer(1), lifetime: Lifetime(ttl: 30)))
    guard case .created = try watcher.nextEvent(), case .removed = try watcher.nextEvent() else {
      throw TestFailure("not created and removed")
    }
  }

  @Test("what a client set for as long as it lives ends when it dies")
  func ephemeral() throws {
    let watcher = try hub.connect()
    try watcher.send(.watch("presence.*"))
    _ = try watcher.eventsUntilSynced()
    let client = try hub.connect()
    _ = try client.call(.set("presence.me", .boolean(true), lifetime: Lifetime(ephemeral: true)))
    guard case .created = try watcher.nextEvent() else { throw TestFailure("not created") }
    client.close()
    guard case .removed = try watcher.nextEvent() else { throw TestFailure("not removed") }
  }

  @Test(
    "a change for many that takes long to send does not keep others from writing: the rest of them catch up with it"
  )
  func fanOut() throws {
    let writer = try hub.connect()
    let watchers = try (0..<90).map { _ in try hub.connect() }
    for watcher in watchers {
      try watcher.send(.watch("large"))
      // `watching`, and `synced`.
      _ = (try watcher.next(), try watcher.next())
    }
    func catchUps() throws -> UInt64? {
      guard case .statistics(let figures) = try writer.call(.stats) else { return nil }
      return figures.first { $0.name == "catch_ups" }?.value
    }
    let before = try #require(try catchUps())
    let length = 1 << 20 - 1000
    _ = try writer.call(.set("large", .data([UInt8](repeating: 7, count: length))))
    // Each of them is charged a megabyte, and the first fifty are as many as others wait for.
    for number in 0..<20 { _ = try writer.call(.set("other", .integer(Int64(number)))) }
    #expect(try #require(try catchUps()) > before + 10)
    for watcher in watchers {
      guard case .event(let event) = try watcher.next(), case .data(let bytes)? = event.state?.value else {
        throw TestFailure("no value")
      }
      #expect(bytes.count == length && bytes.last == 7)
    }
  }
}
