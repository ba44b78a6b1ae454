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
    isCut: Bool = false, rebooted: Bool = false, copied: Bool = false, endedWell: Bool = false,
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
    if isCut { plan.cut = RecoveryPlan.Cut(file: "journal-0000000000000005", offset: 9000, bytes: 9) }
    return try? EpochRule(
      plan, boot: rebooted ? BootID(high: 2, low: 2) : plan.boot,
      origin: copied ? FileOrigin(inode: 7, birth: 8) : plan.origin, noted: noted)
  }

  /// The note that the journal reached there.
  private func noted(_ segment: UInt64, _ salt: UInt64, _ offset: Int) -> NotedReach {
    .reach(JournalReach(salt: salt, end: JournalPosition(segment: segment, offset: offset)))
  }

  @Test("the epoch continues if nothing can be missing that a client was shown")
  func epochs() {
    #expect(rule() == .kept && rule(rebooted: true, endedWell: true) == .rebooted)
    #expect(rule(rebooted: true) == .powerLoss)
    #expect(rule(copied: true) == .copied && rule(copied: true, endedWell: true) == .copied)
    for noted in [.unchecked, .missing, noted(5, 50, 9000), noted(5, 50, 9001)] as [NotedReach] {
      #expect(rule(isCut: true, rebooted: true, noted: noted) == .cut)
      #expect(rule(isCut: true, copied: true, noted: noted) == .copied)
    }
  }

  @Test("a tail is what a kill left behind if the note does not reach into it, and damage if it does")
  func tails() {
    #expect(rule(isCut: true, noted: noted(5, 50, 9000)) == .kept)
    #expect(rule(isCut: true, noted: noted(5, 50, 9001)) == nil)
    #expect(rule(isCut: true, noted: .missing) == .cut && rule(isCut: true) == .cut)
  }

  @Test("the epoch continues only if the journal reaches what was noted, in the same segment")
  func reach() {
    func rule(_ segment: UInt64, _ salt: UInt64, _ offset: Int) -> EpochRule? {
      self.rule(noted: noted(segment, salt, offset))
    }
    #expect(rule(5, 50, 9000) == .kept && rule(5, 50, 8192) == .kept && rule(4, 40, 99_999) == .kept)
    #expect(rule(5, 50, 9001) == .copied && rule(6, 60, 8192) == .copied)
    #expect(rule(5, 51, 9000) == .copied && rule(3, 30, 9000) == .copied)
    #expect(self.rule(noted: .missing) == .unnoted)
    #expect(self.rule(noted: .failed) == .failed && self.rule(isCut: true, noted: .failed) == .failed)
    #expect(self.rule(rebooted: true, noted: .failed) == .powerLoss)
    #expect(self.rule(rebooted: true, noted: .missing) == .powerLoss)
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

  @Test("a segment with packed stores is damage: only snapshots have them")
  func onlySnapshots() throws {
    var sample = SampleDirectory()
    sample.begin(.journal, 1)
    sample.head()
    sample.record { out in
      // An empty frame.
      out.append(UInt32(0))
      out.append(UInt64(PackedStores.kind))
    }
    sample.read { files in
      let summary = Inspection.summary(of: files, boot: .unknown) { _ in FileOrigin(inode: 0, birth: 0) }
      guard case .failure(let problem) = summary.plan else { return #expect(Bool(false), "it was read") }
      #expect(problem.kind == .damaged && problem.reason.contains("only a snapshot"))
    }
  }

  @Test("a file of any other format is refused, by its number", arguments: [0, 2, 3, .max] as [UInt16])
  func otherFormats(format: UInt16) {
    for kind in JournalFileKind.allCases {
      var sample = SampleDirectory()
      sample.begin(kind, 1, format: format)
      sample.head()
      let problem = sample.read { files in
        #expect(throws: JournalProblem.self) { try RecoveryPlan(files) }
      }
      #expect(problem?.kind == .newer && problem?.reason.contains("format is \(format),") == true)
    }
  }
}
