// Frames of a journal that overlap a snapshot: what is older than the state so far changes nothing.

import TestSupport
import Testing

@testable import HubCore
@testable import HubEngine

@Suite("Recovery from frames that overlap")
struct JournalRecoveryTests {
  private enum Frame {
    case event(HubEvent)
    case journal(JournalFrame)
  }

  private func state(_ id: StoreID, _ revision: Revision, _ value: Int64) -> StoreState {
    StoreState(id: id, revision: revision, version: revision, time: 0, uid: 0, value: .integer(value))
  }

  private func id(_ serial: UInt64, _ slot: Int) -> StoreID { StoreID(serial: serial, slot: slot) }

  private func created(_ name: String, _ id: StoreID, _ revision: Revision, _ value: Int64) -> Frame {
    .event(.created(name: name, Schema(type: .integer), state(id, revision, value)))
  }

  private func changed(_ id: StoreID, _ revision: Revision, _ value: Int64) -> Frame {
    .event(.change(state(id, revision, value), grouped: false, more: false))
  }

  private func removed(_ name: String, _ id: StoreID, _ revision: Revision) -> Frame {
    let removal = HubEvent.Removal(id: id, revision: revision, version: revision, time: 0, uid: 0)
    return .event(.removed(name: name, removal, grouped: false, more: false))
  }

  private func unstored(_ id: StoreID, _ revision: Revision) -> Frame {
    .journal(.unstored(id, revision: revision, version: revision))
  }

  @Test("numbers that leave none for what follows are refused, wherever they are stored")
  func exhausted() throws {
    let id = id(1, 0)
    func state(_ revision: Revision, _ version: UInt64) -> StoreState {
      StoreState(id: id, revision: revision, version: version, time: 0, uid: 0, value: .integer(1))
    }
    let most = UInt64(Int64.max)
    for (revision, version) in [(most + 1, 1), (1, most + 1), (.max, 1), (1, .max)] as [(UInt64, UInt64)] {
      let state = state(revision, version)
      #expect(throws: HubError.self) {
        try recovered([.event(.created(name: "a", Schema(type: .integer), state))], overlaps: false)
      }
      #expect(throws: HubError.self) {
        try recovered(
          [created("a", id, 1, 1), .event(.change(state, grouped: false, more: false))], overlaps: false)
      }
      let frame = JournalFrame.unstored(id, revision: revision, version: version)
      #expect(throws: HubError.self) { try recovered([created("a", id, 1, 1), .journal(frame)]) }
      var hub = EngineFixture { $0.journals = true }
      var out = OutputBuffer()
      var packed = PackedStoresWriter(into: &out)
      let facts = PackedStores.Facts(
        id: id, revision: revision, version: version, time: 0, uid: 0, creator: 0)
      let (name, value) = (Array("a".utf8), [UInt8](repeating: 0, count: 8))
      name.withByteView { name in
        value.withByteView {
          packed.append(
            facts, name: name, schema: nil, value: ValueView(type: .integer, bytes: $0), lifetime: nil,
            to: &out)
        }
      }
      packed.end(in: &out)
      #expect(throws: HubError.self) { try hub.engine.recover(FrameView(bytes: out.view), overlaps: false) }
    }
  }

  /// The stores after these frames, with their values.
  private func recovered(_ frames: [Frame], overlaps: Bool = true) throws -> [String: Value] {
    var hub = EngineFixture { $0.journals = true }
    for frame in frames {
      var out = OutputBuffer()
      switch frame {
      case .event(let event): event.encode(into: &out)
      case .journal(let frame): frame.encode(into: &out)
      }
      try hub.engine.recover(FrameView(bytes: out.view), overlaps: overlaps)
    }
    hub.engine.finishRestoring(revision: 100, serial: 100, floor: 0, isSameBoot: true, now: hub.now)
    guard case .listed(let page, _) = hub.ask(hub.connect(), .list(.everything)) else { return [:] }
    #expect(page.count == hub.engine.storeCount)
    return Dictionary(uniqueKeysWithValues: page.map { ($0.name, $0.value ?? .boolean(false)) })
  }

  @Test("a change counts if it is not older than the store; one of a store that is gone counts for nothing")
  func changes() throws {
    let a = id(1, 0)
    #expect(try recovered([created("a", a, 5, 1), changed(a, 4, 2)]) == ["a": .integer(1)])
    #expect(try recovered([created("a", a, 5, 1), changed(a, 5, 2)]) == ["a": .integer(2)])
    #expect(try recovered([created("a", a, 5, 1), changed(a, 6, 2)]) == ["a": .integer(2)])
    #expect(try recovered([created("a", a, 5, 1), changed(id(2, 1), 6, 2)]) == ["a": .integer(1)])
    #expect(throws: HubError.self) {
      try recovered([created("a", a, 5, 1), changed(id(2, 1), 6, 2)], overlaps: false)
    }
  }

  @Test("the newest store of a name and of a slot counts")
  func creations() throws {
    let a = id(2, 0)
    #expect(try recovered([created("a", a, 5, 1), created("a", a, 4, 2)]) == ["a": .integer(1)])
    #expect(try recovered([created("a", a, 5, 1), created("a", a, 6, 2)]) == ["a": .integer(2)])
    #expect(try recovered([created("a", a, 5, 1), created("a", id(1, 1), 4, 2)]) == ["a": .integer(1)])
    #expect(try recovered([created("a", a, 5, 1), created("a", id(3, 1), 6, 2)]) == ["a": .integer(2)])
    #expect(try recovered([created("a", a, 5, 1), created("b", id(1, 0), 4, 2)]) == ["a": .integer(1)])
    #expect(try recovered([created("a", a, 5, 1), created("b", id(3, 0), 6, 2)]) == ["b": .integer(2)])
    #expect(throws: HubError.self) {
      try recovered([created("a", a, 5, 1), created("a", id(3, 1), 6, 2)], overlaps: false)
    }
    #expect(throws: HubError.self) { try recovered([created("a", a, 5, 1), created("b", a, 6, 2)]) }
  }

  @Test("a removal counts if it is not older than the store")
  func removals() throws {
    let a = id(1, 0)
    #expect(try recovered([created("a", a, 5, 1), removed("a", a, 4)]) == ["a": .integer(1)])
    #expect(try recovered([created("a", a, 5, 1), removed("a", a, 5)]).isEmpty)
    #expect(try recovered([created("a", a, 5, 1), removed("a", a, 6)]).isEmpty)
    #expect(try recovered([created("a", a, 5, 1), removed("a", id(2, 1), 6)]) == ["a": .integer(1)])
  }

  @Test("a store that is no longer kept goes, if that is not older than the store")
  func unstored() throws {
    let a = id(1, 0)
    #expect(try recovered([created("a", a, 5, 1), unstored(a, 4)]) == ["a": .integer(1)])
    #expect(try recovered([created("a", a, 5, 1), unstored(a, 5)]).isEmpty)
    #expect(try recovered([created("a", a, 5, 1), unstored(a, 6)]).isEmpty)
    #expect(try recovered([created("a", a, 5, 1), unstored(a, 4)], overlaps: false).isEmpty)
  }

  @Test("what was kept, and is volatile by the present settings, is said to be kept no longer")
  func settings() throws {
    var hub = EngineFixture {
      $0.journals = true
      $0.defaultDurability = .volatile
    }
    var out = OutputBuffer()
    HubEvent.created(name: "a", Schema(type: .integer), state(id(1, 0), 5, 1)).encode(into: &out)
    try hub.engine.recover(FrameView(bytes: out.view), overlaps: false)
    hub.engine.finishRestoring(revision: 100, serial: 100, floor: 0, isSameBoot: true, now: hub.now)
    var said: [JournalFrame] = []
    var cursor = FrameCursor(hub.engine.outboxBytes)
    while let frame = cursor.next() { said += [JournalFrame(frame)].compactMap { $0 } }
    #expect(said == [.unwritten, .unstored(id(1, 0), revision: 5, version: 5)])
    #expect(hub.ask(hub.connect(), .get("a")).state?.value == .integer(1))
  }
}
