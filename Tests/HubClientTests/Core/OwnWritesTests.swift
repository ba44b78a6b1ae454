// When the answer to a write waits for the streams of the same process.

import HubCore
import Testing

@testable import HubClient

@Suite("A write and this process's own streams")
struct OwnWritesTests {
  private let client = ConnectedCore()

  init() { client.connect() }

  /// Whether the answer to a write of revision 10 is held back.
  private func write() throws -> Call {
    let (call, id) = client.begin(.write(.set(.name(try StoreName("a")), .integer(10))))
    client.receive(
      .reply(
        id,
        .written(
          WriteResult(id: StoreID(raw: 1), revision: 10, version: 10, changed: true, durability: .volatile))))
    return call
  }

  @Test("a watch that the hub has not confirmed and that has shown nothing holds no answer back")
  func unconfirmed() throws {
    _ = try client.open("a")
    #expect(try write().result != nil)
  }

  @Test("a confirmed watch holds it until it shows the value, even if it has shown nothing yet")
  func confirmed() throws {
    try client.confirm(client.open("a"))
    let call = try write()
    #expect(call.result == nil)
    client.current(1, "a", 10)
    #expect(call.result != nil)
  }

  @Test("so does one that is opened again on a new connection")
  func resuming() throws {
    let stream = try client.open("a")
    try client.confirm(stream)
    client.synced(9)
    client.lose()
    client.connect()
    let call = try write()
    #expect(call.result == nil)
    try client.confirm(stream)
    client.synced(10)
    #expect(call.result != nil)
  }
}
