// What may have to be undone: long values stay in the blocks that they have, and come back in them.

import TestSupport
import Testing

@testable import HubCore
@testable import HubEngine

@Suite("What may have to be undone")
struct UndoLogTests {
  private static let names = ["a", "b", "c"] as [StoreReference]

  private func text(_ name: StoreReference, _ length: Int = 100_000) -> Value {
    .string(String(repeating: "\(name)", count: length).prefix(length).description)
  }

  /// A hub with long values of user 1000.
  private func hub(journals: Bool = false, userMemory: Int = 128 << 20) -> EngineFixture {
    var hub = EngineFixture {
      $0.changeLogBytes = 1 << 20
      $0.journals = journals
      $0.maximumUserMemory = userMemory
    }
    hub.engine.renewReservation()
    let session = hub.connect()
    for name in Self.names { #expect(hub.write(session, .set(name, text(name))).errorCode == nil) }
    if journals { hub.engine.journalWritten() }
    _ = hub.turn()
    return hub
  }

  /// Where the values are.
  private func blocks(_ hub: borrowing EngineFixture) -> [UnsafeRawPointer] {
    ["a", "b", "c"].map { name in
      let slot = hub.engine.stores.find(name)!
      return hub.engine.stores.value(of: slot).bytes.base
    }
  }

  /// Replaces, changes again and removes what is there.
  private static let operations: [WriteOperation] = [
    .set("a", .string("short")), .set("b", .string(String(repeating: "x", count: 50_000))),
    .set("a", .string("short again")), .set("a", .string(String(repeating: "y", count: 9_000))),
    .set("a", .string("")), .remove("c"), .set("c", .integer(1)), .set("d", .integer(1)),
  ]

  private func expectAll(_ hub: inout EngineFixture, in blocks: [UnsafeRawPointer]) {
    let reader = hub.connect(9)
    for name in Self.names { #expect(hub.ask(reader, .get(name)).state?.value == text(name)) }
    #expect(self.blocks(hub) == blocks)
    let values = (0..<hub.engine.stores.used).reduce(0) { sum, slot in
      hub.engine.stores[slot].id.raw == 0 ? sum : sum + hub.engine.stores.value(of: slot).bytes.count
    }
    #expect(hub.engine.stores.valueBytes == values)
    var broken: [String] = []
    hub.engine.checkAccounts(&broken)
    #expect(broken.isEmpty)
  }

  @Test("a transaction that fails copies no long value: each is in its block again")
  func transaction() {
    var hub = hub()
    let (session, before) = (SessionID(raw: 3), blocks(hub))
    for _ in 0..<3 {
      let reply = hub.ask(session, .transaction(Self.operations + [.add("none", .integer(1))]))
      #expect(reply.errorCode == .noSuchStore)
      expectAll(&hub, in: before)
      _ = hub.turn()
      hub.close(SessionID(raw: 9))
    }
  }

  @Test("a transaction has no room for what it may have to return, and when it is over there is room")
  func room() {
    var hub = hub(userMemory: 400_000)
    let (session, before) = (SessionID(raw: 3), hub.engine.stores.memory)
    let long = Value.string(String(repeating: "d", count: 150_000))
    let shorter = [WriteOperation.set("a", .string("short")), .set("b", .string("short"))]
    #expect(hub.ask(session, .transaction(shorter + [.set("d", long)])).errorCode == .quota)
    // Replaced by a value of the same length, one takes as much again.
    #expect(hub.ask(session, .transaction([.set("a", text("b")), .set("b", text("a"))])).errorCode == .quota)
    #expect(hub.engine.stores.memory == before)
    #expect(hub.ask(session, .transaction(shorter)).errorCode == nil)
    #expect(hub.engine.stores.memory < before - 199_000)
    #expect(hub.write(session, .set("d", long)).errorCode == nil)
  }

  @Test("what is not undone keeps no block of an old value")
  func committed() {
    var hub = hub(journals: true)
    let session = SessionID(raw: 3)
    for _ in 0..<3 {
      #expect(hub.ask(session, .transaction(Self.operations)).errorCode == nil)
      #expect(hub.engine.stores.pinnedCount == 0)
      hub.engine.journalWritten()
      for name in Self.names { _ = hub.write(session, .remove(name)) }
      for name in Self.names { #expect(hub.write(session, .set(name, text(name))).errorCode == nil) }
      hub.engine.journalWritten()
      _ = hub.turn()
    }
  }

  @Test("a connection that needs the rest of a value has it, also if the value is replaced and comes back")
  func held() {
    var hub = hub()
    let session = SessionID(raw: 3)
    guard let slot = hub.engine.stores.find("a"), let frame = hub.engine.stores.holdValue(of: slot) else {
      Issue.record("it has no block")
      return
    }
    let rest = FrameRest(frame, count: 1000)
    _ = hub.ask(session, .transaction(Self.operations + [.add("none", .integer(1))]))
    #expect(frame.isSetAside == false)
    _ = hub.ask(session, .transaction(Self.operations))
    #expect(frame.isSetAside)
    guard case .string(let text) = text("a") else { return }
    #expect(hub.engine.bytes(of: rest).array == Array(text.utf8.suffix(1000)))
  }
}
