// Values that connections have taken in part: what they get of it, whatever becomes of the store, and what that takes.

import TestSupport
import Testing

@testable import HubCore
@testable import HubEngine

@Suite("Values that connections still need")
struct HeldValuesTests {
  /// What is left of a value for one connection.
  private struct Held {
    var rest: FrameRest
    var bytes: [UInt8]
  }

  @Test(
    "a held value stays as it was, whatever becomes of its store, and takes memory only then",
    arguments: 0..<40)
  func held(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    let log = ChangeLog(capacity: 64)
    var all: [Held] = []
    var most = 0
    do {
      var table = StoreTable()
      var slots = (0..<4).map { insert("s\($0)", into: &table) }
      for step in 0..<400 {
        let place = Int.random(in: 0..<4, using: &random)
        let slot = slots[place]
        switch Int.random(in: 0..<10, using: &random) {
        case 0..<4:
          let bytes = (0..<Int.random(in: 0...300, using: &random)).map { _ in
            UInt8.random(in: 0...255, using: &random)
          }
          _ = bytes.withByteView { table.setValue($0, of: slot) }
          #expect(table.value(of: slot).bytes.array == bytes)
        case 4..<7:
          let bytes = table.value(of: slot).bytes.array
          guard let frame = table.holdValue(of: slot) else {
            #expect(bytes.count <= ValueCell.inlineCapacity)
            continue
          }
          let count = Int.random(in: 0...bytes.count, using: &random)
          all.append(Held(rest: FrameRest(frame, count: count), bytes: bytes.suffix(count)))
        case 7..<9:
          if !all.isEmpty { all.remove(at: Int.random(in: 0..<all.count, using: &random)) }
        default:
          table.unlink(slot)
          table.free(slot)
          slots[place] = insert("t\(step)", into: &table)
        }
        #expect(all.allSatisfy { log.bytes(of: $0.rest).array == $0.bytes })
        #expect(table.held.bytesAside == memory(aside: all))
        most = max(most, table.held.bytesAside)
      }
    }
    #expect(most > 0)
    #expect(all.allSatisfy { $0.rest.frame.isSetAside }, "the table is gone")
    #expect(all.allSatisfy { log.bytes(of: $0.rest).array == $0.bytes })
  }

  private func insert(_ name: String, into table: inout StoreTable) -> Int {
    Array(name.utf8).withByteView { table.insert($0, schema: Schema(type: .string))! }
  }

  /// What the frames take that are not a store's any more, each once.
  private func memory(aside all: [Held]) -> Int {
    var frames: [ObjectIdentifier: Int] = [:]
    for held in all {
      if case .aside(_, let memory) = held.rest.frame.place {
        frames[ObjectIdentifier(held.rest.frame)] = memory
      }
    }
    return frames.values.reduce(0, +)
  }

  @Test("of stores whose values nobody needs any more not many are remembered")
  func forgetting() {
    var table = StoreTable()
    for number in 0..<1000 {
      let slot = insert("s\(number)", into: &table)
      _ = [UInt8](repeating: 7, count: 100).withByteView { table.setValue($0, of: slot) }
      #expect(table.holdValue(of: slot) != nil)
    }
    #expect(table.held.count <= 16)
  }

  @Test("the end of a reply to get is its store's value, until the store has another")
  func replies() {
    var hub = EngineFixture()
    let session = hub.connect()
    let text = String(repeating: "ab", count: 500)
    _ = hub.write(session, .set("long", .string(text)))
    _ = hub.write(session, .set("short", .string("0123456789")))
    let long = hub.bytes(session, .get("long"))
    let rest = hub.hold(1000, of: long)
    #expect(rest?.isReply == true && rest?.count == 1000)
    #expect(hub.hold(1001, of: long) == nil, "more than the value")
    #expect(hub.hold(5, of: hub.bytes(session, .get("short"))) == nil, "not worth it")
    #expect(hub.hold(5, of: hub.bytes(session, .describe("long"))) == nil, "another reply")
    _ = hub.write(session, .set("long", .string(String(repeating: "cd", count: 500))))
    #expect(hub.hold(1000, of: long) == nil, "another value")
    #expect(hub.engine.bytesAside == 1000)
    if let rest { #expect(hub.engine.bytes(of: rest).array == Array(text.utf8)) }
    _ = hub.write(session, .remove("long"))
    #expect(hub.hold(1000, of: long) == nil, "no store")
    if let rest { #expect(hub.engine.bytes(of: rest).array == Array(text.utf8)) }
  }

  @Test("a transaction that fails leaves the store with its value, and who needs it with the rest of that")
  func undo() {
    var hub = EngineFixture()
    let session = hub.connect()
    let text = String(repeating: "ab", count: 500)
    _ = hub.write(session, .set("long", .string(text)))
    let rest = hub.hold(700, of: hub.bytes(session, .get("long")))
    let reply = hub.ask(
      session,
      .transaction([.set("long", .string(String(repeating: "x", count: 900))), .add("none", .integer(1))]))
    #expect(reply.errorCode == .noSuchStore)
    #expect(hub.ask(session, .get("long")).state?.value == .string(text))
    if let rest { #expect(hub.engine.bytes(of: rest).array == Array(text.utf8.suffix(700))) }
    #expect(rest != nil && hub.engine.bytesAside == 1000)
  }
}

extension EngineFixture {
  /// The reply, encoded.
  fileprivate mutating func bytes(_ session: SessionID, _ request: Request) -> [UInt8] {
    var frame = OutputBuffer()
    request.encode(into: &frame, id: 1)
    var replies = OutputBuffer()
    _ = engine.receive(
      FrameView(bytes: frame.view), from: session, in: engine.openTurn(), now: now, into: &replies)
    return replies.array
  }

  fileprivate func hold(_ count: Int, of reply: [UInt8]) -> FrameRest? {
    reply.withByteView { engine.holdRest(count, of: FrameView(bytes: $0)) }
  }
}
