// A hub with a journal and no sockets: an engine, its journal in a real directory, and one turn per request.

import Glibc
import HubCore
import HubSystem
import TestSupport

@testable import HubEngine
@testable import HubServer

/// The result of a request.
enum Outcome: Equatable {
  case done(Durability)
  case refused(HubError.Code)
}

final class JournalHub {
  var engine: HubEngine
  let journal: Journal
  let notes: [String]
  /// The disk has stopped: there is nothing to wait for.
  var isDead: Bool { disk.isGone }
  private let disk: Disk
  var now: Instant
  private let session = SessionID(raw: 1)

  static let boot = BootID(high: 1, low: 1)

  /// - Parameter noted: the directory in which it is noted how far the journal reached; nil: nobody looks.
  init(
    _ path: String, disk: Disk = Disk(), boot: BootID = JournalHub.boot, noted: String? = nil,
    configure: (inout HubEngine.Options) -> Void = { _ in }
  ) throws {
    var options = HubEngine.Options()
    options.changeLogBytes = 1 << 16
    options.rememberedRemovals = 8
    configure(&options)
    now = Clocks.now
    var notes: [String] = []
    let opened = try Journal.open(
      path, options: options, boot: boot, now: now, disk: disk, runtimeDirectory: noted, notes: &notes)
    journal = opened.journal
    engine = opened.takeEngine()
    self.notes = notes
    self.disk = disk
    try journal.start()
    engine.open(session, peer: Peer(pid: 1, uid: 7, gid: 7), now: now)
    _ = ask([.hello(name: "test")])
  }

  /// A hub that continues from another one.
  init(_ engine: consuming HubEngine, _ journal: Journal) throws {
    now = Clocks.now
    self.journal = journal
    self.engine = engine
    notes = []
    disk = Disk()
    try journal.start()
    self.engine.open(session, peer: Peer(pid: 1, uid: 7, gid: 7), now: now)
    _ = ask([.hello(name: "test")])
  }

  /// One turn with these requests.
  func ask(_ requests: [Request]) -> [Reply] {
    now = Clocks.now
    var frames: [[UInt8]] = []
    for request in requests {
      var frame = OutputBuffer()
      request.encode(into: &frame, id: 1)
      frames.append(frame.array)
    }
    journal.check(&engine, now: now)
    var (replies, isSynced, isLost) = carryOut(frames)
    if journal.commit(&engine, isAwaited: isSynced, now: now) != nil { isLost = true }
    if isLost {
      replies = replies.map { $0.promisesStorage ? .error(.unstored) : $0 }
      isSynced = false
    }
    let turn = engine.seal(engine.openTurn())
    while engine.nextDue(in: turn) != nil {}
    engine.end(turn)
    journal.step(&engine, now: now)
    if isSynced, !waitForDisk() {
      return replies.map { _ in .error(HubError(.durabilityUnknown, "")) }
    }
    return replies
  }

  /// - Returns: `isLost`: something could not be written.
  func carryOut(_ frames: [[UInt8]]) -> (replies: [Reply], isSynced: Bool, isLost: Bool) {
    var replies: [Reply] = []
    var (isSynced, isLost) = (false, false)
    for bytes in frames {
      var out = OutputBuffer()
      while true {
        let receipt = bytes.withByteView {
          engine.receive(FrameView(bytes: $0), from: session, in: engine.openTurn(), now: now, into: &out)
        }
        isSynced = isSynced || receipt.contains(.awaitsDisk)
        guard receipt.contains(.askAgain) else { break }
        // The turn's end makes room.
        if journal.commit(&engine, isAwaited: false, now: now) != nil { isLost = true }
      }
      var cursor = FrameCursor(out.view)
      while let frame = cursor.next() {
        if let reply = try? Reply(decoding: frame) { replies.append(reply) }
      }
    }
    return (replies, isSynced, isLost)
  }

  /// Leaves no reserved room: the next write needs more.
  func exhaustRoom() {
    journal.state.segment.prepared = journal.state.offset
    engine.setRoom(journal.room)
  }

  /// Waits until everything that was written is on the disk.
  func waitForDisk() -> Bool {
    let end = journal.state.end
    journal.hasten()
    while journal.worker.durable < end {
      if isDead { return false }
      waitForReport()
      if journal.takeReports(&engine, now: now) != nil { return false }
      if !journal.isWorking { return false }
    }
    return true
  }

  private func waitForReport() {
    var event = pollfd(fd: journal.worker.done.raw, events: Int16(POLLIN), revents: 0)
    _ = poll(&event, 1, isDead ? 0 : 20)
  }

  func write(_ operation: WriteOperation) -> Outcome {
    switch ask([.write(operation)]).first {
    case .written(let result)?: .done(result.durability)
    case .error(let error)?: .refused(error.code)
    default: .refused(.malformed)
    }
  }

  func set(_ name: String, _ value: Int64, lifetime: Lifetime = .permanent) -> Outcome {
    write(.set(.name(try! StoreName(name)), .integer(value), lifetime: lifetime))
  }

  func create(_ name: String, _ schema: Schema) -> Outcome {
    write(.create(try! StoreName(name), schema))
  }

  /// Runs turns until a snapshot is complete, or was given up.
  func snapshot() {
    now = Clocks.now
    guard case .idle = journal.compaction, journal.isWorking else { return }
    journal.beginCompaction(securing: false, now: now)
    settle()
  }

  /// Runs turns until the journal has nothing pending.
  func settle() {
    for _ in 0..<100 {
      now = Clocks.now
      journal.step(&engine, now: now)
      if case .idle = journal.compaction, journal.retry == nil { return }
      waitForReport()
      _ = journal.takeReports(&engine, now: now)
    }
  }

  /// Runs turns until a condition holds; gives up after `turns`.
  func settle(turns: Int = 2000, until condition: (JournalHub) -> Bool = { _ in false }) -> Bool {
    for _ in 0..<turns {
      now = Clocks.now
      journal.step(&engine, now: now)
      if condition(self) { return true }
      waitForReport()
      _ = journal.takeReports(&engine, now: now)
    }
    return false
  }

  /// Every store's value and version.
  func content() -> [String: Content] {
    var content: [String: Content] = [:]
    var after = ""
    while case .listed(let page, let more)? = ask([.list(.everything, after: after, limit: 1000)]).first {
      for store in page { content[store.name] = Content(value: store.value, version: store.version) }
      guard more, let last = page.last else { break }
      after = last.name
    }
    return content
  }

  func stop() {
    now = Clocks.now
    journal.finish(&engine, now: now)
  }
}

struct Content: Hashable {
  var value: Value?
  var version: UInt64
}

extension Disk {
  /// A crash has ended it.
  var isGone: Bool { (witness as? FaultyDisk)?.isCrashed ?? false }
}

extension Reply {
  /// It acknowledges a write to a persistent store.
  fileprivate var promisesStorage: Bool {
    frame(request: 1).withByteView { Reply.promisesStorage(FrameView(bytes: $0)) }
  }
}
