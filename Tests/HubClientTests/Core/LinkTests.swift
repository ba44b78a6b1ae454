// When the core wants a connection, and how long it waits for the next one.

import HubCore
import HubTransport
import Testing

@testable import HubClient

@Suite("Wanting a connection")
struct LinkTests {
  private let client = ConnectedCore()

  @Test("a connection is wanted when there is something to ask and none is being made")
  func wanted() {
    #expect(!client.wantsConnection)
    client.begin(.ping)
    #expect(client.wantsConnection)
    guard case .connect = client.core.step(now: client.now, &client.effects) else {
      Issue.record("nothing was ordered")
      return
    }
    #expect(!client.wantsConnection)
    client.connect()
    #expect(!client.wantsConnection)
    client.lose()
    #expect(!client.wantsConnection)
  }

  @Test("connections that end within a second are waited for longer and longer, one that lasted is not")
  func steadiness() {
    client.begin(.ping)
    func wait() -> Duration {
      let times = client.core.nextDeadline.nanoseconds - client.now.nanoseconds
      return .nanoseconds(Int64(times))
    }
    for _ in 0..<6 {
      client.connect()
      client.now = client.now + .nanoseconds(999_999_999)
      client.lose()
    }
    #expect(wait() >= .milliseconds(500))
    client.connect()
    client.now = client.now + .seconds(1)
    client.lose()
    #expect(wait() <= .milliseconds(100))
  }
}
