// Which replies may be sent when.

import HubCore
import HubEngine
import TestSupport
import Testing

@testable import HubServer

@Suite("The gate of replies")
struct ReplyGateTests {
  /// Some sessions, and a journal that is on the disk up to `durable`.
  private struct Hub: ~Copyable {
    var gate = ReplyGate()
    var sessions: SessionSlots
    var journal = JournalStanding(
      end: JournalPosition(raw: 100), durable: JournalPosition(raw: 100), confirms: true)

    init() throws {
      sessions = try SessionSlots(descriptors: 16)
      sessions.reach(8)
    }

    /// A step of a session: one request with this receipt, and its reply.
    mutating func step(_ session: Int32, _ receipt: Receipt, _ reply: [UInt8]) -> ReplyGate.Passage {
      gate.note(receipt)
      if gate.isOpen(for: sessions[session].waiting) { return .maySend }
      return reply.withByteView { gate.pass($0, for: session, &sessions[session].waiting, journal) }
    }

    /// The turn's write succeeds, and extends the journal.
    mutating func write() -> [[Int]] {
      journal.end = JournalPosition(raw: journal.end.raw + 10)
      var out: [[Int]] = []
      while let (session, bytes) = gate.nextWritten(&sessions, end: journal.end) {
        out.append([Int(session)] + bytes.array.map(Int.init))
      }
      return out
    }

    /// Everything written is on the disk.
    mutating func sync() -> [[Int]] {
      journal.durable = journal.end
      return confirmed(journal.durable)
    }

    mutating func confirmed(_ durable: JournalPosition) -> [[Int]] {
      var out: [[Int]] = []
      while let (session, bytes) = gate.nextConfirmed(&sessions, durable: durable) {
        out.append([Int(session)] + bytes.array.map(Int.init))
      }
      return out
    }

    /// The journal could not be written, or the disk does not confirm it.
    mutating func fail() -> [[Int]] {
      var out: [[Int]] = []
      while let (session, bytes) = gate.nextUnstored(&sessions) {
        out.append([Int(session)] + bytes.array.map(Int.init))
      }
      return out
    }

    var problems: [String] { gate.brokenInvariants(sessions) }
  }

  @Test("a reply that depends on nothing may be sent at once, whatever else waits")
  func open() throws {
    var hub = try Hub()
    #expect(hub.step(1, [], [1]) == .maySend)
    #expect(hub.step(2, .awaitsJournal, [2]) == .waitsForWrite)
    #expect(hub.step(1, [], [3]) == .maySend)
  }

  @Test("replies to writes leave when the turn is written, in their order, and once")
  func written() throws {
    var hub = try Hub()
    #expect(hub.step(1, .awaitsJournal, [1]) == .waitsForWrite)
    #expect(hub.step(2, .awaitsJournal, [2]) == .waitsForWrite)
    #expect(hub.step(1, [], [3]) == .waitsForWrite, "it may not overtake the first")
    #expect(hub.sessions[1].waiting.bytes == 2 && hub.problems.isEmpty)
    #expect(hub.write() == [[1, 1], [2, 2], [1, 3]])
    #expect(hub.sessions[1].waiting.isEmpty && hub.problems.isEmpty)
    #expect(hub.write() == [])
  }

  @Test("replies that promise the disk wait for it after the turn's write, and those after them wait, too")
  func synced() throws {
    var hub = try Hub()
    #expect(hub.step(1, [.awaitsJournal, .awaitsDisk], [1]) == .waitsForWrite)
    #expect(hub.step(2, .awaitsJournal, [2]) == .waitsForWrite)
    #expect(hub.gate.isTurnSynced && !hub.gate.awaitsDisk)
    #expect(hub.write() == [[2, 2]])
    #expect(hub.gate.awaitsDisk && hub.problems.isEmpty)
    #expect(hub.step(1, [], [3]) == .waitsForDisk)
    #expect(hub.step(2, [], [4]) == .maySend)
    #expect(hub.confirmed(JournalPosition(raw: 109)) == [])
    #expect(hub.sync() == [[1, 1], [1, 3]])
    #expect(hub.step(1, [], [5]) == .maySend && hub.problems.isEmpty)
  }

  @Test("a reply that promises what is on the disk already waits for nothing")
  func durable() throws {
    var hub = try Hub()
    #expect(hub.step(1, .awaitsDisk, [1]) == .maySend)
    hub.journal.end = JournalPosition(raw: 101)
    #expect(hub.step(1, .awaitsDisk, [2]) == .waitsForDisk)
    #expect(hub.sync() == [[1, 2]])
  }

  @Test("while the disk confirms nothing, no reply is made to wait for it")
  func unconfirmed() throws {
    var hub = try Hub()
    hub.journal.end = JournalPosition(raw: 101)
    hub.journal.confirms = false
    #expect(hub.step(1, .awaitsDisk, [1]) == .unconfirmed)
    #expect(hub.sessions[1].waiting.isEmpty && !hub.gate.awaitsDisk)
  }

  @Test("a disk that fails releases everything that waits for it")
  func disavowed() throws {
    var hub = try Hub()
    _ = hub.step(1, [.awaitsJournal, .awaitsDisk], [1])
    _ = hub.step(2, [.awaitsJournal, .awaitsDisk], [2])
    #expect(hub.write() == [])
    #expect(hub.fail() == [[1, 1], [2, 2]])
    #expect(hub.problems.isEmpty && !hub.gate.awaitsDisk)
  }

  @Test(
    "a turn that cannot be written releases all replies, those that wait for the disk before those of the turn"
  )
  func unwritten() throws {
    var hub = try Hub()
    _ = hub.step(1, [.awaitsJournal, .awaitsDisk], [1])
    #expect(hub.write() == [])
    _ = hub.step(2, .awaitsJournal, [2])
    _ = hub.step(1, .awaitsJournal, [3])
    #expect(hub.fail() == [[1, 1], [2, 2], [1, 3]])
    #expect(hub.sessions[1].waiting.isEmpty && hub.sessions[2].waiting.isEmpty && hub.problems.isEmpty)
    #expect(hub.write() == [] && !hub.gate.awaitsDisk)
  }

  @Test("what waits for the disk is dropped when its session has gone, also when another has its number")
  func forgotten() throws {
    var hub = try Hub()
    _ = hub.step(1, [.awaitsJournal, .awaitsDisk], [1])
    _ = hub.step(2, [.awaitsJournal, .awaitsDisk], [2])
    #expect(hub.write() == [])
    hub.gate.forget(1, hub.sessions[1].waiting)
    hub.sessions[1] = Session()
    #expect(hub.problems.isEmpty)
    #expect(hub.sync() == [[2, 2]])
    #expect(hub.problems.isEmpty)
  }

  @Test(
    "in random histories every reply leaves once, in its session's order, and none before it may",
    arguments: 1...40)
  func histories(seed: Int) throws {
    var random = SeededGenerator(seed: UInt64(seed))
    var hub = try Hub()
    /// Each session's replies that were not sent, and how far the disk must be for them.
    var owed: [Int32: [(reply: UInt8, isWritten: Bool, durable: UInt64)]] = [:]
    var next: UInt8 = 0
    func receive(_ out: [[Int]], _ durable: UInt64) {
      for entry in out {
        let first = owed[Int32(entry[0])]?.first
        #expect(first.map { Int($0.reply) } == entry[1])
        #expect(
          first.map { $0.isWritten && $0.durable <= durable } == true, "reply \(entry[1]) left too early")
        owed[Int32(entry[0])]?.removeFirst()
      }
    }
    func noteWritten(_ end: UInt64) {
      for session in owed.keys {
        for index in owed[session]!.indices where !owed[session]![index].isWritten {
          owed[session]![index].isWritten = true
          if owed[session]![index].durable == .max { owed[session]![index].durable = end }
        }
      }
    }
    for _ in 0..<500 {
      switch Int.random(in: 0..<8, using: &random) {
      case 0:
        noteWritten(hub.journal.end.raw + 10)
        receive(hub.write(), hub.journal.durable.raw)
      case 1: receive(hub.sync(), hub.journal.durable.raw)
      default:
        let session = Int32.random(in: 1...5, using: &random)
        let receipt: Receipt = [[], [], .awaitsJournal, [.awaitsJournal, .awaitsDisk], .awaitsDisk][
          Int.random(in: 0..<5, using: &random)]
        next &+= 1
        let owes = !(owed[session] ?? []).isEmpty
        switch hub.step(session, receipt, [next]) {
        case .maySend: #expect(!owes && !receipt.contains(.awaitsJournal))
        case .waitsForWrite:
          owed[session, default: []].append((next, false, receipt.contains(.awaitsDisk) ? .max : 0))
        case .waitsForDisk: owed[session, default: []].append((next, true, hub.journal.end.raw))
        case .unconfirmed: Issue.record("the disk confirms")
        }
      }
      #expect(hub.problems.isEmpty)
    }
    noteWritten(hub.journal.end.raw + 10)
    receive(hub.write() + hub.sync(), .max)
    #expect(owed.values.allSatisfy { $0.isEmpty })
  }
}
