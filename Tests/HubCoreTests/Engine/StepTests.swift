// Requests that take several steps: no step does more than its allowance, and what comes out is what one step would give.

import TestSupport
import Testing

@testable import HubCore

@Suite("Steps")
struct StepTests {
  private static let work = 5_000

  private let session = SessionID(raw: 3)

  private func hub(stores: Int) -> EngineFixture {
    var hub = EngineFixture {
      $0.stepWork = StepTests.work
      $0.changeLogBytes = 1 << 22
    }
    _ = hub.connect()
    for number in 0..<stores {
      _ = hub.write(session, .set(.name(try! StoreName("s.n\(number)")), .integer(1)))
      if number % 100 == 0 { _ = hub.turn() }
    }
    _ = hub.turn()
    return hub
  }

  /// Asks until the request is answered, a turn after each step.
  ///
  /// - Returns: the reply, how many steps it took, and what the most expensive of them cost.
  private func ask(_ hub: inout EngineFixture, _ session: SessionID, _ request: Request) -> (Reply, Int, Int)
  {
    var frame = OutputBuffer()
    request.encode(into: &frame, id: 77)
    var (steps, worst) = (0, 0)
    while true {
      let before = hub.engine.work
      let (reply, receipt) = hub.ask(session, frame.array)
      steps += 1
      worst = max(worst, hub.engine.work - before)
      if !receipt.contains(.askAgain) { return (reply, steps, worst) }
      if steps > 100_000 { return (reply, steps, worst) }
      _ = hub.turn()
    }
  }

  @Test(
    "a list that matches nothing looks at a few stores per step, and says in the end that there is nothing")
  func emptyList() throws {
    var hub = hub(stores: 2000)
    let (reply, steps, worst) = ask(&hub, session, .list(try NamePattern("**.zz")))
    guard case .listed(let page, let more) = reply else { return #expect(Bool(false), "\(reply)") }
    #expect(page.isEmpty && !more && steps > 10 && worst < 2 * Self.work)
  }

  @Test("a list in steps has the page of a list in one")
  func samePage() throws {
    var hub = hub(stores: 700)
    let (stepped, steps, _) = ask(&hub, session, .list(try NamePattern("*.*"), after: "s.n3", limit: 400))
    var whole = EngineFixture { $0.changeLogBytes = 1 << 22 }
    let other = whole.connect()
    for number in 0..<700 {
      _ = whole.write(other, .set(.name(try StoreName("s.n\(number)")), .integer(1)))
    }
    guard case .listed(let a, let moreA) = stepped,
      case .listed(let b, let moreB) = whole.ask(
        other, .list(try NamePattern("*.*"), after: "s.n3", limit: 400))
    else { return #expect(Bool(false), "\(stepped)") }
    #expect(steps > 5 && a.map(\.name) == b.map(\.name) && a.count == 400 && moreA && moreB)
  }

  @Test("a watch of a glob is built in steps, and a request for an invalid pattern leaves nothing behind")
  func watching() throws {
    var hub = hub(stores: 2000)
    let (reply, steps, worst) = ask(
      &hub, session, .watch([try NamePattern("**.zz"), try NamePattern("*.n7")]))
    guard case .watching = reply else { return #expect(Bool(false), "\(reply)") }
    #expect(steps > 10 && worst < 2 * Self.work)
    let events = hub.turn()[session.raw] ?? []
    #expect(events.count == 2, "s.n7 and synced: \(events)")
    let count = hub.engine.feed.patterns.count
    var frame = OutputBuffer()
    frame.frame(RequestKind.watch.rawValue, request: 9) { out in
      out.append(UInt16(31))
      for number in 0..<30 { out.append(short: "*.x\(number)") }
      out.append(short: "a..b")
    }
    var receipt: Receipt
    var answer: Reply
    repeat {
      (answer, receipt) = hub.ask(session, frame.array)
      _ = hub.turn()
    } while receipt.contains(.askAgain)
    #expect(answer.errorCode == .invalidPattern && hub.engine.feed.patterns.count == count)
  }

  @Test(
    "10,000 patterns end in steps, by unwatch or with their session, at a cost that grows with their number alone"
  )
  func ending() throws {
    var costs: [Int] = []
    for count in [1_000, 10_000] {
      var hub = hub(stores: 10)
      let patterns = try (0..<count).map { try NamePattern("q\($0).*") }
      _ = ask(&hub, session, .watch(patterns))
      let before = hub.engine.work
      let (reply, steps, worst) = ask(&hub, session, .unwatch(77))
      #expect(reply == .unwatched && steps > count / 20)
      // Finding the watch is one look at all of them.
      #expect(worst < 2 * Self.work + Cost.passed * count)
      costs.append(hub.engine.work - before)
      _ = ask(&hub, session, .watch(patterns))
      var ends = 0
      while !hub.engine.close(session, in: hub.engine.openTurn(), now: hub.now) { ends += 1 }
      #expect(ends > count / 20)
    }
    #expect(costs[1] < 12 * costs[0])
  }

  @Test(
    "a transaction that concerns many patterns is noted in steps, while reads are answered and writes wait")
  func lagging() throws {
    var hub = hub(stores: 0)
    let watcher = hub.connect(4)
    // All of them match every store.
    let globs = ["**", "*.**", "**.*", "*.*", "b.*", "b.**", "**.b.*", "*.**.*", "**.*.*", "**.b.**"]
    _ = ask(&hub, watcher, .watch(try globs.map { try NamePattern($0) }))
    _ = hub.turn()
    let operations = try (0..<1000).map { WriteOperation.set(.name(try StoreName("b.n\($0)")), .integer(1)) }
    guard case .committed = hub.ask(session, .transaction(operations)) else { return #expect(Bool(false)) }
    var steps = 0
    _ = hub.engine.complete(hub.engine.openTurn())
    while hub.engine.hasWork {
      steps += 1
      guard steps < 10_000 else { break }
      #expect(hub.ask(session, .get("b.n1")).state?.value == .integer(1))
      var frame = OutputBuffer()
      Request.write(.set("c", .integer(1))).encode(into: &frame, id: 5)
      #expect(hub.ask(session, frame.array).receipt.contains(.askAgain), "a write waits")
      _ = hub.engine.complete(hub.engine.openTurn())
    }
    #expect(steps > 2)
    #expect((hub.turn()[watcher.raw] ?? []).count == 1001, "each store and synced")
    #expect(hub.write(session, .set("c", .integer(1))).result?.changed == true)
  }

  @Test("200 ephemeral values end with their session in several transactions, each of at least 64")
  func ephemerals() throws {
    var hub = hub(stores: 0)
    for number in 0..<200 {
      let name = try StoreName("e.n\(number)")
      _ = hub.write(session, .set(.name(name), .integer(1), lifetime: Lifetime(ephemeral: true)))
    }
    _ = hub.turn()
    let before = hub.engine.revision
    var steps = 1
    while !hub.engine.close(session, in: hub.engine.openTurn(), now: hub.now) { steps += 1 }
    #expect(steps == 4 && hub.engine.revision == before + 4 && hub.engine.storeCount == 0)
  }
}
