// What the journal says of values that end by themselves, of volatile stores, and of stores that change their kind.

import HubCore
import TestSupport
import Testing

@testable import HubEngine
@testable import HubServer

@Suite("Journal: what is kept", .blocking)
struct KeptTests {
  @Test("a lifetime that is removed or renewed is kept as it is, also through snapshots")
  func lifetimes() throws {
    let directory = try TemporaryDirectory(inMemory: true)
    let path = directory.file("state")
    let hub = try JournalHub(path)
    _ = hub.set("back", 2, lifetime: Lifetime(ephemeral: true))
    #expect(hub.set("back", 2) == .done(.relaxed), "an equal value without a lifetime is kept")
    _ = hub.set("same", 3)
    #expect(hub.set("same", 3, lifetime: Lifetime(ephemeral: true)) == .done(.relaxed))
    _ = hub.set("long", 4, lifetime: Lifetime(ephemeral: true))
    _ = hub.set("long", 4, lifetime: Lifetime(ttl: 1_000_000))
    _ = hub.create("reset", Schema(type: .integer, initial: .integer(7)))
    _ = hub.set("reset", 7, lifetime: Lifetime(ephemeral: true))
    _ = hub.write(.reset(.name(try StoreName("reset"))))
    _ = consume hub
    let expected: [String: Value?] = ["back": .integer(2), "long": .integer(4), "reset": .integer(7)]
    for life in 0..<3 {
      let again = try JournalHub(path)
      #expect(again.content().mapValues(\.value) == expected)
      #expect(again.engine.nextDeadline ?? 0 > again.now.boot + 900_000_000_000)
      if life == 1 { again.snapshot() }
    }
  }

  @Test("volatile stores are not kept, nor stores that become volatile; those that become persistent are")
  func kinds() throws {
    let directory = try TemporaryDirectory(inMemory: true)
    let path = directory.file("state")
    let hub = try JournalHub(path)
    _ = hub.create("v", Schema(type: .integer, durability: .volatile))
    _ = hub.create("p", Schema(type: .integer, durability: .relaxed))
    _ = hub.set("v", 1)
    _ = hub.set("p", 1)
    _ = hub.create("v", Schema(type: .integer, durability: .synced))
    _ = hub.create("p", Schema(type: .integer, durability: .volatile))
    #expect(hub.set("p", 2) == .done(.volatile))
    #expect(hub.set("v", 2) == .done(.synced))
    _ = hub.set("gone", 1)
    _ = hub.write(.remove(.name(try! StoreName("gone"))))
    _ = consume hub
    let again = try JournalHub(path)
    #expect(again.content().mapValues(\.value) == ["v": .integer(2)])
  }

  @Test("an earlier bookmark is continued if everything that was shown is kept, and is refused if not")
  func bookmarks() throws {
    let directory = try TemporaryDirectory(inMemory: true)
    let path = directory.file("state")
    var hub = try JournalHub(path)
    _ = hub.set("a", 1)
    _ = hub.set("r", 1)
    let bookmark = Bookmark(epoch: hub.engine.epoch, revision: hub.engine.revision)
    _ = hub.set("b", 1)
    _ = hub.write(.remove(.name(try! StoreName("r"))))
    _ = consume hub
    hub = try JournalHub(path)
    func watch(_ bookmark: Bookmark) -> Request { .watch([.everything], policy: .latest, bookmark: bookmark) }
    #expect(hub.events(of: watch(bookmark)) == ["resumed", "current b", "removed r", "synced"])
    _ = hub.create("v", Schema(type: .integer, durability: .volatile))
    let later = Bookmark(epoch: hub.engine.epoch, revision: hub.engine.revision)
    hub.snapshot()
    _ = consume hub
    hub = try JournalHub(path)
    #expect(hub.events(of: watch(later)).first == "forget")
    let now = Bookmark(epoch: hub.engine.epoch, revision: hub.engine.revision)
    hub.stop()
    _ = consume hub
    // The floor survives a life without volatile values, and a snapshot.
    hub = try JournalHub(path)
    hub.snapshot()
    _ = consume hub
    hub = try JournalHub(path)
    #expect(hub.events(of: watch(later)).first == "forget")
    #expect(hub.events(of: watch(now)).first == "resumed")
  }

  @Test("random histories with snapshots are restored as they were", arguments: 0..<20)
  func histories(seed: Int) throws {
    let directory = try TemporaryDirectory(inMemory: true)
    let path = directory.file("state")
    var random = SeededGenerator(seed: UInt64(seed))
    var expected: [String: Content] = [:]
    for _ in 0..<3 {
      let hub = try JournalHub(path)
      #expect(hub.content() == expected)
      for step in 0..<60 {
        let name = StoreReference.name(try! StoreName("n\(Int.random(in: 0..<12, using: &random))"))
        switch Int.random(in: 0..<8, using: &random) {
        case 0: _ = hub.write(.remove(name))
        case 1:
          let more = StoreReference.name(try! StoreName("n\(Int.random(in: 0..<12, using: &random))"))
          _ = hub.ask([
            .transaction([.set(name, .integer(Int64(step))), .remove(more), .set(more, .integer(1))])
          ])
        case 2 where step % 10 == 0:
          // A snapshot in progress, with changes during it.
          if case .idle = hub.journal.compaction {
            hub.journal.beginCompaction(securing: false, now: hub.now)
          }
          _ = hub.settle(turns: Int.random(in: 0..<4, using: &random))
        case 3: _ = hub.ask([.write(.set(name, .integer(Int64(step)))), .write(.set(name, .integer(0)))])
        default: _ = hub.write(.set(name, .integer(Int64(step))))
        }
      }
      if Bool.random(using: &random) { hub.settle() }
      expected = hub.content()
      if Bool.random(using: &random) { hub.stop() }
    }
  }
}

extension JournalHub {
  /// What a watch begins with, in a few words each.
  func events(of watch: Request) -> [String] {
    let session = SessionID(raw: 2)
    engine.open(session, peer: Peer(pid: 2, uid: 2, gid: 2), now: now)
    var bytes = OutputBuffer()
    for request in [Request.hello(name: "watcher"), watch] {
      var frame = OutputBuffer()
      request.encode(into: &frame, id: 5)
      _ = engine.receive(
        FrameView(bytes: frame.view), from: session, in: engine.openTurn(), now: now, into: &bytes)
    }
    let turn = engine.seal(engine.openTurn())
    while let due = engine.nextDue(in: turn) {
      while true {
        let next = engine.due(for: due, in: turn)
        if next.isEmpty { break }
        bytes.append(next)
        _ = engine.sent(next.count, to: due, in: turn)
      }
    }
    engine.end(turn)
    engine.close(session, in: engine.openTurn(), now: now)
    var words: [String] = []
    var cursor = FrameCursor(bytes.view)
    while let frame = cursor.next() {
      switch try? HubEvent(decoding: frame) {
      case .resumed?: words.append("resumed")
      case .forget?: words.append("forget")
      case .synced?: words.append("synced")
      case .current(let name, _)?: words.append("current \(name)")
      case .removed(let name, _, _, _)?: words.append("removed \(name)")
      case .some: words.append("other")
      case nil: break
      }
    }
    return words
  }
}
