// The numbers of requests, after more of them than there are numbers.

import HubCore
import HubTransport
import TestSupport
import Testing

@testable import HubClient

@Suite("The numbers of requests")
struct RequestNumberTests {
  @Test("when the numbers begin again, one that a request or a watch still has is not given out, nor is zero")
  func inUse() throws {
    var core = ClientCore(name: "test", seed: 1)
    var effects = Effects()
    core.lastID = .max - 1
    #expect(core.launch(.ping, call: Call(), deadline: .never, &effects) == .max)
    #expect(core.launch(.ping, call: Call(), deadline: .never, &effects) == 1)
    core.watches[2] = Subscription(key: try WatchKey(StoreName("a")), wantsEvery: false)
    core.lastID = .max - 1
    #expect(core.nextID() == 3)
  }

  private static func offer() throws -> ClaimOffer {
    ClaimOffer(try StoreName("dev"), [try NamePattern("dev.**")], waits: true)
  }

  @Test("nor is that of hello, of a question about an ephemeral value, or of a claim that waits for its turn")
  func inUseElsewhere() throws {
    let client = ConnectedCore()
    let lock = WriteOperation.set(
      .name(try StoreName("a")), .integer(1), lifetime: Lifetime(ephemeral: true))
    client.core.ephemerals.note(
      lock,
      WriteResult(id: StoreID(raw: 1), revision: 7, version: 1, changed: true, durability: .volatile),
      Epoch(high: 1, low: 1))
    _ = client.core.provide(try Self.offer(), ClaimStream(), &client.effects)
    client.core.lastID = .max - 1
    client.core.connected(now: client.now, &client.effects)
    #expect(client.requests().map(\.id) == [.max, 1, 2], "hello, provide, describe")
    client.core.lastID = .max - 1
    #expect(client.core.nextID() == 3)
  }

  @Test("a claim waits for its turn while all numbers are given out, and no answer is lost")
  func longWait() throws {
    let client = ConnectedCore()
    client.connect()
    let stream = ClaimStream()
    _ = client.core.provide(try Self.offer(), stream, &client.effects)
    let claim = try #require(client.core.ownClaims.first?.request)
    var pings = [client.begin(.ping)]
    client.core.lastID = .max - 1
    pings += [client.begin(.ping), client.begin(.ping)]
    for ping in pings {
      client.receive(.reply(ping.id, .pong(revision: 9)))
      #expect(ping.call.isFinished, "\(ping.id)")
    }
    client.receive(.reply(claim, .providing(claim: 7, revision: 9)))
    guard case .claimed = stream.take() else { throw TestFailure("the claim was not made") }
  }

  @Test("a claim that takes more bytes than the hub does fails, and the next one of its name is asked for")
  func tooLong() throws {
    let client = ConnectedCore()
    client.connect(maximumFrameLength: 1 << 16)
    let (long, short) = (ClaimStream(), ClaimStream())
    var offer = try Self.offer()
    _ = client.core.provide(offer, short, &client.effects)
    offer.description = String(repeating: "x", count: 1 << 16)
    _ = client.core.provide(offer, long, &client.effects)
    client.sendAll()
    client.receive(
      .reply(try #require(client.core.ownClaims.first?.request), .error(HubError(.denied, "not allowed"))))
    guard case .failed(let error) = long.take() else { throw TestFailure("the claim waits") }
    #expect(error.code == .frameTooLarge && client.core.ownClaims.isEmpty)
  }
}
