// State directories of several shapes as bytes, with every state in their history, for tests that damage them.

import HubCore
import HubEngine
import TestSupport

@testable import HubServer

/// A state directory as a killed hub left it, or one that stopped.
struct Shape {
  let name: String
  private(set) var files: [String: [UInt8]] = [:]
  /// The content after each step.
  private(set) var states: [[String: Content]] = []
  /// The last step that was acknowledged as synced.
  private(set) var synced = 0
  /// What is noted of how far the journal reached.
  private(set) var noted = NotedReach.missing
  /// Where the journal ended then.
  private(set) var syncedEnd = JournalPosition.zero
  /// A position up to which, at least, the journal is known to be on the disk.
  private(set) var durable = JournalPosition.zero
  private let directory: TemporaryDirectory

  static let names = [
    "fresh", "synced only", "relaxed only", "mixed", "many segments", "snapshot and journal", "packed stores",
    "long values", "unfinished write", "torn tail", "clean end",
  ]

  /// The first length of every file: what follows the preamble fits into a page or two.
  private static let firstLength = 12288

  init(_ name: String) throws {
    self.name = name
    directory = try TemporaryDirectory(inMemory: true)
    let path = directory.file("state")
    var hub = try start(path)
    states = [[:]]
    syncedEnd = hub.journal.state.end
    switch name {
    case "fresh": break
    case "relaxed only": for value in 1...4 { set(hub, "r", Int64(value)) }
    case "mixed":
      for value in 1...3 {
        set(hub, "a", Int64(value))
        set(hub, "b", Int64(value), isSynced: true)
      }
      set(hub, "a", 9)
      set(hub, "c", 9)
    case "many segments":
      for value in 1...4 {
        set(hub, "a", Int64(value), isSynced: true)
        set(hub, "b", Int64(value))
        _ = consume hub
        hub = try start(path)
        noteSynced(hub)
      }
      set(hub, "a", 9, isSynced: true)
      set(hub, "b", 9)
    case "snapshot and journal":
      set(hub, "a", 1)
      hub.snapshot()
      set(hub, "b", 2, isSynced: true)
      set(hub, "a", 3)
    case "packed stores":
      for value in 1...12 { set(hub, "many.\(value * value)", Int64(value)) }
      let schema = Schema(type: .string, initial: .string("off"), choices: [.string("off"), .string("on")])
      _ = hub.create("mode", schema)
      _ = hub.create("mode.of.more", schema)
      _ = hub.set("brief", 1, lifetime: Lifetime(ttl: 1 << 40))
      hub.snapshot()
      note(hub, isSynced: false)
      set(hub, "many.1", 7, isSynced: true)
    case "long values":
      for value in [1, 2] as [UInt8] {
        let blob = Value.data([UInt8](repeating: value, count: 5000))
        _ = hub.write(.set(.name(try StoreName("blob")), blob))
        note(hub, isSynced: value == 1)
      }
    default: for value in 1...3 { set(hub, "s", Int64(value), isSynced: true) }
    }
    let end = hub.journal.state.end
    noted = .reach(JournalReach(salt: hub.journal.state.segment.header.salt, end: end))
    if name == "unfinished write" || name == "torn tail" {
      let blobs = try (0..<3).map {
        WriteOperation.set(
          .name(try StoreName("t\($0)")), .data([UInt8](repeating: 0xA5, count: 3000)))
      }
      _ = hub.ask([.transaction(blobs)])
    }
    if name == "clean end" {
      states.append(hub.content())
      hub.stop()
      noted = .reach(JournalReach(salt: hub.journal.state.segment.header.salt, end: hub.journal.state.end))
      (synced, syncedEnd) = (states.count - 1, hub.journal.state.end)
    }
    try takeFiles(path, end)
    durable = max(syncedEnd, plan?.durable ?? .zero)
  }

  private var plan: RecoveryPlan? {
    let names = files.keys.sorted()
    func plan(_ index: Int, _ views: [JournalFileBytes]) -> RecoveryPlan? {
      guard index < names.count else { return try? RecoveryPlan(views) }
      return files[names[index]]!.withByteView {
        plan(index + 1, views + [JournalFileBytes(name: names[index], bytes: $0)])
      }
    }
    return plan(0, [])
  }

  private func start(_ path: String) throws -> JournalHub {
    var disk = Disk()
    disk.firstLength = Shape.firstLength
    return try JournalHub(path, disk: disk)
  }

  private mutating func set(_ hub: JournalHub, _ name: String, _ value: Int64, isSynced: Bool = false) {
    _ = hub.set(name, value)
    note(hub, isSynced: isSynced)
  }

  private mutating func note(_ hub: JournalHub, isSynced: Bool) {
    states.append(hub.content())
    if isSynced { noteSynced(hub) }
  }

  private mutating func noteSynced(_ hub: JournalHub) {
    if hub.waitForDisk() { (synced, syncedEnd) = (states.count - 1, hub.journal.state.end) }
  }

  /// Stores the present files, without most of the room prepared ahead.
  private mutating func takeFiles(_ path: String, _ end: JournalPosition) throws {
    files = try stateFiles(in: path).mapValues { bytes in
      Array(bytes.prefix(max(Shape.firstLength, (bytes.lastIndex { $0 != 0 } ?? 0) + 25)))
    }
    guard name == "unfinished write" || name == "torn tail" else { return }
    let file = JournalFileName(.journal, end.segment).description
    let border = (end.offset / 4096 + 1) * 4096
    let gap = name == "torn tail" ? border + 512..<border + 1024 : border..<files[file]!.count
    for index in gap { files[file]![index] = 0 }
  }
}

/// What became of a directory.
enum Recovered: Equatable {
  case refused(String)
  case taken([String: Content], keepsEpoch: Bool)
}

extension Shape {
  static let otherBoot = BootID(high: 9, low: 9)

  /// - Parameter isSameBoot: the machine has not gone down since.
  func recover(_ files: [String: [UInt8]], isSameBoot: Bool) -> Recovered {
    let names = files.keys.sorted()
    func recover(_ index: Int, _ views: [JournalFileBytes]) -> Recovered {
      guard index < names.count else { return self.recover(views, isSameBoot) }
      return files[names[index]]!.withByteView {
        recover(index + 1, views + [JournalFileBytes(name: names[index], bytes: $0)])
      }
    }
    return recover(0, [])
  }

  private func recover(_ views: [JournalFileBytes], _ isSameBoot: Bool) -> Recovered {
    var options = HubEngine.Options()
    options.journals = true
    options.changeLogBytes = 1 << 16
    let now = Instant(wall: 1, boot: 1)
    do throws(JournalProblem) {
      let plan = try RecoveryPlan(views)
      let boot = isSameBoot ? plan.boot : Shape.otherBoot
      let rule = try EpochRule(plan, boot: boot, origin: plan.origin, noted: noted)
      var engine = try plan.engine(views, options: options, rule: rule, boot: boot, now: now)
      let session = SessionID(raw: 1)
      engine.open(session, peer: Peer(pid: 1, uid: 1, gid: 1), now: now)
      var out = OutputBuffer()
      for request in [Request.hello(name: "t"), .list(.everything)] {
        out.clear()
        var frame = OutputBuffer()
        request.encode(into: &frame, id: 1)
        _ = engine.receive(
          FrameView(bytes: frame.view), from: session, in: engine.openTurn(), now: now, into: &out)
      }
      var cursor = FrameCursor(out.view)
      guard let reply = cursor.next(), case .listed(let page, _)? = try? Reply(decoding: reply)
      else { return .refused("no list") }
      let content = Dictionary(
        uniqueKeysWithValues: page.map { ($0.name, Content(value: $0.value, version: $0.version)) })
      return .taken(content, keepsEpoch: rule.keepsEpoch)
    } catch {
      return .refused("\(error)")
    }
  }

  /// From the start of a segment's records to its last byte that is not zero.
  func used(_ file: String) -> Range<Int> {
    0..<(files[file]!.lastIndex { $0 != 0 } ?? 0) + 1
  }
}
