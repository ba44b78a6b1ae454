// The table of lifetimes, durabilities and ends in docs/durability.md, on real directories.

import HubCore
import HubEngine
import TestSupport
import Testing

@testable import HubServer

@Suite("Journal: lifetimes, durabilities and ends", .blocking)
struct LifetimeTableTests {
  enum Lifespan: CaseIterable, Sendable {
    case none, ttl, passed, ephemeral, ttlAndEphemeral

    var lifetime: Lifetime {
      switch self {
      case .none: .permanent
      case .ttl: Lifetime(ttl: 1_000_000)
      case .passed: Lifetime(ttl: 1)
      case .ephemeral: Lifetime(ephemeral: true)
      case .ttlAndEphemeral: Lifetime(ttl: 1_000_000, ephemeral: true)
      }
    }
    /// The value survives with its store.
    var goesOn: Bool { self == .none || self == .ttl }
  }

  enum End: CaseIterable, Sendable {
    case stop, stopAndReboot, kill, powerLoss

    var stops: Bool { self == .stop || self == .stopAndReboot }
    var reboots: Bool { self == .powerLoss || self == .stopAndReboot }
  }

  struct Case: Sendable, CustomTestStringConvertible {
    var lifespan: Lifespan
    var durability: Durability
    var end: End
    var testDescription: String { "\(lifespan), \(durability), \(end)" }
  }

  static let cases = Lifespan.allCases.flatMap { lifespan in
    Durability.allCases.flatMap { durability in
      End.allCases.map { Case(lifespan: lifespan, durability: durability, end: $0) }
    }
  }

  @Test("a value, its version, revision, epoch and bookmarks after the hub's end", arguments: cases)
  func table(_ row: Case) throws {
    let directory = try TemporaryDirectory(inMemory: true)
    let path = directory.file("state")
    var hub = try JournalHub(path)
    _ = hub.set("other", 1)
    _ = hub.create("s", Schema(type: .integer, initial: .integer(7), durability: row.durability))
    #expect(hub.set("s", 9, lifetime: row.lifespan.lifetime) == .done(row.durability))
    #expect(hub.set("loose", 9, lifetime: row.lifespan.lifetime) == .done(.relaxed))
    // It keeps its lifetime, and each change is written.
    _ = hub.write(.add(.name(try StoreName("s")), .integer(1)))
    let (before, looseBefore) = (try #require(hub.state("s")), try #require(hub.state("loose")))
    #expect(before.version == 3)
    let bookmark = Bookmark(epoch: hub.engine.epoch, revision: hub.engine.revision)
    while row.lifespan == .passed, Clocks.now.boot <= hub.now.boot + 1_000_000 {}

    if row.end.stops { hub.stop() }
    hub = try JournalHub(path, boot: row.end.reboots ? BootID(high: 2, low: 2) : JournalHub.boot)

    let isSameEpoch = !row.end.reboots
    #expect((hub.engine.epoch == bookmark.epoch) == isSameEpoch)
    let after = hub.state("s")
    if row.durability == .volatile {
      #expect(after == nil)
    } else if row.lifespan.goesOn {
      #expect(after == before)
    } else {
      #expect(after?.value == .integer(7) && after?.version == before.version + 1)
      #expect(after?.id == before.id && after?.revision ?? 0 > bookmark.revision)
    }
    #expect(hub.state("loose") == (row.lifespan.goesOn ? looseBefore : nil))
    // A client that was shown a volatile value which was never removed must forget.
    let isKnown = isSameEpoch && (row.durability != .volatile || row.end.stops)
    let events = hub.events(of: .watch([.everything], policy: .latest, bookmark: bookmark))
    #expect(events.first == (isKnown ? "resumed" : "forget"))
    if isKnown {
      let hasGone = row.durability == .volatile
      let hasEnded = row.durability != .volatile && !row.lifespan.goesOn
      #expect(events.contains("removed s") == hasGone && events.contains("current s") == hasEnded)
      #expect(events.contains("removed loose") == !row.lifespan.goesOn)
      #expect(!events.contains("current other"), "what did not change is not told again")
    }
    // No number is used twice.
    #expect(hub.create("s", Schema(type: .integer, durability: .volatile)) != .refused(.quota))
    let state = try #require(hub.state("s"))
    #expect(state.id != before.id || state.version > before.version)
    #expect(row.durability != .volatile || state.id.serial > before.id.serial)
  }

  @Test(
    "no conditional write meets another value than the one whose revision it names", arguments: End.allCases)
  func conditions(end: End) throws {
    let directory = try TemporaryDirectory(inMemory: true)
    let path = directory.file("state")
    var hub = try JournalHub(path)
    let name = StoreReference.name(try StoreName("a.b"))
    _ = hub.create("a.b", Schema(type: .integer, initial: .integer(0)))
    _ = hub.set("a.b", 7, lifetime: Lifetime(ephemeral: true))
    _ = hub.write(.add(name, .integer(1)))
    _ = hub.write(.add(name, .integer(1)))
    let seen = try #require(hub.state("a.b"))
    #expect(seen.value == .integer(9) && seen.version == 4)
    if end.stops { hub.stop() }
    hub = try JournalHub(path, boot: end.reboots ? BootID(high: 2, low: 2) : JournalHub.boot)
    let condition = WriteCondition(revision: seen.revision)
    #expect(hub.write(.set(name, .integer(1), condition: condition)) == .refused(.conflict))
    for step in 0..<6 {
      let state = try #require(hub.state("a.b"))
      #expect(state.version > seen.version && state.revision > seen.revision)
      _ = hub.set("a.b", Int64(step + 100))
    }
  }

  @Test("a time to live continues after a reboot with what was left, whatever the wall clock says")
  func reboot() throws {
    let kept = KeptLifetime(deadline: 90, remaining: 60, written: 1000, isEphemeral: false)
    func ends(_ wall: Int64) -> UInt64 {
      kept.deadline(isSameBoot: false, now: Instant(wall: wall, boot: 5))
    }
    #expect(ends(1000) == 65 && ends(1020) == 45 && ends(1060) == 5 && ends(9999) == 5)
    // A clock that was set back gives a value no more time than it had.
    #expect(ends(0) == 65 && ends(.min) == 65)
    let forever = KeptLifetime(deadline: .max, remaining: .max - 1, written: 0, isEphemeral: false)
    #expect(forever.deadline(isSameBoot: false, now: Instant(wall: 0, boot: 500)) == .max)
  }

  @Test("after a stop with more volatile stores than removals are remembered, bookmarks are refused")
  func tooManyVolatile() throws {
    let directory = try TemporaryDirectory(inMemory: true)
    let path = directory.file("state")
    for count in [8, 9] {
      var hub = try JournalHub(path) { $0.rememberedRemovals = 8 }
      for index in 0..<count {
        _ = hub.create("v\(index)", Schema(type: .integer, durability: .volatile))
      }
      let bookmark = Bookmark(epoch: hub.engine.epoch, revision: hub.engine.revision)
      hub.stop()
      hub = try JournalHub(path) { $0.rememberedRemovals = 8 }
      let events = hub.events(of: .watch([.everything], policy: .latest, bookmark: bookmark))
      #expect(events.first == (count == 8 ? "resumed" : "forget"))
      #expect(events.filter { $0.hasPrefix("removed") }.count == (count == 8 ? 8 : 0))
    }
  }
}

extension JournalHub {
  func state(_ name: String) -> StoreState? {
    guard case .value(let state)? = ask([.get(.name(try! StoreName(name)))]).first else { return nil }
    return state
  }
}
