// Frames within frames: where they begin and end, and where their fields are.

import TestSupport
import Testing

@testable import HubCore

@Suite struct FrameCursorTests {
  private static let frames = [
    Message.request(.ping, id: 1).frame, Message.request(.get(.id(StoreID(raw: 7))), id: 2).frame,
    Message.event(.synced(revision: 9)).frame,
  ]

  private func walk(_ bytes: [UInt8]) -> (frames: [[UInt8]], isAtEnd: Bool, rest: Int) {
    bytes.withByteView { view in
      var cursor = FrameCursor(view)
      var found: [[UInt8]] = []
      while let frame = cursor.next() { found.append(frame.bytes.array) }
      return (found, cursor.isAtEnd, cursor.rest.count)
    }
  }

  @Test("a cursor hands out whole frames in their order, and stands at the end after the last")
  func whole() {
    let found = walk(Array(Self.frames.joined()))
    #expect(found.frames == Self.frames && found.isAtEnd && found.rest == 0)
    #expect(walk([]).frames.isEmpty && walk([]).isAtEnd)
  }

  @Test("a cursor stops before a frame that is cut, wherever it is cut")
  func cut() {
    let last = Self.frames[2]
    for length in 1..<last.count {
      let found = walk(Self.frames[0] + Self.frames[1] + last.prefix(length))
      #expect(found.frames == Array(Self.frames[..<2]) && !found.isAtEnd && found.rest == length)
    }
    let endless = [UInt8](repeating: 0xFF, count: 12)
    #expect(walk(endless).frames.isEmpty && walk(endless).rest == 12)
  }

  @Test("the border of a byte is the end of its frame, and a border is its own")
  func borders() {
    let bytes = Array(Self.frames.joined())
    let ends = [Self.frames[0].count, Self.frames[0].count + Self.frames[1].count, bytes.count]
    bytes.withByteView { view in
      #expect(FrameCursor.border(atOrBehind: 0, in: view) == 0)
      for offset in 1...bytes.count {
        let border = ends.first { $0 >= offset }
        #expect(FrameCursor.border(atOrBehind: offset, in: view) == border)
        guard offset >= ends[0] else { continue }
        #expect(FrameCursor.border(atOrBehind: offset, in: view, from: ends[0]) == border)
      }
    }
  }

  @Test("the fields of a layout are where the encoders put them")
  func fields() {
    let state = StoreState(id: StoreID(raw: 2), revision: 3, version: 4, time: 5, uid: 6, value: .integer(7))
    let removal = HubEvent.Removal(id: state.id, revision: 3, version: 4, time: 5, uid: 6)
    let frames: [Message] = [
      .event(.change(state, grouped: false, more: true)), .event(.current(name: "a", state)),
      .event(.created(name: "a", Schema(type: .integer), state)),
      .event(.removed(name: "a", removal, grouped: true, more: false)), .reply(.value(state), id: 8),
    ]
    for message in frames {
      message.frame.withByteView { frame in
        #expect(frame[EventLayout.store] == 2 && frame[EventLayout.revision] == 3)
        #expect(frame[EventLayout.version] == 4 && frame[EventLayout.time] == 5)
        #expect(frame[EventLayout.uid] == 6)
        #expect(EventLayout.revision(of: FrameView(bytes: frame)) == 3)
      }
    }
    Self.frames[2].withByteView { #expect(EventLayout.revision(of: FrameView(bytes: $0)) == 9) }
    #expect(EventLayout.body == 48 && WrittenLayout.body == 37 && CommittedLayout.results == 20)
  }

  private func promisesStorage(_ frame: [UInt8]) -> Bool {
    frame.withByteView { Reply.promisesStorage(FrameView(bytes: $0)) }
  }

  @Test(
    "a reply promises storage if one of its writes is to a persistent store, and a cut one promises nothing")
  func promises() {
    func result(_ durability: Durability) -> WriteResult {
      WriteResult(id: StoreID(raw: 1), revision: 2, version: 3, changed: true, durability: durability)
    }
    #expect(promisesStorage(Message.reply(.written(result(.synced)), id: 1).frame))
    #expect(promisesStorage(Message.reply(.written(result(.relaxed)), id: 1).frame))
    #expect(!promisesStorage(Message.reply(.written(result(.volatile)), id: 1).frame))
    let both = Message.reply(.committed(revision: 2, [result(.volatile), result(.synced)]), id: 1).frame
    #expect(promisesStorage(both))
    #expect(!promisesStorage(Message.reply(.committed(revision: 2, [result(.volatile)]), id: 1).frame))
    #expect(!promisesStorage(Message.reply(.pong(revision: 2), id: 1).frame))
    for length in 0..<both.payload.count {
      #expect(!promisesStorage(both.replacingPayload(Array(both.payload.prefix(length)))))
    }
  }

  @Test("every number of a kind is one kind, and the ranges tell requests, events and replies apart")
  func kinds() {
    #expect(Set(Frame.Kind.allCases.map(\.rawValue)).count == Frame.Kind.allCases.count)
    for kind in Frame.Kind.allCases {
      #expect(Frame.Kind(rawValue: kind.rawValue) == kind)
      #expect(Frame.isEvent(kind.rawValue) == kind.isEvent)
      #expect((kind.rawValue & 0x80 != 0) == kind.isReply)
    }
  }

  @Test("a frame tells its request as soon as its header is whole, and not before")
  func request() {
    let frame = Message.request(.get("a"), id: 7).frame
    for length in 0...frame.count {
      let request = Array(frame.prefix(length)).withByteView { Frame.request(ofFront: $0) }
      #expect(request == (length < Frame.headerLength ? 0 : 7), "\(length) bytes")
    }
  }

  @Test("changes make up the log, other events do not")
  func changes() {
    #expect(EventKind.allCases.filter(\.isChange) == [.change, .created, .removed])
  }

  @Test("what is left out means no")
  func defaults() {
    let state = StoreState(id: StoreID(raw: 2), revision: 3, version: 4, time: 5, uid: 6, value: .integer(7))
    let schema = Schema(type: .integer)
    #expect(
      HubEvent.created(name: "a", schema, state)
        == .created(name: "a", schema, state, grouped: false, more: false, transient: false))
    #expect(Lifetime() == Lifetime(ttl: nil, ephemeral: false))
    #expect(WriteCondition.none == WriteCondition(revision: nil, epoch: nil, value: nil, absent: false))
    #expect(
      WriteOperation.set("a", .integer(1))
        == .set("a", .integer(1), condition: .none, lifetime: .permanent, force: false))
    #expect(WriteOperation.add("a", .integer(1)) == .add("a", .integer(1), clamp: false))
    let name = try! StoreName("a")
    #expect(WriteOperation.create(name, schema) == .create(name, schema, ifAbsent: false))
  }

  @Test(
    "what a lost connection leaves open: reads, and writes on the condition of a revision, may be sent again")
  func repeating() {
    let conditional = WriteOperation.set("a", .integer(1), condition: WriteCondition(revision: 4))
    #expect(Request.ping.isRepeatable && Request.get("a").isRepeatable && Request.reload.isRepeatable)
    #expect(Request.write(conditional).isRepeatable && !Request.write(conditional).isRead)
    #expect(!Request.write(.toggle("a")).isRepeatable)
    // Another program may have made these true again.
    for condition in [
      WriteCondition(value: .integer(0)), WriteCondition(absent: true), WriteCondition(revision: 0),
      WriteCondition(epoch: .random()),
    ] {
      #expect(!Request.write(.set("a", .integer(1), condition: condition)).isRepeatable)
    }
    #expect(Request.transaction([conditional, conditional]).isRepeatable)
    #expect(!Request.transaction([conditional, .reset("a")]).isRepeatable)
    #expect(!Request.transaction([]).isRead && Request.list(.everything).isRead)
  }
}
