// The numbers of requests, after more of them than there are numbers.

import HubCore
import HubTransport
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
}
