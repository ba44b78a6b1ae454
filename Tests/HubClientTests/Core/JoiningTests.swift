// When a watch is opened once more for a stream that joins it, and in which order watches are opened again.

import HubCore
import HubTransport
import Testing

@testable import HubClient

@Suite("Watches that are opened again")
struct JoiningTests {
  private let client = ConnectedCore()

  init() { client.connect() }

  /// A watch that has shown one store.
  private func watch(_ pattern: String) throws {
    try client.confirm(client.open(pattern))
    client.current(1, "a", 1)
    client.synced(9)
    client.sendAll()
  }

  private func kinds() -> [Frame.Kind?] { client.requests().map(\.kind) }

  @Test("a stream that asks for every change has a watch opened again that skips some, and the old one ended")
  func every() throws {
    try watch("a")
    _ = try client.open("a", .every(limit: 10))
    #expect(kinds() == [.request(.watch), .request(.unwatch)])
  }

  @Test("so has a stream that joins between changes and their synced")
  func withinBatch() throws {
    try watch("*")
    client.change(1, 10)
    _ = try client.open("*")
    #expect(kinds() == [.request(.watch), .request(.unwatch)])
  }

  @Test("a stream that asks for no more joins a watch that is whole as it is")
  func whole() throws {
    try watch("*")
    _ = try client.open("*")
    #expect(kinds().isEmpty)
  }

  @Test("on a new connection those that resume come first, the oldest bookmark at the front")
  func order() throws {
    let names = ["a", "b", "c", "d", "e", "f"]
    let streams = try names.map { try client.open($0) }
    for stream in streams { try client.confirm(stream) }
    client.synced(10)
    // On the next connection only one of them gets further; the others are as they were.
    for (index, stream) in streams.enumerated() {
      client.lose()
      client.connect()
      try client.confirm(stream)
      client.synced(20 + Revision(index))
    }
    let fresh = try ["u", "v", "w", "x", "y", "z"].map { try client.open($0) }
    client.lose()
    client.connect()
    let order = client.requests().filter { $0.kind == .request(.watch) }
      .map { client.core.watches[$0.id]?.key.name }
    #expect(Array(order.prefix(6)) == names)
    #expect(Set(order.dropFirst(6)) == Set(fresh.map(\.key.name)))
  }
}
