// Requests that take several steps: no step does more than its allowance, and what comes out is what one step would give.

import TestSupport
import Testing

@testable import HubCore
@testable import HubEngine

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

  @Test("a part of a snapshot passes a bounded number of stores that are not kept")
  func snapshot() throws {
    let hub = hub(stores: 20_000)
    var cursor = SnapshotCursor()
    var lengths: [Int] = []
    while true {
      var out = OutputBuffer()
      let isComplete = hub.engine.appendSnapshot(&cursor, bytes: 32 << 10, now: hub.now, into: &out)
      lengths.append(out.count)
      if isComplete { break }
    }
    #expect(lengths.count == 2 && lengths[1] < 64, "its head, and a frame of no stores: \(lengths)")
    #expect(cursor.stores == 0)
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

  @Test("while a turn is handed out in steps, reads are answered, and whatever changes something waits")
  func handingOut() throws {
    var hub = hub(stores: 0)
    let watchers = [hub.connect(4), hub.connect(5)]
    for watcher in watchers { _ = hub.ask(watcher, .watch([.everything])) }
    _ = hub.turn()
    _ = hub.write(session, .set("a", .integer(1), lifetime: Lifetime(ttl: 1)))
    hub.now.boot += 2_000_000_000
    var turn = hub.engine.seal(hub.engine.openTurn())
    var due: [Int32] = []
    while let session = hub.engine.nextDue(in: turn) {
      due.append(session.raw)
      let count = hub.engine.due(for: session, in: turn).count
      _ = hub.engine.sent(count, to: session, in: turn)
      hub.engine.suspend(turn)
      #expect(hub.engine.isHandingOut && hub.engine.hasWork && !hub.engine.isBetweenTurns)
      #expect(hub.ask(self.session, .get("a")).state?.value == .integer(1))
      #expect(hub.ask(self.session, .list(.everything, limit: 9)) != .unwatched)
      _ = hub.connect(Int32(10 + due.count))
      for request: Request in [
        .write(.set("a", .integer(2))), .transaction([.toggle("b")]), .watch([.everything]), .unwatch(1),
      ] {
        var frame = OutputBuffer()
        request.encode(into: &frame, id: 99)
        #expect(hub.ask(self.session, frame.array).receipt.contains(.askAgain), "\(request)")
      }
      hub.expire()
      let isClosed = hub.engine.close(watchers[0], in: hub.engine.openTurn(), now: hub.now)
      #expect(!isClosed && hub.engine.storeCount == 1)
      turn = hub.engine.resume()
    }
    hub.engine.end(turn)
    #expect(due.sorted() == [4, 5])
    hub.expire()
    #expect(hub.engine.storeCount == 0 && !hub.engine.isHandingOut)
  }

  @Test("those who watch many patterns of a change are found in steps, and each is due once")
  func finding() throws {
    var hub = EngineFixture { $0.stepWork = 300 }
    _ = hub.connect()
    let name: StoreReference = "a.a.a.a.a.z"
    _ = hub.write(session, .set(name, .integer(0)))
    let globs = try (0..<32).map { number in
      try NamePattern(((0..<5).map { number >> $0 & 1 == 1 ? "*" : "a" } + ["z"]).joined(separator: "."))
    }
    let watchers = (0..<60).map { hub.connect(Int32(10 + $0)) }
    for watcher in watchers { _ = ask(&hub, watcher, .watch(globs)) }
    _ = hub.turn()
    _ = hub.write(session, .set(name, .integer(1)))
    var turn = hub.engine.seal(hub.engine.openTurn())
    var (steps, due): (Int, [Int32]) = (0, [])
    while hub.engine.hasDue(in: turn) {
      let before = hub.engine.work
      if let session = hub.engine.nextDue(in: turn) {
        due.append(session.raw)
        let bytes = hub.engine.due(for: session, in: turn)
        #expect(FrameView(bytes: bytes).rawKind == EventKind.change.rawValue)
        _ = hub.engine.sent(bytes.count, to: session, in: turn)
        continue
      }
      #expect(due.isEmpty && hub.engine.work - before < 3100)
      steps += 1
      hub.engine.suspend(turn)
      // A watcher that takes nothing leaves the lists meanwhile.
      if steps == 2 { hub.engine.pauseDelivery(to: watchers[7]) }
      #expect(hub.ask(session, .get(name)).state?.value == .integer(1))
      turn = hub.engine.resume()
    }
    #expect(steps > 2 && due.sorted() == watchers.map(\.raw).filter { $0 != watchers[7].raw })
    hub.engine.end(turn)
    let isOver = !hub.engine.isHandingOut
    #expect(isOver)
    hub.engine.resumeDelivery(to: watchers[7])
    #expect((hub.turn()[watchers[7].raw] ?? []).count == 2, "the value and synced")
  }

  @Test("a turn that has concerned many patterns is forgotten in steps")
  func forgetting() throws {
    var hub = EngineFixture { $0.stepWork = 500 }
    let watcher = hub.connect()
    let names = try (0..<400).map { StoreReference.name(try StoreName("f.n\($0)")) }
    _ = ask(&hub, watcher, .watch(try (0..<400).map { try NamePattern("f.n\($0)") }))
    _ = hub.turn()
    _ = hub.ask(watcher, .transaction(names.map { .set($0, .integer(1)) }))
    var turn = hub.engine.seal(hub.engine.openTurn())
    while hub.engine.hasDue(in: turn) {
      guard let session = hub.engine.nextDue(in: turn) else { continue }
      while case let count = hub.engine.due(for: session, in: turn).count, count > 0 {
        _ = hub.engine.sent(count, to: session, in: turn)
      }
    }
    var steps = 0
    while true {
      let before = hub.engine.work
      hub.engine.end(turn)
      #expect(hub.engine.work - before < 5_100)
      steps += 1
      guard hub.engine.isHandingOut else { break }
      #expect(hub.ask(watcher, .get(names[0])).state?.value == .integer(1))
      turn = hub.engine.resume()
    }
    #expect(steps > 1)
    #expect(hub.engine.brokenInvariants() == [])
  }

  @Test(
    "who catches up with little among many changes does so in steps, and gets all of it",
    arguments: [true, false])
  func catchingUp(every: Bool) throws {
    var hub = hub(stores: 2000)
    let watcher = hub.connect(4)
    let patterns = try (0..<1000).map { try NamePattern("w.n\($0)") }
    _ = ask(&hub, watcher, .watch(patterns, policy: every ? .every : .latest))
    _ = hub.turn()
    hub.engine.pauseDelivery(to: watcher)
    _ = hub.write(session, .set("w.n7", .integer(1)))
    for number in 0..<2000 { _ = hub.write(session, .set(.name(try StoreName("s.n\(number)")), .integer(2))) }
    _ = hub.write(session, .set("w.n3", .integer(1)))
    _ = hub.turn()
    hub.engine.resumeDelivery(to: watcher)
    let turn = hub.engine.seal(hub.engine.openTurn())
    var steps = 0
    var names: [String] = []
    while let session = hub.engine.nextDue(in: turn) {
      var count = 0
      repeat {
        let before = hub.engine.work
        let due = hub.engine.due(for: session, in: turn)
        var cursor = FrameCursor(due)
        while let frame = cursor.next() {
          switch try HubEvent(decoding: frame) {
          case .created(let name, _, _, _, _, _): names.append(name)
          case .current(let name, _): names.append(name)
          default: break
          }
        }
        count = due.count
        if count > 0 { _ = hub.engine.sent(count, to: session, in: turn) }
        #expect(hub.engine.work - before < 10 * Self.work + Cost.membership * patterns.count)
        steps += 1
      } while count > 0
    }
    hub.engine.end(turn)
    #expect(names == ["w.n7", "w.n3"])
    #expect(!every || steps > 4)
  }

  @Test(
    "each operation of a transaction counts, whether it changes anything or fails, and so do a value's bytes")
  func writes() throws {
    var hub = hub(stores: 0)
    func cost(_ request: Request) -> Int {
      var frame = OutputBuffer()
      request.encode(into: &frame, id: 77)
      let before = hub.engine.work
      _ = hub.ask(session, frame.array)
      return hub.engine.work - before
    }
    let name = try StoreName("t")
    let sets = [WriteOperation](repeating: .set(.name(name), .integer(1)), count: 100)
    _ = cost(.write(sets[0]))
    let one = cost(.write(sets[0]))
    #expect(cost(.transaction(sets)) > 100 * Cost.request)
    #expect(cost(.transaction(sets + [.remove(.name(try StoreName("absent")))])) > 100 * Cost.request)
    let long = Value.string(String(repeating: "x", count: 80_000))
    #expect(cost(.write(.set(.name(try StoreName("u")), long))) > one + 9_000)
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
