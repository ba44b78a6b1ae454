// Consistent views of several stores: one for each state of the hub, none twice.

import HubClient
import HubTesting
import TestSupport
import Testing

@Suite("Views of several stores")
struct HubViewTests {
  private let memory = InMemoryHub()
  private let hub: Hub

  init() { hub = memory.connect() }

  @Test("a transaction of which the watch sees one change is one view")
  func single() async throws {
    let (a, b) = (hub.value("a", of: Int.self), hub.value("other.b", of: Int.self))
    try await a.set(0)
    try await b.set(0)
    var iterator = hub.watch("a").views.makeAsyncIterator()
    try await hub.transaction {
      $0.set(a, to: 1)
      $0.set(b, to: 0)
    }
    try await hub.transaction {
      $0.set(a, to: 2)
      $0.set(b, to: 1)
    }
    try await a.set(3)
    for value in 0...3 { #expect(try await iterator.next()?.values == ["a": .integer(Int64(value))]) }
  }

  @Test("no revision is shown twice, whatever mixture of writes and transactions leads to it")
  func revisions() async throws {
    let stores = ["a", "b", "c.d"].map { hub.value($0, of: Int.self) }
    for store in stores { try await store.set(0) }
    var iterator = hub.watch("*", "c.*").views.makeAsyncIterator()
    var seen = [try #require(try await iterator.next())]
    for step in 1...60 {
      if step % 3 == 0 {
        try await stores[step % 2].set(step)
      } else {
        try await hub.transaction { transaction in
          for store in stores where step % 4 == 0 || store.name == stores[step % 3].name {
            transaction.set(store, to: step)
          }
        }
      }
      let view = try #require(try await iterator.next())
      #expect(view.values.values.contains(.integer(Int64(step))))
      seen.append(view)
    }
    #expect(Set(seen.map(\.revision)).count == seen.count)
  }

  @Test(
    "a connection that was lost while nothing changed brings no view again; what changed meanwhile is one")
  func resumed() async throws {
    let a = hub.value("a", of: Int.self)
    try await a.set(1)
    var iterator = hub.watch("a").views.makeAsyncIterator()
    #expect(try await iterator.next()?.values == ["a": .integer(1)])
    for value in [nil, 2] {
      memory.stop()
      memory.start(keepingState: true)
      if let value { try await memory.connect().value("a").set(value) }
      memory.advance(by: .seconds(10))
    }
    #expect(try await iterator.next()?.values == ["a": .integer(2)])
  }

  @Test("a watch that matches nothing has one view, an empty one")
  func empty() async throws {
    var iterator = hub.watch("nothing.*").views.makeAsyncIterator()
    #expect(try await iterator.next()?.values == [:])
    try await hub.value("nothing.a").set(1)
    #expect(try await iterator.next()?.values == ["nothing.a": .integer(1)])
  }
}
