// The order of a turn, where the compiler does not hold to it.

import TestSupport
import Testing

@testable import HubCore
@testable import HubEngine

@Suite("A turn")
struct TurnTests {
  @Test("while a turn is sealed, another can be neither completed nor sealed")
  func sealed() async {
    await #expect(processExitsWith: .failure) {
      var hub = EngineFixture()
      let turn = hub.engine.seal(hub.engine.openTurn())
      _ = hub.engine.complete(hub.engine.openTurn())
      hub.engine.end(turn)
    }
    await #expect(processExitsWith: .failure) {
      var hub = EngineFixture()
      _ = hub.engine.resume()
    }
    await #expect(processExitsWith: .failure) {
      var hub = EngineFixture()
      let first = hub.engine.openTurn()
      let second = hub.engine.openTurn()
      let turn = hub.engine.seal(first)
      hub.engine.end(hub.engine.seal(second))
      hub.engine.end(turn)
    }
    await #expect(processExitsWith: .success) {
      var hub = EngineFixture()
      hub.engine.end(hub.engine.seal(hub.engine.openTurn()))
      hub.engine.end(hub.engine.seal(hub.engine.openTurn()))
    }
  }

  @Test(
    "from a change on, and until everything is written and sent, the hub is within a turn",
    arguments: [false, true])
  func between(journals: Bool) {
    var hub = EngineFixture { $0.journals = journals }
    let session = hub.connect()
    let before = hub.engine.isBetweenTurns
    _ = hub.write(session, .set("a", .integer(1)))
    let written = hub.engine.isBetweenTurns
    hub.engine.journalWritten()
    let sent = hub.engine.isBetweenTurns
    _ = hub.turn()
    let after = hub.engine.isBetweenTurns
    #expect([before, written, sent, after] == [true, false, false, true])
  }
}
