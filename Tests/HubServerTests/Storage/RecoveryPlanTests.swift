// What the files of a state directory mean together: which of them count, and up to where.

import HubCore
import HubEngine
import TestSupport
import Testing

@testable import HubServer

@Suite("Recovery plan", .blocking)
struct RecoveryPlanTests {
  /// A snapshot that includes its segment up to some record. In that part one store had an older value, and another one
  /// was changed before it was removed.
  ///
  /// - Parameter change: what the segment holds behind that.
  private func overtaken(then change: HubEvent) throws -> Recovered {
    var sample = SampleDirectory()
    sample.begin(.journal, 3)
    sample.head()
    sample.record {
      SampleDirectory.change(1, 20, 2, .integer(20)).encode(into: &$0)
      SampleDirectory.change(2, 21, 2, .integer(21)).encode(into: &$0)
    }
    let gone = HubEvent.Removal(
      id: SampleDirectory.state(2, 0, 0, .integer(0)).id, revision: 25, version: 3, time: 5, uid: 1000)
    sample.record { HubEvent.removed(name: "gone", gone, grouped: false, more: false).encode(into: &$0) }
    let through = sample.end
    sample.record { change.encode(into: &$0) }
    sample.begin(.snapshot, 3)
    sample.record {
      JournalFrame.snapshot(epoch: SampleDirectory.epoch, revision: 30, serial: 2, floor: 0).encode(into: &$0)
      SampleDirectory.created("kept", 1, 30, .integer(30)).encode(into: &$0)
      JournalFrame.complete(through: through, stores: 1).encode(into: &$0)
    }
    let directory = try TemporaryDirectory(inMemory: true)
    try writeFiles(
      Dictionary(uniqueKeysWithValues: sample.files.map { ($0.name, $0.bytes) }), to: directory.file("state"))
    do {
      return .taken(try JournalHub(directory.file("state")).content(), keepsEpoch: false)
    } catch {
      return .refused("\(error)")
    }
  }

  @Test("a journal that names the last of all revisions is damaged, and ends no hub")
  func exhausted() throws {
    var sample = SampleDirectory()
    sample.begin(.journal, 1)
    sample.head(revisionLimit: .max, unwritten: true)
    #expect(throws: JournalProblem.self) { _ = try sample.read { try RecoveryPlan($0) } }
  }

  @Test("what a snapshot has overtaken is passed over, and the changes behind it are in force")
  func overlap() throws {
    let recovered = try overtaken(then: SampleDirectory.change(1, 31, 3, .integer(31)))
    #expect(recovered == .taken(["kept": Content(value: .integer(31), version: 3)], keepsEpoch: false))
  }

  @Test("behind what a snapshot has overtaken, a change of a store that nothing describes is damage")
  func unknown() throws {
    guard case .refused(let reason) = try overtaken(then: SampleDirectory.change(7, 31, 3, .integer(31)))
    else { throw TestFailure("it was taken") }
    #expect(reason.contains("which does not exist"), "\(reason)")
  }

  /// Whether the epoch continues after this end; nil: the directory is refused.
  private func rule(
    _ kind: RecoveryPlan.Cut.Kind?, rebooted: Bool = false, copied: Bool = false, endedWell: Bool = false,
    noted: NotedReach = .unchecked
  ) -> EpochRule? {
    var plan = RecoveryPlan()
    plan.isFresh = false
    plan.boot = BootID(high: 1, low: 1)
    plan.origin = FileOrigin(inode: 5, birth: 6)
    plan.endedWell = endedWell
    plan.segments = [4, 5].map {
      RecoveryPlan.Source(file: 0, name: JournalFileName(.journal, $0), salt: 10 * $0, end: 9000)
    }
    plan.end = JournalPosition(segment: 5, offset: 9000)
    plan.cut = kind.map {
      RecoveryPlan.Cut(file: "journal-0000000000000001", offset: 8192, bytes: 9, kind: $0)
    }
    return try? EpochRule(
      plan, boot: rebooted ? BootID(high: 2, low: 2) : plan.boot,
      origin: copied ? FileOrigin(inode: 7, birth: 8) : plan.origin, noted: noted)
  }

  @Test("the epoch continues if nothing can be missing that a client was shown")
  func epochs() {
    #expect(rule(nil) == .kept && rule(nil, rebooted: true, endedWell: true) == .rebooted)
    #expect(rule(nil, rebooted: true) == .powerLoss)
    #expect(rule(nil, copied: true) == .copied && rule(nil, copied: true, endedWell: true) == .copied)
    #expect(rule(.unfinishedWrite) == .kept)
    #expect(rule(.unfinishedWrite, rebooted: true) == .cut && rule(.unfinishedWrite, copied: true) == .cut)
    for isRebooted in [false, true] {
      for isCopied in [false, true] {
        #expect(rule(.shortFile, rebooted: isRebooted, copied: isCopied) == .cut)
        let torn = rule(.torn, rebooted: isRebooted, copied: isCopied)
        // Only a machine that goes down tears a write.
        #expect(torn == (isRebooted || isCopied ? .cut : nil))
      }
    }
  }

  @Test("the epoch continues only if the journal reaches what was noted, in the same segment")
  func reach() {
    func rule(_ segment: UInt64, _ salt: UInt64, _ offset: Int) -> EpochRule? {
      let end = JournalPosition(segment: segment, offset: offset)
      return self.rule(nil, noted: .reach(JournalReach(salt: salt, end: end)))
    }
    #expect(rule(5, 50, 9000) == .kept && rule(5, 50, 8192) == .kept && rule(4, 40, 99_999) == .kept)
    #expect(rule(5, 50, 9001) == .copied && rule(6, 60, 8192) == .copied)
    #expect(rule(5, 51, 9000) == .copied && rule(3, 30, 9000) == .copied)
    #expect(self.rule(nil, noted: .missing) == .unnoted)
    #expect(self.rule(nil, rebooted: true, noted: .missing) == .powerLoss)
  }

  @Test("a file whose number no position has room for is not the hub's", arguments: ["", ".new"])
  func highestNumber(suffix: String) throws {
    for digits in ["ffffffffffffffff", "0000000001000000", "0000000000f00000"] {
      let name = "journal-\(digits)\(suffix)"
      let plan = try RecoveryPlan([
        JournalFileBytes(name: name, bytes: ByteView(UnsafeRawBufferPointer(start: nil, count: 0)))
      ])
      #expect(plan.isFresh && plan.nextNumber == 1 && plan.obsolete.isEmpty, "\(name)")
    }
    #expect(JournalFileName("journal-0000000000efffff") != nil)
  }
}
