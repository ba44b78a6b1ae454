// A killed hub, at every step, once and twice in a row: what was acknowledged is there, and nothing is there in part.

import HubCore
import HubEngine
import TestSupport
import Testing

@testable import HubServer

@Suite("Journal: crashes", .blocking)
struct CrashTests {
  /// What was acknowledged, and what may or may not be there.
  private struct Story {
    var acknowledged: [String: Int64] = [:]
    var pending: [String: Int64]?
    var ended: Set<String> = []

    func problem(with content: [String: Content]) -> String? {
      for (name, value) in acknowledged where pending?[name] == nil {
        if content[name]?.value != .integer(value) {
          return "\(name) was acknowledged as \(value) and is \(String(describing: content[name]))"
        }
      }
      guard let pending else { return nil }
      let kept = pending.filter { content[$0]?.value == .integer($1) }
      let undone = pending.filter { name, _ in content[name]?.value == acknowledged[name].map { .integer($0) }
      }
      return kept.count == pending.count || undone.count == pending.count
        ? nil : "a transaction is there by half: \(pending), \(content)"
    }
  }

  /// Sets, transactions, values that end, and a snapshot in the middle, until the disk stops.
  private func play(_ path: String, _ disk: FaultyDisk, _ story: inout Story, rounds: Int) throws {
    let hub = try JournalHub(path, disk: disk.disk)
    for round in 0..<rounds {
      if round == rounds / 2 { hub.snapshot() }
      if disk.isCrashed { return }
      let value = Int64.random(in: 1...1_000_000)
      let names = round % 3 == 0 ? ["a", "b", "c"] : [["a", "b", "c", "d"][round % 4]]
      let changes = Dictionary(uniqueKeysWithValues: names.map { ($0, value) })
      story.pending = changes
      let operations = names.map { WriteOperation.set(.name(try! StoreName($0)), .integer(value)) }
      let reply = hub.ask([operations.count > 1 ? .transaction(operations) : .write(operations[0])]).first
      switch reply {
      case .written?, .committed?:
        // Acknowledged by the hub: written, even if the disk has stopped since.
        if !disk.isCrashed {
          story.acknowledged.merge(changes) { $1 }
          story.pending = nil
        }
      default: break
      }
      if disk.isCrashed { return }
      story.pending = nil
    }
  }

  @Test(
    "whatever the step that a crash interrupts, everything acknowledged is there, and again after a second crash",
    arguments: Failpoint.allCases)
  func crashAtEveryStep(point: Failpoint) throws {
    for nth in [1, 2, 5] {
      let directory = try TemporaryDirectory(inMemory: true)
      let path = directory.file("state")
      var story = Story()
      let first = FaultyDisk()
      try play(path, first, &story, rounds: 6)
      for second in [point, .segmentRename] {
        let disk = FaultyDisk(.crash(point == second ? point : second, nth: point == second ? nth : 1))
        // An interrupted start is an error, not damage.
        do { try play(path, disk, &story, rounds: 12) } catch let error as ServerError {
          #expect(disk.isCrashed, "\(error)")
        }
        let hub = try JournalHub(path)
        #expect(story.problem(with: hub.content()) == nil, "\(point) \(nth), then \(second)")
        // What was pending is decided now.
        let content = hub.content()
        for name in story.pending?.keys ?? [:].keys {
          if case .integer(let value)? = content[name]?.value { story.acknowledged[name] = value }
        }
        story.pending = nil
        #expect(hub.notes.isEmpty, "the hub alone was killed: \(hub.notes)")
      }
    }
  }

  @Test("revisions are never used twice, and the epoch stays, when only the hub was killed")
  func revisions() throws {
    let directory = try TemporaryDirectory(inMemory: true)
    let path = directory.file("state")
    var last: Revision = 0
    var epoch: Epoch?
    for round in 0..<5 {
      let hub = try JournalHub(path)
      if let epoch { #expect(hub.engine.epoch == epoch) }
      epoch = hub.engine.epoch
      #expect(hub.engine.revision >= last)
      #expect(hub.set("a", Int64(round)) == .done(.relaxed))
      #expect(hub.create("v\(round)", Schema(type: .integer, durability: .volatile)) == .done(.volatile))
      #expect(hub.engine.revision > last)
      last = hub.engine.revision
    }
  }

  @Test("after a good end revisions continue where they stood, and after another boot in a new epoch")
  func goodEnd() throws {
    let directory = try TemporaryDirectory(inMemory: true)
    let path = directory.file("state")
    let hub = try JournalHub(path)
    _ = hub.set("a", 1)
    _ = hub.set("b", 2)
    let (revision, epoch) = (hub.engine.revision, hub.engine.epoch)
    hub.stop()
    let again = try JournalHub(path)
    #expect(again.engine.revision == revision && again.engine.epoch == epoch && again.notes.isEmpty)
    again.stop()
    // A disk that was put back cannot be told from one that was not.
    let later = try JournalHub(path, boot: BootID(high: 9, low: 9))
    #expect(later.engine.revision >= revision && later.engine.epoch != epoch)
  }
}
