// What the engine tells its owner about a session.

import Testing

@testable import HubCore
@testable import HubEngine

@Suite("A session")
struct SessionTests {
  @Test("it greets until it has said hello, and then has a name; its requests are counted")
  func life() {
    var hub = EngineFixture()
    let session = SessionID(raw: 8)
    #expect(hub.engine.isGreeting(session) == false)
    hub.engine.open(session, peer: Peer(pid: 42, uid: 7, gid: 9), now: hub.now)
    #expect(hub.engine.isGreeting(session) == true)
    #expect(hub.engine.name(of: session) == "")
    _ = hub.ask(session, .hello(name: "somebody"))
    #expect(hub.engine.isGreeting(session) == false)
    #expect(hub.engine.name(of: session) == "somebody")
    #expect(hub.engine.peer(of: session) == Peer(pid: 42, uid: 7, gid: 9))
    let before = hub.engine.requestCount(of: session)
    _ = hub.ask(session, .ping)
    #expect(hub.engine.requestCount(of: session) == before + 1)
    hub.close(session)
    #expect(hub.engine.isGreeting(session) == false)
    #expect(hub.engine.name(of: session) == "")
    #expect(hub.engine.requestCount(of: session) == 0)
  }

  @Test("a client has its name, however many others had theirs before")
  func names() {
    var hub = EngineFixture()
    for number in 0..<3000 {
      let session = hub.connect(3, name: "client \(number)")
      #expect(hub.engine.name(of: session) == "client \(number)")
      hub.close(session)
    }
    // At once, too, each its own.
    let sessions = (10..<3010).map { hub.connect($0, name: "name \($0)") }
    for session in sessions { #expect(hub.engine.name(of: session) == "name \(session.raw)") }
  }
}
