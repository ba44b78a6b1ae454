// What the core says about its connection, and when it ends the streams that do not wait: in time that the test makes.

import HubCore
import HubTransport
import TestSupport
import Testing

@testable import HubClient

@Suite("A client's status")
struct StatusTests {
  private let client = ConnectedCore()

  private func step() { _ = client.core.step(now: client.now, &client.effects) }

  private func fail(_ error: HubError) {
    client.core.connectFailed(error, now: client.now, &client.effects)
    client.effects.run()
  }

  /// Time passes as for a driver: the core is called whenever it asks for it.
  private func pass(_ duration: Duration) {
    let end = client.now + duration
    while client.core.nextDeadline <= end {
      client.now = max(client.now, client.core.nextDeadline)
      switch client.core.step(now: client.now, &client.effects) {
      case .connect: fail(HubError(.noHub, "no hub"))
      case .none, .disconnect: break
      }
    }
    client.now = end
  }

  /// What the stream has ended with.
  private func end(of stream: EventStream) -> HubError? {
    do throws(HubError) {
      while case .event = try stream.take() {}
      return nil
    } catch {
      return error
    }
  }

  @Test("is idle until something needs the hub, then connecting, then connected, each since its own time")
  func first() {
    #expect(client.core.status == .idle)
    client.begin(.ping)
    let start = client.now
    step()
    #expect(client.core.status == .connecting(since: start))
    client.now = start + .seconds(1)
    client.connect()
    #expect(client.core.status == .connected(since: start + .seconds(1)))
  }

  @Test("is one absence from the loss on, however many attempts fail, with the last one's reason")
  func absence() {
    client.begin(.ping)
    client.connect()
    client.now = client.now + .seconds(3)
    let lost = client.now
    client.lose()
    #expect(client.core.status == .unreachable(since: lost, HubError(.connectionLost, "lost")))
    client.now = client.now + .seconds(1)
    fail(HubError(.noHub, "no hub"))
    // Connected, but the hub does not answer.
    client.core.connected(now: client.now, &client.effects)
    #expect(client.core.status == .unreachable(since: lost, HubError(.noHub, "no hub")))
    client.connect()
    #expect(client.core.status == .connected(since: client.now))
  }

  @Test("of a hub that never answered counts from the first attempt")
  func never() {
    client.begin(.ping)
    let start = client.now
    step()
    client.now = start + .seconds(1)
    fail(HubError(.denied, "no right"))
    #expect(client.core.status == .unreachable(since: start, HubError(.denied, "no right")))
  }

  @Test("is told to streams that want a connection, the newest only, and ends with the Hub")
  func stream() {
    let stream = StatusStream()
    client.core.open(stream, &client.effects)
    #expect(client.wantsConnection)
    client.connect()
    client.now = client.now + .seconds(1)
    client.lose()
    guard case .status(.unreachable(let since, _)) = stream.take() else {
      Issue.record("the newest status was not delivered")
      return
    }
    #expect(since == client.now)
    if case .status(let status) = stream.take() { Issue.record("\(status) came twice") }
    client.core.close(&client.effects)
    guard case .status(.closed) = stream.take(), case .ended = stream.take() else {
      Issue.record("the stream did not end with the Hub")
      return
    }
    let late = StatusStream()
    client.core.open(late, &client.effects)
    client.core.close(late, &client.effects)
    if case .status(let status) = late.take() { Issue.record("a closed stream delivered \(status)") }
    #expect(client.core.observers.count == 1)
  }

  @Test("a stream without a time-out waits; one with it ends at its time, and its watch with it")
  func timeout() throws {
    let stream = try client.open("a")
    let waiting = try client.open("b")
    client.connect()
    try client.confirm(stream)
    client.core.limit(stream, to: .seconds(10), now: client.now)
    pass(.seconds(60))
    #expect(end(of: stream) == nil)
    client.lose()
    pass(.nanoseconds(9_999_999_999))
    #expect(end(of: stream) == nil)
    pass(.nanoseconds(1))
    let error = try #require(end(of: stream))
    #expect(error.code == .noHub && error.store == "a")
    #expect(client.core.subscriptions[stream.key] == nil)
    #expect(end(of: waiting) == nil)
    #expect(client.core.subscriptions[waiting.key] != nil)
  }

  @Test(
    "streams end exactly when the hub was away for as long as each of them waits",
    arguments: 0..<100 as Range<UInt64>)
  func model(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    struct Expected {
      let stream: EventStream
      let timeout: Duration
      let opened: Deadline
      var isOver = false
    }
    var streams: [Expected] = []
    // A connection is wanted from the beginning on.
    var away: Deadline? = client.now
    client.begin(.ping)
    step()
    for round in 0..<40 {
      switch Int.random(in: 0..<6, using: &generator) {
      case 0, 1:
        let stream = try client.open("s\(round)")
        let timeout = Duration.milliseconds(Int.random(in: 0...3000, using: &generator))
        client.core.limit(stream, to: timeout, now: client.now)
        streams.append(Expected(stream: stream, timeout: timeout, opened: client.now))
        if away == nil { try client.confirm(stream) }
      case 2 where away != nil:
        client.connect()
        for expected in streams where !expected.isOver { try client.confirm(expected.stream) }
        away = nil
      case 3 where away == nil:
        client.lose()
        away = client.now
      default: pass(.milliseconds(Int.random(in: 0...1500, using: &generator)))
      }
      step()
      for index in streams.indices {
        if let away, max(away, streams[index].opened) + streams[index].timeout <= client.now {
          if !streams[index].isOver { #expect(end(of: streams[index].stream) != nil, "round \(round)") }
          streams[index].isOver = true
        } else if !streams[index].isOver {
          #expect(end(of: streams[index].stream) == nil, "round \(round)")
        }
      }
    }
    if away == nil { client.lose() }
    pass(.seconds(4))
    for expected in streams where !expected.isOver { #expect(end(of: expected.stream) != nil) }
    #expect(streams.count > 1)
  }

  @Test("a hub that comes and goes without an answer to the watch, or never answers it, is one absence")
  func unanswered() throws {
    let flapping = try client.open("a")
    client.core.limit(flapping, to: .seconds(10), now: client.now)
    for _ in 0..<9 {
      client.connect()
      pass(.seconds(1))
      client.lose()
    }
    #expect(end(of: flapping) == nil)
    client.connect()
    pass(.seconds(1))
    #expect(end(of: flapping)?.code == .timeout)
    // The connection is there, and another stream's watch is answered.
    let silent = try client.open("b")
    client.core.limit(silent, to: .seconds(10), now: client.now)
    let other = try client.open("c")
    client.core.limit(other, to: .seconds(10), now: client.now)
    try client.confirm(other)
    pass(.seconds(10))
    #expect(end(of: silent)?.code == .timeout)
    #expect(end(of: other) == nil)
  }
}
