// Which values outlive a killed hub, and which do not: lifetimes, durabilities, schemas, removals.

import HubCore
import TestSupport
import Testing

@Suite("What outlives a killed hub", .blocking)
struct KeptValueTests {
  private func set(
    _ name: String, _ value: Value, _ client: RawClient, ttl: UInt64? = nil, ephemeral: Bool = false
  ) throws {
    let lifetime = Lifetime(ttl: ttl, ephemeral: ephemeral)
    let reply = try client.call(.write(.set(.name(try StoreName(name)), value, lifetime: lifetime)))
    guard case .written = reply else { throw TestFailure("set was answered with \(reply)") }
  }

  private func create(_ name: String, _ schema: Schema, _ client: RawClient) throws {
    let reply = try client.call(.write(.create(try StoreName(name), schema)))
    guard case .written = reply else { throw TestFailure("create was answered with \(reply)") }
  }

  private func describe(_ name: String, _ client: RawClient) throws -> StoreDescription? {
    switch try client.call(.describe(.name(try StoreName(name)))) {
    case .described(let description): return description
    case .error(let error) where error.code == .noSuchStore: return nil
    case let reply: throw TestFailure("describe was answered with \(reply)")
    }
  }

  @Test(
    "a time to live continues after a kill and a stop, and an ephemeral value has ended with its connection")
  func lifetimes() throws {
    let place = try DurablePlace()
    let hub = try place.start()
    let client = try hub.connect()
    try create("mode", Schema(type: .string, initial: .string("off")), client)
    try set("mode", .string("on"), client)
    try set("mode", .string("turbo"), client, ttl: 3_600_000)
    try set("lock", .string("mine"), client, ttl: 3_600_000)
    try set("here", .boolean(true), client, ephemeral: true)
    // The same value once more, and it stays.
    try set("settled", .integer(1), client, ttl: 3_600_000)
    try set("settled", .integer(1), client)
    // And the other way round.
    try set("lent", .integer(2), client)
    try set("lent", .integer(2), client, ttl: 3_600_000)
    // Changed by who does not look at lifetimes.
    try set("count", .integer(5), client, ttl: 3_600_000)
    guard case .written = try client.call(.write(.add(.name(try StoreName("count")), .integer(1)))) else {
      throw TestFailure("add was refused")
    }
    hub.kill()
    let next = try place.start()
    func check(_ hub: HubProcess) throws {
      #expect(try hub.value("mode") == .string("turbo"))
      #expect(try hub.value("lock") == .string("mine"))
      #expect(try hub.value("here") == nil)
      #expect(try hub.value("settled") == .integer(1))
      #expect(try hub.value("lent") == .integer(2))
      #expect(try hub.value("count") == .integer(6))
      let client = try hub.connect()
      for name in ["mode", "lock", "lent", "count"] {
        let left = try describe(name, client)?.ttl ?? 0
        #expect(left > 3_000_000 && left < 3_600_000)
      }
      #expect(try describe("settled", client)?.ttl == nil)
    }
    try check(next)
    #expect(try next.terminate() == .status(0))
    try check(try place.start())
  }

  @Test("schemas are kept with their stores, also one that was changed, and a durability that was")
  func schemas() throws {
    let place = try DurablePlace()
    let hub = try place.start()
    let client = try hub.connect()
    try create("ruled", Schema(type: .integer, maximum: .integer(10), description: "first"), client)
    try set("ruled", .integer(7), client)
    try create("ruled", Schema(type: .integer, maximum: .integer(9), description: "second"), client)
    try create("wide", Schema(type: .integer, initial: .integer(3)), client)
    try create("wide", Schema(type: .double, initial: .double(0.5)), client)
    try create("saved", Schema(type: .integer, durability: .volatile), client)
    try set("saved", .integer(4), client)
    try create("saved", Schema(type: .integer, durability: .synced), client)
    try create("forgotten", Schema(type: .integer, durability: .synced), client)
    try set("forgotten", .integer(4), client)
    try create("forgotten", Schema(type: .integer, durability: .volatile), client)
    let before = try describe("ruled", client)
    hub.kill()
    let second = try place.start()
    let next = try second.connect()
    let ruled = try #require(try describe("ruled", next))
    #expect(ruled.schema.description == "second" && ruled.schema.maximum == .integer(9))
    #expect(ruled.state == before?.state)
    #expect(try describe("wide", next)?.state.value == .double(3))
    #expect(try describe("saved", next)?.state.value == .integer(4))
    #expect(try describe("saved", next)?.durability == .synced)
    #expect(try describe("forgotten", next) == nil)
    second.kill()
  }

  @Test("removed stores stay removed, and come back with another number")
  func removals() throws {
    let place = try DurablePlace()
    let hub = try place.start()
    let client = try hub.connect()
    try set("a", .integer(1), client)
    let id = try describe("a", client)?.state.id
    guard case .written = try client.call(.write(.remove(.name(try StoreName("a"))))) else {
      throw TestFailure("remove was refused")
    }
    hub.kill()
    let next = try place.start()
    #expect(try next.value("a") == nil)
    let other = try next.connect()
    try set("a", .integer(1), other)
    let again = try #require(try describe("a", other))
    #expect(again.state.id != id && again.state.version == 1)
  }

  @Test("values that come faster than room is made ahead of them are all there")
  func faster() throws {
    let place = try DurablePlace()
    let hub = try place.start()
    let client = try hub.connect()
    var random = SeededGenerator(seed: 9)
    var lengths: [Int] = []
    var requests: [UInt32] = []
    for index in 0..<120 {
      let length = Int.random(in: 1...300_000, using: &random)
      lengths.append(length)
      let value = Value.data([UInt8](repeating: UInt8(1 + index), count: length))
      requests.append(try client.send(.write(.set(.name(try StoreName("s.\(index)")), value))))
    }
    for request in requests {
      guard case .written = try client.reply(to: request) else { throw TestFailure("a set was refused") }
    }
    hub.kill()
    let next = try place.start()
    for (index, length) in lengths.enumerated() {
      let value = try next.value("s.\(index)")
      #expect(value == .data([UInt8](repeating: UInt8(1 + index), count: length)), "s.\(index)")
    }
  }

  @Test("a dump of a hub on disk that is loaded into an empty one gives the same dump after a kill")
  func dump() throws {
    let place = try DurablePlace()
    let hub = try place.start()
    let client = try hub.connect()
    try create("ruled", Schema(type: .double, initial: .double(0.1), minimum: .double(-0.0)), client)
    for index in 0..<300 { try set("s.\(index)", .json("{ \"n\" : \(index) }"), client) }
    let dump = try place.run("statectl", "dump").output
    let other = try DurablePlace()
    let target = try other.start()
    let file = try other.directory.write(dump, to: "dump.jsonl")
    let load = try ChildProcess(
      ChildProcess.built("statectl"), ["load"], environment: ["STATEHUB_SOCKET": other.socket], input: file,
      directory: other.directory)
    #expect(try load.wait() == .status(0), "\(load.standardError)")
    target.kill()
    let again = try other.start()
    let copy = try other.run("statectl", "dump").output
    #expect(copy.split(separator: "\n").dropFirst() == dump.split(separator: "\n").dropFirst())
    again.kill()
  }
}
