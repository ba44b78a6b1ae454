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
}
