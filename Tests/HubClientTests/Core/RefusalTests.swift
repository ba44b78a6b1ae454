// How long the client believes that a refusal may be one between a socket's creation and its final mode.

import HubCore
import HubTransport
import Testing

@testable import HubClient

@Suite("A hub that refuses connections")
struct RefusalTests {
  @Test("a request fails at the third refusal in a row, and not before; other failures are waited out")
  func refusals() {
    var core = ClientCore(name: "test", seed: 1)
    var effects = Effects()
    let call = Call()
    core.launch(.ping, call: call, deadline: .never, &effects)
    for _ in 0..<5 { core.connectFailed(HubError(.noHub, "no hub"), now: .now, &effects) }
    effects.run()
    #expect(call.result == nil)
    var other = ClientCore(name: "test", seed: 1)
    other.launch(.ping, call: call, deadline: .never, &effects)
    for number in 1...3 {
      other.connectFailed(HubError(.denied, "no right"), now: .now, &effects)
      effects.run()
      #expect((call.result != nil) == (number == 3))
    }
  }

  @Test("a request whose time is over says that the hub is full, not that it may have run")
  func full() throws {
    var core = ClientCore(name: "test", seed: 1)
    var effects = Effects()
    let (call, start) = (Call(), Deadline(nanoseconds: 1_000_000_000))
    let write = Request.write(.add(.name(try StoreName("n")), .integer(1)))
    _ = core.begin(write, call, deadline: start + .seconds(1), &effects)
    var now = start
    for _ in 0..<3 {
      while case .none = core.step(now: now, &effects) { now = now + .milliseconds(1) }
      core.connected(now: now, &effects)
      core.didSend(core.unsent.count)
      let reply = Reply.error(HubError(.quota, "the hub serves 3 clients and takes no more"))
      let error = core.receive(.reply(0, reply), now: now, &effects)
      core.lost(try #require(error), now: now, &effects)
    }
    #expect(call.result == nil)
    _ = core.step(now: start + .seconds(1), &effects)
    guard case .failure(let error)? = call.result else {
      Issue.record("it has not ended")
      return
    }
    #expect(error.code == .quota && error.message == "the hub serves 3 clients and takes no more")
  }
}
