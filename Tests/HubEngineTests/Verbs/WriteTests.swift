// What writes accept, refuse and answer.

import HubCore
import HubEngine
import TestSupport
import Testing

@Suite struct WriteTests {
  @Test("an equal value is a success that changes nothing, unless it is forced")
  func equalValue() {
    var hub = EngineFixture()
    let session = hub.connect()
    let first = hub.write(session, .set("a", .integer(1))).result
    let second = hub.write(session, .set("a", .integer(1))).result
    #expect(first?.changed == true && second?.changed == false)
    #expect(first?.revision == second?.revision)
    let forced = hub.write(session, .set("a", .integer(1), force: true)).result
    #expect(forced?.changed == true && forced?.revision == 2)
  }

  @Test("zero and minus zero are different doubles")
  func minusZero() {
    var hub = EngineFixture()
    let session = hub.connect()
    _ = hub.write(session, .set("d", .double(0.0)))
    #expect(hub.write(session, .set("d", .double(-0.0))).result?.changed == true)
  }

  @Test("an integer widens to a double store only if that is exact")
  func widening() {
    var hub = EngineFixture()
    let session = hub.connect()
    _ = hub.write(session, .set("d", .double(0.5)))
    #expect(hub.write(session, .set("d", .integer(3))).result?.changed == true)
    #expect(hub.ask(session, .get("d")).state?.value == .double(3))
    #expect(hub.write(session, .set("d", .integer(.max))).errorCode == .typeMismatch)
    #expect(hub.write(session, .set("d", .string("3"))).errorCode == .typeMismatch)
  }

  @Test("numbers keep the edges of Int64, and adding beyond them fails or clamps")
  func edges() {
    var hub = EngineFixture()
    let session = hub.connect()
    for edge in [Int64.min, .max] {
      _ = hub.write(session, .set("n", .integer(edge)))
      #expect(hub.ask(session, .get("n")).state?.value == .integer(edge))
    }
    #expect(hub.write(session, .add("n", .integer(1))).errorCode == .overflow)
    #expect(hub.write(session, .add("n", .integer(1), clamp: true)).result?.value == .integer(.max))
    #expect(hub.write(session, .add("n", .double(0.5))).errorCode == .typeMismatch)
    _ = hub.write(session, .set("d", .double(.greatestFiniteMagnitude)))
    #expect(hub.write(session, .add("d", .double(.greatestFiniteMagnitude))).errorCode == .overflow)
  }

  @Test("bounds, choices and lengths are kept by every kind of write")
  func rules() {
    var hub = EngineFixture()
    let session = hub.connect()
    let bounded = Schema(type: .integer, minimum: .integer(0), maximum: .integer(10))
    _ = hub.write(session, .create(try! StoreName("v"), bounded))
    #expect(hub.write(session, .set("v", .integer(11))).errorCode == .outOfRange)
    #expect(hub.write(session, .add("v", .integer(-1))).errorCode == .outOfRange)
    #expect(hub.write(session, .add("v", .integer(99), clamp: true)).result?.value == .integer(10))
    let mode = Schema(type: .string, choices: [.string("on"), .string("off")])
    _ = hub.write(session, .create(try! StoreName("mode"), mode))
    #expect(hub.ask(session, .get("mode")).state?.value == .string("on"))
    #expect(hub.write(session, .set("mode", .string("dim"))).errorCode == .notAChoice)
    _ = hub.write(session, .create(try! StoreName("short"), Schema(type: .string, maxBytes: 3)))
    #expect(hub.write(session, .set("short", .string("long"))).errorCode == .tooLarge)
  }

  @Test("a redefinition that the current value would break is refused, and changes nothing")
  func redefinition() {
    var hub = EngineFixture()
    let session = hub.connect()
    _ = hub.write(session, .set("v", .integer(50)))
    let name = try! StoreName("v")
    #expect(
      hub.write(session, .create(name, Schema(type: .integer, maximum: .integer(10)))).errorCode
        == .schemaConflict)
    #expect(hub.write(session, .create(name, Schema(type: .string))).errorCode == .schemaConflict)
    #expect(hub.write(session, .set("v", .integer(51))).result?.changed == true)
    #expect(hub.write(session, .create(name, Schema(type: .double))).result?.changed == true)
    #expect(hub.ask(session, .get("v")).state?.value == .double(51))
  }

  @Test("a condition on a value holds for exactly that value: its type and its bytes")
  func exactCondition() {
    var hub = EngineFixture()
    let session = hub.connect()
    _ = hub.write(session, .set("d", .double(1)))
    func set(_ expected: Value) -> WriteOperation {
      .set("d", .double(2), condition: WriteCondition(value: expected))
    }
    for other in [Value.integer(1), .double(-1), .string("1.0"), .boolean(true)] {
      #expect(hub.write(session, set(other)).errorCode == .conflict)
    }
    #expect(hub.write(session, set(.double(1))).result?.changed == true)
    _ = hub.write(session, .set("d", .double(0)))
    #expect(hub.write(session, set(.double(-0.0))).errorCode == .conflict)
  }

  @Test("conditions are checked before anything else, and a conflict tells the revision")
  func conditions() {
    var hub = EngineFixture()
    let session = hub.connect()
    let revision = hub.write(session, .set("a", .integer(1))).result!.revision
    guard case .error(let error) = hub.write(session, .set("a", .integer(1), condition: .init(revision: 99)))
    else { return #expect(Bool(false), "no conflict") }
    #expect(error.code == .conflict && error.revision == revision && error.store == "a")
    let foreign = WriteCondition(revision: revision, epoch: Epoch(high: 1, low: 1))
    #expect(hub.write(session, .set("a", .integer(2), condition: foreign)).errorCode == .conflict)
    let own = WriteCondition(revision: revision, epoch: hub.engine.epoch)
    #expect(hub.write(session, .set("a", .integer(2), condition: own)).result?.changed == true)
    #expect(hub.write(session, .set("a", .integer(3), condition: .init(absent: true))).errorCode == .conflict)
    #expect(hub.write(session, .set("b", .integer(3), condition: .init(revision: 0))).result?.changed == true)
    #expect(
      hub.write(session, .set("b", .integer(4), condition: .init(value: .integer(3)))).result?.changed == true
    )
    #expect(hub.write(session, .remove("b", condition: .init(revision: 1))).errorCode == .conflict)
  }

  @Test("a name that no store can have is the error, whatever the conditions are")
  func invalidNames() {
    var hub = EngineFixture()
    let session = hub.connect()
    let value = rawValue(1, littleEndian(Int64(7)))
    let conditions: [(flags: UInt8, fields: [UInt8])] = [
      (0, []), (1 << 0, littleEndian(UInt64(5))), (1 << 2, value), (1 << 3, []),
    ]
    for (name, code) in [("a b", HubError.Code.invalidName), ("statehub.a", .reserved)] {
      for (flags, fields) in conditions {
        let frame = rawFrame(
          WriteKind.set.rawValue, flags: flags, request: 9, short(name) + value + fields)
        #expect(hub.ask(session, frame).reply.errorCode == code, "\(name) with flags \(flags)")
      }
    }
    let missing = WriteOperation.set("a", .integer(7), condition: WriteCondition(revision: 5))
    #expect(hub.write(session, missing).errorCode == .conflict)
  }

  @Test("a failed transaction leaves no trace, and tells which operation failed")
  func rollback() {
    var hub = EngineFixture()
    let session = hub.connect()
    _ = hub.write(session, .set("keep", .integer(1)))
    _ = hub.ask(session, .watch([.everything]))
    _ = hub.turn()
    let before = hub.engine.revision
    let reply = hub.ask(
      session,
      .transaction([
        .set("new", .integer(1)), .remove("keep"), .set("keep", .string("another type")),
        .add("missing", .integer(1)),
      ]))
    guard case .error(let error) = reply else { return #expect(Bool(false), "\(reply)") }
    #expect(error.operation == 3 && error.code == .noSuchStore)
    #expect(hub.engine.revision == before)
    #expect(hub.engine.storeCount == 1)
    #expect(hub.ask(session, .get("keep")).state?.value == .integer(1))
    #expect(hub.turn().isEmpty)
    guard case .listed(let stores, _) = hub.ask(session, .list(.everything)) else { return }
    #expect(stores.map(\.name) == ["keep"])
  }

  @Test("a transaction is one revision and one group, whose last frame says so")
  func group() {
    var hub = EngineFixture()
    let session = hub.connect()
    _ = hub.ask(session, .watch([.everything]))
    _ = hub.turn()
    guard
      case .committed(let revision, let results) = hub.ask(
        session, .transaction([.set("a", .integer(1)), .set("b", .integer(2)), .add("a", .integer(1))]))
    else { return #expect(Bool(false), "not committed") }
    #expect(results.map(\.revision) == [1, 1, 1] && revision == 1)
    #expect(results[2].value == .integer(2))
    let more = hub.turn()[session.raw]!.compactMap { event -> Bool? in
      switch event {
      case .created(_, _, _, let grouped, let more, _), .change(_, let grouped, let more): grouped && more
      default: nil
      }
    }
    #expect(more == [true, true, false])
  }

  @Test(
    "a transaction is followed by a synced even if it changes only one store", arguments: WatchPolicy.both)
  func oneStore(policy: WatchPolicy) {
    var hub = EngineFixture()
    let session = hub.connect()
    _ = hub.write(session, .set("a", .integer(1)))
    _ = hub.ask(session, .watch([.everything], policy: policy))
    _ = hub.turn()
    _ = hub.ask(session, .transaction([.set("a", .integer(2)), .set("a", .integer(3))]))
    let events = hub.turn()[session.raw] ?? []
    if case .synced(let revision)? = events.last { #expect(revision == 2) } else { Issue.record("\(events)") }
    // A single change shows a whole state by itself.
    _ = hub.write(session, .set("a", .integer(4)))
    if case .change? = hub.turn()[session.raw]?.last {} else { Issue.record("more than the change") }
  }

  @Test("a turn that changed several stores is followed by a synced, and one that changed one store is not")
  func severalStores() {
    var hub = EngineFixture()
    let session = hub.connect()
    for store in ["a", "b"] as [StoreReference] { _ = hub.write(session, .set(store, .integer(0))) }
    _ = hub.ask(session, .watch([.everything], policy: .every))
    _ = hub.turn()
    for (second, isSynced) in [("a", false), ("b", true)] as [(StoreReference, Bool)] {
      _ = hub.write(session, .add("a", .integer(1)))
      _ = hub.write(session, .add(second, .integer(1)))
      let events = hub.turn()[session.raw] ?? []
      let last = if case .synced? = events.last { true } else { false }
      #expect(events.count == (isSynced ? 3 : 2) && last == isSynced, "\(events)")
    }
  }

  @Test("a value of another type is refused with both types, and an integer that is no double with that")
  func mismatches() {
    var hub = EngineFixture()
    let session = hub.connect()
    _ = hub.write(session, .set("d", .double(0.5)))
    _ = hub.write(session, .set("s", .string("")))
    func reason(_ store: StoreReference, _ value: Value) -> String {
      if case .error(let error) = hub.write(session, .set(store, value)) { error.message } else { "" }
    }
    #expect(reason("d", .integer(.max)).contains("no exact representation"))
    for (store, value) in [("d", .string("x")), ("s", .integer(1)), ("s", .double(1))]
      as [(StoreReference, Value)]
    {
      #expect(reason(store, value).contains("the store's type is "))
    }
  }

  @Test("a transaction whose answer no client has to take is refused, and changes nothing")
  func longAnswer() {
    var hub = EngineFixture()
    let session = hub.connect()
    let initial = Value.string(String(repeating: "x", count: 30_000))
    let reply = hub.write(session, .create(try! StoreName("long"), Schema(type: .string, initial: initial)))
    guard let id = reply.result?.id else { return #expect(Bool(false), "\(reply)") }
    let before = hub.engine.revision
    let operations = (0..<100).flatMap { _ in
      [WriteOperation.set(.id(id), .string("y")), .reset(.id(id))]
    }
    #expect(hub.ask(session, .transaction(operations)).errorCode == .tooLarge)
    #expect(hub.engine.revision == before)
    #expect(hub.ask(session, .get("long")).state?.value == initial)
  }

  @Test("a hub that requires declarations creates no store by setting it, and nobody owns reserved names")
  func strictAndReserved() {
    var hub = EngineFixture { $0.requiresDeclaration = true }
    let session = hub.connect()
    #expect(hub.write(session, .set("a", .integer(1))).errorCode == .undeclared)
    #expect(hub.write(session, .create(try! StoreName("a"), Schema(type: .integer))).result?.changed == true)
    #expect(
      hub.write(session, .create(try! StoreName("statehub.x"), Schema(type: .integer))).errorCode == .reserved
    )
  }

  @Test("stores and bytes are bounded by quotas that name the limit")
  func quotas() {
    var hub = EngineFixture {
      $0.maximumStores = 2
      $0.maximumMemory = 4000
    }
    let session = hub.connect()
    _ = hub.write(session, .set("a", .integer(1)))
    #expect(hub.write(session, .set("s", .string(String(repeating: "x", count: 4000)))).errorCode == .quota)
    _ = hub.write(session, .set("s", .string("x")))
    #expect(hub.write(session, .set("c", .integer(1))).errorCode == .quota)
    #expect(hub.write(session, .set("s", .string(String(repeating: "x", count: 4000)))).errorCode == .quota)
    #expect(hub.ask(session, .get("s")).state?.value == .string("x"))
  }

  @Test("invalid UTF-8 and invalid JSON are refused")
  func invalidText() {
    var hub = EngineFixture()
    let session = hub.connect()
    #expect(hub.write(session, .set("j", .json("{\"a\":}"))).errorCode == .invalidValue)
    let deep = String(repeating: "[", count: 100_000) + String(repeating: "]", count: 100_000)
    #expect(hub.write(session, .set("j", .json(deep))).errorCode == .invalidValue)
    var frame = OutputBuffer()
    Request.write(.set("s", .string("xx"))).encode(into: &frame, id: 9)
    var bytes = frame.array
    bytes[bytes.count - 1] = 0xFF
    #expect(hub.ask(session, bytes).reply.errorCode == .invalidValue)
  }

  @Test("a store that is removed and set again has another id")
  func idsAreNotReused() {
    var hub = EngineFixture()
    let session = hub.connect()
    var seen: Set<StoreID> = []
    for _ in 0..<50 {
      seen.insert(hub.write(session, .set("a", .integer(1))).result!.id)
      _ = hub.write(session, .remove("a"))
    }
    #expect(seen.count == 50)
  }
}

extension WatchPolicy {
  fileprivate static let both = [WatchPolicy.latest, .every]
}
