// Claims in the state directory: after any end of the hub, nobody writes past a provider that is not back yet.

import HubCore
import TestSupport
import Testing

@testable import HubEngine
@testable import HubServer

@Suite("Journal: claims", .blocking)
struct KeptClaimTests {
  private let directory: TemporaryDirectory
  private let path: String

  init() throws {
    directory = try TemporaryDirectory(inMemory: true)
    path = directory.file("state")
  }

  private static let lamp = ClaimOffer(try! StoreName("lamp"), [try! NamePattern("lamp.*")], timeout: 7)

  enum End: CaseIterable, Sendable { case kill, stop }

  @Test(
    "a write right after a hub's end, before the provider is back, is refused and not acknowledged by the hub",
    arguments: End.allCases)
  func away(end: End) throws {
    var hub = try HubProcess(in: directory, arguments: ["--state-dir", path])
    let provider = try hub.connect()
    try provider.claim(KeptClaimTests.lamp)
    let released = try hub.connect()
    let gone = ClaimOffer(try StoreName("gone"), [try NamePattern("gone")])
    try released.claim(gone)
    guard case .stood = try released.call(.standing(gone.name, .released)) else {
      throw TestFailure("not released")
    }
    // Its acknowledgement waits until all of that is in the journal.
    try released.write(.set("other", .integer(1)))
    for _ in 0..<2 {
      if end == .kill { hub.kill() } else { try hub.terminate() }
      hub = try HubProcess(in: directory, arguments: ["--state-dir", path])
      let writer = try hub.connect()
      let operations: [Request] = [
        .set("lamp.on", .boolean(true)),
        .transaction([.set(.name(try StoreName("lamp.on")), .boolean(true))]),
        .write(.create(try StoreName("lamp.new"), Schema(type: .integer, initial: .integer(1)))),
      ]
      for request in operations {
        guard case .error(let error) = try writer.call(request) else { throw TestFailure("acknowledged") }
        #expect(error.code == .unavailable, "\(error)")
      }
      guard case .error = try writer.call(.get("lamp.on")) else { throw TestFailure("it was set") }
      guard case .written = try writer.call(.set("gone", .integer(1))) else {
        throw TestFailure("still claimed")
      }
    }
    let again = try hub.connect()
    try again.claim(KeptClaimTests.lamp)
  }

  /// The claims of a hub that starts from the directory, by name.
  private func claims() throws -> [String: Claim] {
    let hub = try JournalHub(path)
    var found: [String: Claim] = [:]
    for claim in hub.engine.claims.all { found[claim.offer.name.text] = claim }
    return found
  }

  private func provide(_ hub: JournalHub, _ offer: ClaimOffer) throws {
    guard case .providing? = hub.ask([.provide(offer)]).first else { throw TestFailure("no claim") }
  }

  /// A hub of the user who claims.
  private func hub() throws -> JournalHub { try JournalHub(path) { $0.uid = 7 } }

  @Test("a claim is kept with its owner and all that it asks for, in the journal, a snapshot and by a repair")
  func kept() throws {
    var offer = KeptClaimTests.lamp
    do {
      let hub = try hub()
      try provide(hub, offer)
    }
    func check(_ what: String) throws {
      let claim = try #require(try claims()["lamp"], "\(what)")
      #expect(claim.offer == offer && claim.owner == 7 && claim.state == .vacant, "\(what)")
    }
    try check("the journal")
    do {
      let hub = try hub()
      hub.snapshot()
    }
    try check("a snapshot")
    do {
      let hub = try hub()
      offer.description = "of the hall"
      try provide(hub, offer)
      hub.snapshot()
      #expect(hub.set("a", 1) == .done(.relaxed))
    }
    try check("a snapshot after another offer")
    var files = try stateFiles(in: path)
    let newest = try #require(files.keys.filter { $0.hasPrefix("journal") }.max())
    files[newest]![JournalFileHeader.recordsStart + 20] ^= 1
    try writeFiles(files, to: path)
    guard case .repaired = try Repair.run(path) else { throw TestFailure("nothing was repaired") }
    try check("a repair")
  }

  @Test("a claim that began in the part of the journal that a snapshot includes is the snapshot's")
  func overtaken() throws {
    func offer(_ name: String, _ pattern: String) throws -> JournalFrame {
      .claim(ClaimOffer(try StoreName(name), [try NamePattern(pattern)]), owner: 1)
    }
    var sample = SampleDirectory()
    sample.begin(.journal, 3)
    sample.head()
    let frames: [JournalFrame] = [
      try offer("old", "a.*"), .unclaimed(try StoreName("old")), try offer("new", "a.b"),
      try offer("more", "b"), .unclaimed(try StoreName("more")),
    ]
    sample.record { out in for frame in frames { frame.encode(into: &out) } }
    let through = sample.end
    sample.begin(.snapshot, 3)
    try sample.record {
      JournalFrame.snapshot(epoch: SampleDirectory.epoch, revision: 30, serial: 2, floor: 0).encode(into: &$0)
      try offer("new", "a.b").encode(into: &$0)
      JournalFrame.complete(through: through, stores: 0).encode(into: &$0)
    }
    try writeFiles(Dictionary(uniqueKeysWithValues: sample.files.map { ($0.name, $0.bytes) }), to: path)
    #expect(try claims().keys.sorted() == ["new"])
  }
}

extension RawClient {
  fileprivate func claim(_ offer: ClaimOffer) throws {
    guard case .providing = try call(.provide(offer)) else { throw TestFailure("no claim") }
  }
}
