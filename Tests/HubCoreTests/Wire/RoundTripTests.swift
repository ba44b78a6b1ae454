// Encoded messages decode as themselves, and what a later version adds does no harm.

import HubCore
import TestSupport
import Testing

@Suite struct RoundTripTests {
  @Test("every message is decoded as what was encoded", .blocking, arguments: UInt64(0)..<16)
  func roundTrip(seed: UInt64) throws {
    var generator = WireGenerator(seed: seed)
    var kinds: Set<UInt8> = []
    for _ in 0..<3000 {
      let message = generator.message()
      let frame = message.frame
      kinds.insert(frame[4])
      #expect(frame.count == Frame.headerLength + Int(frame.withByteView { $0.load(UInt32.self, at: 0) }))
      #expect(frame[6...7] == [0, 0], "the reserved bytes are zero")
      let decoded = try Message.decoded(frame).get()
      #expect(decoded == message)
      #expect(decoded.frame == frame)
    }
    #expect(kinds == Set(Frame.Kind.allCases.map(\.rawValue)), "the test has to see every kind")
  }

  @Test("fields after the known ones are ignored", arguments: UInt64(0)..<8)
  func trailingFields(seed: UInt64) throws {
    var generator = WireGenerator(seed: seed)
    for _ in 0..<600 {
      let message = generator.message()
      if message.isNested { continue }
      let more: [UInt8] = (0...generator.count(40)).map { _ in generator.integer() }
      let longer = message.frame.replacingPayload(message.frame.payload + more)
      #expect(try Message.decoded(longer).get() == message)
    }
  }

  @Test("the operations of a transaction may have fields after the known ones too", arguments: UInt64(0)..<4)
  func trailingFieldsInside(seed: UInt64) throws {
    var generator = WireGenerator(seed: seed)
    for _ in 0..<200 {
      let operations = (0...generator.count(3)).map { _ in generator.operation() }
      let payload = operations.flatMap { operation in
        let frame = Message.request(.write(operation), id: 0).frame
        return frame.replacingPayload(frame.payload + [generator.integer(), generator.integer()])
      }
      let decoded = try Message.decoded(rawFrame(RequestKind.transaction.rawValue, request: 4, payload)).get()
      #expect(decoded == .request(.transaction(operations), id: 4))
    }
  }

  @Test("flags that are not defined and reserved bytes are ignored")
  func unknownFlags() throws {
    var frame = Message.request(.ping, id: 9).frame
    frame[5] = 0xFF
    frame[6] = 0xAA
    frame[7] = 0x55
    #expect(try Message.decoded(frame).get() == .request(.ping, id: 9))
    var get = Message.request(.get(.id(StoreID(raw: 5))), id: 9).frame
    get[5] = 0xFF
    #expect(try Message.decoded(get).get() == .request(.get(.id(StoreID(raw: 5))), id: 9))
  }

  @Test("an error code of a later version is still an error with its message")
  func unknownErrorCode() throws {
    var frame = Message.reply(.error(HubError(.conflict, store: "a", "the message")), id: 3).frame
    frame[12] = 99
    let decoded = try Message.decoded(frame).get()
    #expect(decoded == .reply(.error(HubError(.notSupported, store: "a", "the message")), id: 3))
  }

  @Test("an end for a reason of a later version is still an end")
  func unknownReason() throws {
    var frame = Message.event(.ended(.shuttingDown, message: "bye")).frame
    frame[12] = 77
    #expect(try Message.decoded(frame).get() == .event(.ended(nil, message: "bye")))
  }

  @Test("texts that are longer than their field are cut, not refused")
  func longTexts() throws {
    let long = String(repeating: "é", count: 40_000)
    let hello = try Message.decoded(Message.request(.hello(name: long), id: 1).frame).get()
    #expect(hello == .request(.hello(name: String(repeating: "é", count: 127)), id: 1))
    let error = HubError(.invalidName, store: "a" + long, long)
    let cut = HubError(
      .invalidName, store: "a" + String(repeating: "é", count: 127), String(repeating: "é", count: 32_767))
    #expect(
      try Message.decoded(Message.reply(.error(error), id: 1).frame).get() == .reply(.error(cut), id: 1))
  }
}
