// A journal without files: what an engine had written, and what a hub that starts from it recovers.

import HubCore
import HubEngine

/// What ends a hub.
enum HubEnd: CaseIterable, Sendable {
  /// SIGTERM: it stops cleanly.
  case stop
  /// SIGKILL: nothing is recorded, and everything that was written is there.
  case kill
  /// The same, and the machine reboots: the boot clock starts over, and so does the epoch.
  case powerLoss
}

struct PaperJournal {
  /// Whole frames, in their order.
  private(set) var frames: [[UInt8]] = []
  private var revisionLimit: Revision = 0
  private var serialLimit: UInt64 = 0
  private var floor: Revision = 0
  private var unwritten = false

  /// A hub starts: what it found is written again, with what it did at its start.
  mutating func begin(_ engine: inout HubEngine) {
    let head = engine.head(
      previous: .zero, boot: .unknown, origin: FileOrigin(inode: 0, birth: 0), beginsLife: true)
    (revisionLimit, serialLimit) = (head.revisionLimit, head.serialLimit)
    (floor, unwritten) = (head.floor, head.unwritten)
    append(engine.outboxBytes)
    engine.journalWritten()
  }

  /// A turn's write.
  mutating func commit(_ engine: inout HubEngine) {
    engine.reserveAhead()
    append(engine.outboxBytes)
    engine.journalWritten()
  }

  /// A complete snapshot replaces everything that was written.
  mutating func compact(_ engine: borrowing HubEngine, now: Instant) {
    var cursor = SnapshotCursor()
    var out = OutputBuffer()
    while !engine.appendSnapshot(&cursor, bytes: 200, now: now, into: &out) {}
    frames = []
    append(out.view)
  }

  /// Records that the hub stopped cleanly.
  mutating func end(_ engine: inout HubEngine, now: Instant) {
    commit(&engine)
    let isSettled = engine.settle(now: now)
    commit(&engine)
    (revisionLimit, serialLimit) = (engine.revision, engine.lastSerial)
    if isSettled { unwritten = false }
  }

  private mutating func append(_ bytes: ByteView) {
    var cursor = FrameCursor(bytes)
    while let frame = cursor.next() {
      frames.append(frame.bytes.array)
      switch JournalFrame(frame) {
      case .reserved(let revision, let serial)?: (revisionLimit, serialLimit) = (revision, serial)
      case .unwritten?: unwritten = true
      default: break
      }
    }
  }

  /// The hub that starts from it.
  func engine(
    _ options: HubEngine.Options, epoch: Epoch, behind end: HubEnd, now: Instant
  ) throws(HubError) -> HubEngine {
    let keepsEpoch = end != .powerLoss
    var engine = HubEngine(
      options: options, epoch: keepsEpoch ? epoch : Epoch(high: epoch.high, low: epoch.low + 1), now: now)
    for bytes in frames {
      let result = bytes.withByteView { bytes in
        Result { () throws(HubError) in try engine.recover(FrameView(bytes: bytes), overlaps: false) }
      }
      try result.get()
    }
    let mustForget = keepsEpoch && unwritten
    let revision = mustForget ? revisionLimit + 1 : revisionLimit
    engine.finishRestoring(
      revision: revision, serial: serialLimit, floor: !keepsEpoch ? 0 : mustForget ? revision : floor,
      isSameBoot: keepsEpoch, now: now)
    return engine
  }
}
