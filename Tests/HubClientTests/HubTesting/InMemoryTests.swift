// What programs see of values and streams, on a hub in memory: everything happens within the call.

import HubClient
import HubTesting
import TestSupport
import Testing

private enum Mode: String, Codable, Sendable { case day, night }

private struct Profile: Codable, Sendable, Equatable {
  var name: String
  var brightness: [String: Double]
}

@Suite("A hub in memory")
struct InMemoryTests {
  let hub = Hub.inMemory()

  // MARK: Values

  @Test("a value of each type comes back as it was set")
  func roundTrips() async throws {
    func check<V: Codable & Sendable & Equatable>(_ value: V, _ type: ValueType) async throws {
      let store = hub.value("a.\(type)", of: V.self)
      try await store.set(value)
      #expect(try await store.get() == value)
      #expect(try await hub.describe(store.name).schema.type == type)
      try await store.remove()
    }
    try await check(Int.min, .integer)
    try await check(UInt8.max, .integer)
    try await check(-0.25, .double)
    try await check(Float(1.5), .double)
    try await check(true, .boolean)
    try await check("grün", .string)
    try await check([0, 255] as [UInt8], .data)
    try await check(Mode.night, .string)
    try await check(Profile(name: "a/b", brightness: ["left": 1, "right": 0.5]), .json)
    try await check([1, 2, 3], .json)
  }

  @Test("what was read is a condition that holds, of each type, and update needs no other")
  func readConditions() async throws {
    func check<V: Codable & Sendable & Equatable>(_ values: V...) async throws {
      let store = hub.value("condition.\(V.self)".replacing(/[^A-Za-z.]/, with: "_"), of: V.self)
      try await store.set(values[0])
      for value in values.dropFirst() + [values[0]] {
        try await store.set(value, if: .value(try await store.get()))
        #expect(
          await failure { try await store.set(value, if: .value(values.first { $0 != value }!)) }?.code
            == .conflict)
        try await store.update { $0 = value }
        #expect(try await store.get() == value)
      }
    }
    try await check(1, 0, -7)
    try await check(1.0, 0.1, -0.0, 1e22)
    try await check(Float(1), 0.1)
    try await check(true, false)
    try await check("1", "1.0", "")
    try await check([1, 2] as [UInt8], [])
    try await check(Mode.day, .night)
    try await check(Profile(name: "a", brightness: ["b": 1, "a": 2]), Profile(name: "a", brightness: [:]))
    // A store of doubles that a double handle reads as it was created: with a whole number.
    try await hub.create("whole", Schema(type: .double, initial: .double(1)))
    let whole = hub.value("whole", of: Double.self)
    try await whole.set(2, if: .value(1))
    #expect(try await whole.get() == 2)
  }

  @Test("a Codable value is JSON with sorted keys, so that an equal one is no change")
  func sortedKeys() async throws {
    let profile = hub.value("profile", of: Profile.self)
    let value = Profile(name: "a/b", brightness: ["z": 1, "m": 2, "b": 3, "a": 4])
    try await profile.set(value)
    #expect(
      try await hub.anyValue("profile").get()
        == .json(#"{"brightness":{"a":4,"b":3,"m":2,"z":1},"name":"a/b"}"#))
    #expect(try await profile.set(value).changed == false)
  }

  @Test("a value of another type is an error that names the store, and the next one can still be read")
  func undecodable() async throws {
    try await hub.value("mode").set("day")
    let mode = hub.value("mode", of: Int.self)
    let error = await failure { try await mode.get() }
    #expect(error?.code == .undecodable && error?.store == "mode")

    let json = hub.anyValue("json")
    try await json.set(.json("[1]"))
    var profiles = hub.value("json", of: Profile.self).values.makeAsyncIterator()
    let second = await failure { try await profiles.next() }
    #expect(second?.code == .undecodable)
    try await json.set(.json(#"{"name":"x","brightness":{}}"#))
    #expect(try await profiles.next() == Profile(name: "x", brightness: [:]))
  }

  @Test("a value that no store can hold is refused before it is sent")
  func unholdable() async throws {
    let nan = await failure { try await hub.value("d").set(Double.nan) }
    #expect(nan?.code == .invalidValue && nan?.store == "d")
    let large = await failure { try await hub.value("u").set(UInt64.max) }
    #expect(large?.code == .invalidValue)
  }

  @Test("an invalid name fails at the first use, also of a stream")
  func invalidName() async throws {
    let bad = hub.value("no such name", of: Int.self)
    #expect(await failure { try await bad.set(1) }?.code == .invalidName)
    #expect(await failure { for try await _ in bad.values {} }?.code == .invalidName)
    let watch = hub.watch("a*")
    #expect(await failure { for try await _ in watch {} }?.code == .invalidPattern)
  }

  // MARK: Writing

  @Test("add, toggle, reset and remove tell what they made of it")
  func writes() async throws {
    let number = hub.value("number", of: Int.self)
    try await hub.create("number", Schema(type: .integer, initial: .integer(5), maximum: .integer(10)))
    #expect(try await number.add(3) == 8)
    #expect(try await number.add(30, clamp: true) == 10)
    #expect(await failure { try await number.add(1) }?.code == .outOfRange)
    #expect(try await number.reset() == 5)
    let flag = hub.value("flag", of: Bool.self)
    try await flag.set(false)
    #expect(try await flag.toggle())
    #expect(await failure { try await flag.reset() }?.code == .noInitialValue)
    try await flag.remove()
    #expect(await failure { try await flag.get() }?.code == .noSuchStore)
  }

  @Test("a conditional set succeeds only if the condition holds")
  func conditions() async throws {
    let store = hub.value("s", of: String.self)
    try await store.set("a", if: .absent)
    let stored = try await store.read()
    #expect(await failure { try await store.set("b", if: .absent) }?.code == .conflict)
    try await store.set("b", if: .unchanged(since: stored))
    let late = await failure { try await store.set("c", if: .unchanged(since: stored)) }
    #expect(late?.code == .conflict)
    #expect(late?.revision == (try await store.read().revision))
    try await store.set("c", if: .value("b"))
    #expect(try await store.get() == "c")
  }

  @Test(
    "update changes what is there, begins with its default, and without one says that the store is missing")
  func update() async throws {
    let count = hub.value("count", of: Int.self)
    #expect(await failure { try await count.update { $0 += 1 } }?.code == .noSuchStore)
    try await count.update(default: 40) { $0 += 1 }
    try await count.update { $0 += 1 }
    #expect(try await count.get() == 42)
  }

  @Test("update starts over when another writer was faster")
  func updateRetries() async throws {
    let memory = InMemoryHub()
    let (mine, other) = (memory.connect(), memory.connect())
    let count = mine.value("count", of: Int.self)
    try await count.set(0)
    let tasks = (0..<20).map { index in
      Task {
        let hub = index % 2 == 0 ? mine : other
        for _ in 0..<50 { try await hub.value("count", of: Int.self).update { $0 += 1 } }
      }
    }
    for task in tasks { try await task.value }
    #expect(try await count.get() == 1000)
  }

  @Test("a transaction is made as a whole or not at all")
  func transactions() async throws {
    let (a, b) = (hub.value("a", of: Int.self), hub.value("b", of: Int.self))
    try await hub.transaction {
      $0.set(a, to: 1)
      $0.set(b, to: 2)
    }
    let (revision, results) = try await hub.transaction {
      $0.add(10, to: a)
      $0.add(-10, to: b)
    }
    #expect(results.map(\.value) == [.integer(11), .integer(-8)])
    #expect(results.map(\.revision) == [revision, revision])
    let error = await failure {
      try await hub.transaction {
        $0.set(a, to: 0)
        $0.set(b, to: 0, if: .absent)
      }
    }
    #expect(error?.code == .conflict && error?.operation == 1)
    #expect(try await a.get() == 11)
    let bad = await failure {
      try await hub.transaction {
        $0.set(a, to: 0)
        $0.set(hub.value("", of: Int.self), to: 0)
      }
    }
    #expect(bad?.code == .invalidName && bad?.operation == 1)
  }

  @Test("a value with a time to live goes when its time is up")
  func timeToLive() async throws {
    let lease = hub.value("lease", of: String.self)
    var events = lease.events(.every(limit: 10)).makeAsyncIterator()
    #expect(try await events.next()?.kind == .synced)
    try await lease.set("mine", lifetime: .expires(after: .seconds(10)))
    #expect(try await events.next()?.value == "mine")
    hub.memory?.advance(by: .seconds(9))
    #expect(try await lease.get() == "mine")
    hub.memory?.advance(by: .seconds(1))
    #expect(try await events.next()?.kind == .removed)
  }

  @Test("lists and descriptions come in full, beyond a page")
  func lists() async throws {
    for index in 0..<1500 { try await hub.value("n.\(index)", of: Int.self).set(index) }
    try await hub.value("other", of: Int.self).set(0)
    #expect(try await hub.list("n.*").count == 1500)
    #expect(try await hub.list().count == 1501)
    #expect(try await hub.clients().count == 1)
    #expect(try await hub.stats().isEmpty == false)
    #expect(try await hub.ping() == 1501)
  }

  // MARK: Streams

  @Test("a stream begins with the current value, and then gives each newer one")
  func values() async throws {
    let number = hub.value("number", of: Int.self)
    try await number.set(1)
    var values = number.values.makeAsyncIterator()
    #expect(try await values.next() == 1)
    try await number.set(2)
    #expect(try await values.next() == 2)
    try await number.set(2)
    try await number.set(3)
    #expect(try await values.next() == 3)
  }

  @Test("a slow iteration gets the newest value and is told how many it missed")
  func conflation() async throws {
    let number = hub.value("number", of: Int.self)
    try await number.set(0)
    var events = number.events.makeAsyncIterator()
    #expect(try await events.next()?.kind == .initial)
    #expect(try await events.next()?.kind == .synced)
    for value in 1...10 { try await number.set(value) }
    let event = try #require(try await events.next())
    #expect(event.value == 10 && event.skipped == 9 && event.kind == .changed)
  }

  @Test("each stream of a value has a policy of its own")
  func policies() async throws {
    let number = hub.value("number", of: Int.self)
    var latest = number.values.makeAsyncIterator()
    var three = number.values(.latest(3)).makeAsyncIterator()
    var every = number.values(.every(limit: 100)).makeAsyncIterator()
    for value in 1...10 { try await number.set(value) }
    #expect(try await latest.next() == 10)
    for value in 8...10 { #expect(try await three.next() == value) }
    for value in 1...10 { #expect(try await every.next() == value) }
  }

  @Test("a removal is an event, not an end")
  func removal() async throws {
    let number = hub.value("number", of: Int.self)
    try await number.set(1)
    var events = number.events(.every(limit: 10)).makeAsyncIterator()
    #expect(try await events.next()?.kind == .initial)
    #expect(try await events.next()?.kind == .synced)
    try await number.remove()
    try await number.set(2)
    #expect(try await events.next()?.kind == .removed)
    let created = try #require(try await events.next())
    #expect(created.kind == .changed && created.value == 2 && created.skipped == 0)
  }

  @Test("streams of one value share one watch, which ends with the last of them")
  func sharing() async throws {
    let number = hub.value("number", of: Int.self)
    do {
      let first = number.values.makeAsyncIterator()
      let second = number.values.makeAsyncIterator()
      #expect(try await hub.clients()[0].watches == 1)
      withExtendedLifetime((first, second)) {}
    }
    #expect(try await hub.clients()[0].watches == 0)
  }

  @Test("cancelling a task ends its iteration and releases the watch, also between two values")
  func cancellation() async throws {
    let number = hub.value("number", of: Int.self)
    let task = Task {
      var count = 0
      for try await _ in number.values { count += 1 }
      return count
    }
    while try await hub.clients()[0].watches == 0 { await Task.yield() }
    task.cancel()
    #expect(try await task.value == 0)
    #expect(try await hub.clients()[0].watches == 0)

    try await number.set(1)
    let busy = Task {
      var count = 0
      for try await _ in number.values(.every(limit: 100)) {
        count += 1
        withUnsafeCurrentTask { $0?.cancel() }
        for value in 2...9 { _ = try? await hub.memory?.connect().value("number", of: Int.self).set(value) }
      }
      return count
    }
    #expect(try await busy.value == 1)
    #expect(try await hub.clients()[0].watches == 0)
  }

  @Test("when a write has returned, streams and cached reads are at or past it")
  func readYourWrites() async throws {
    let number = hub.value("number", of: Int.self)
    #expect(number.cached == nil)
    var values = number.values.makeAsyncIterator()
    for value in 1...20 {
      try await number.set(value)
      #expect(number.cached == value)
      #expect(try await values.next() == value)
    }
    #expect(try await number.add(1) == 21)
    #expect(number.cached == 21)
  }

  // MARK: Patterns

  @Test("a watch of patterns shows the current values, synced, and then what happens, with names")
  func patterns() async throws {
    try await hub.value("audio.volume", of: Double.self).set(0.5)
    try await hub.value("audio.mute", of: Bool.self).set(false)
    try await hub.value("video.mute", of: Bool.self).set(false)
    var events = hub.watch("audio.*", "**.volume").makeAsyncIterator()
    #expect(try await events.next()?.name == "audio.volume")
    #expect(try await events.next()?.name == "audio.mute")
    #expect(try await events.next()?.kind == .synced)
    try await hub.value("video.volume", of: Double.self).set(1)
    let created = try #require(try await events.next())
    #expect(created.name == "video.volume" && created.kind == .changed)
    #expect(try created.value(as: Double.self) == 1)
    try await hub.value("video.mute", of: Bool.self).set(true)
    try await hub.value("audio.mute", of: Bool.self).remove()
    #expect(try await events.next()?.kind == .removed)
  }

  @Test("views are whole: a transaction shows at once, and a single change by itself")
  func views() async throws {
    let (a, b) = (hub.value("v.a", of: Int.self), hub.value("v.b", of: Int.self))
    var views = hub.watch("v.*").views.makeAsyncIterator()
    #expect(try await views.next()?.values == [:])
    try await hub.transaction {
      $0.set(a, to: 1)
      $0.set(b, to: -1)
    }
    let first = try #require(try await views.next())
    #expect(first.values == ["v.a": .integer(1), "v.b": .integer(-1)])
    #expect(try first.value("v.a") == 1)
    try await a.set(5)
    var last = try await views.next()
    while last?.values["v.a"] != .integer(5) { last = try await views.next() }
    #expect(last?.values == ["v.a": .integer(5), "v.b": .integer(-1)])
    try await b.remove()
    #expect(try await views.next()?.values == ["v.a": .integer(5)])
  }

  @Test("a thousand clients that come and go leave the hub no larger than the most at a time")
  func sessionNumbers() async throws {
    let memory = try #require(hub.memory)
    var highest: Int32 = 0
    for _ in 0..<300 {
      let client = memory.connect()
      highest = max(highest, try await client.clients().map(\.session).max() ?? 0)
      client.close()
    }
    #expect(highest < 80)
  }
}
