// Writes the engine's whole state into an image, between two turns. `EngineBuilder` reads it.

import HubCore

extension HubEngine {
  /// What can be derived quickly is left out: orders, indices and watcher lists are rebuilt from the stores and the watches.
  /// Counters, latencies and kept history begin empty.
  ///
  /// The turn must have ended: everything due has been offered. The engine is unchanged.
  package func write(to image: inout ImageWriter) {
    precondition(isBetweenTurns, "an image can be taken only between turns")
    image.frame(ImageKind.hub.rawValue) { ImageHub(self).write(to: &$0) }
    stores.write(to: &image)
    history.writeRemovals(to: &image)
    ledger.outbox.write(to: &image)
    history.writeChanges(to: &image)
    var isWritten = [Bool](repeating: false, count: Int(feed.patterns.limit))
    for index in 0..<feed.sessions.limit where feed.sessions.isOpen(SessionID(raw: index)) {
      let session = SessionID(raw: index)
      image.write(
        session, of: feed, stores, head: history.log.head, socket: socket(of: session), patterns: &isWritten)
    }
    claims.write(to: &image)
  }

  /// No change or event of a turn is pending.
  package var isBetweenTurns: Bool {
    !isSealed && history.turn.start == history.log.head && feed.pending.isEmpty && !ledger.undo.isTransaction
      && ledger.outbox.bytes.isEmpty && claims.messages.isEmpty && !claims.hasOutcomes
      && claims.orphans.isEmpty
  }
}

extension Stores {
  fileprivate func write(to image: inout ImageWriter) {
    image.frame(ImageKind.freeSlots.rawValue) { out in
      for slot in freeSlots { out.append(slot) }
    }
    var (slot, next) = (0, 0)
    while slot < used {
      image.frame(ImageKind.stores.rawValue) { out in
        next = appendPacked(
          from: slot, before: used, upTo: out.count + Stores.packedBytes, now: Instant(wall: 0, boot: 0),
          to: &out
        ) { _ in true }
      }
      image.frame(ImageKind.places.rawValue) { out in
        while slot < next {
          if self[slot].id.raw != 0 { out.append(ImagePlace(self[slot]).word) }
          slot += 1
        }
      }
    }
  }

  private static let packedBytes = 64 << 10
}

/// What a snapshot lacks of a store.
struct ImagePlace {
  let position: UInt64
  /// The journal has it.
  let isStored: Bool
  let isDeclared: Bool

  init(_ record: StoreRecord) {
    (position, isStored, isDeclared) = (record.position, record.isStored, record.isDeclared)
  }

  init(word: UInt64) { (position, isStored, isDeclared) = (word >> 2, word & 2 != 0, word & 1 != 0) }

  var word: UInt64 { position << 2 | (isStored ? 2 : 0) | (isDeclared ? 1 : 0) }
}

extension History {
  fileprivate func writeRemovals(to image: inout ImageWriter) {
    removals.forEach { entry in
      image.frame(ImageKind.removal.rawValue) { out in
        out.append(entry.position)
        out.append(entry.removal.id.raw)
        out.append(entry.removal.revision)
        out.append(entry.removal.version)
        out.append(entry.removal.time)
        out.append(entry.removal.uid)
        out.append(short: entry.name.text)
        out.append(entry.creator)
      }
    }
  }

  /// One frame of the image holds many of the log's frames unchanged.
  fileprivate func writeChanges(to image: inout ImageWriter) {
    var position = log.tail
    while position < log.head {
      image.frame(ImageKind.changes.rawValue) { out in
        let start = out.count
        while out.count - start < History.changesPerFrame, let next = log.next(after: position) {
          out.append(next.frame.bytes)
          position = next.end
        }
      }
    }
  }

  private static let changesPerFrame = 64 << 10
}

extension JournalOutbox {
  fileprivate func write(to image: inout ImageWriter) {
    image.frame(ImageKind.journal.rawValue) { out in
      out.append(reserved.revision)
      out.append(reserved.serial)
      out.append(phase.rawValue)
      out.append(
        (hasToldUnwritten ? ImageFlag.unwritten : 0) | (owesSnapshot ? ImageFlag.owesSnapshot : 0))
      out.append(medium: problem ?? "")
    }
  }
}

enum ImageFlag {
  static let unwritten: UInt8 = 1 << 0
  static let owesSnapshot: UInt8 = 1 << 1
  static let owesSync: UInt8 = 1 << 0
  static let isIntroducing: UInt8 = 1 << 1
  static let mustForget: UInt8 = 1 << 2
  static let isQueued: UInt8 = 1 << 3
  static let hasOrigin: UInt8 = 1 << 4
  static let every: UInt8 = 1 << 0
  static let schemas: UInt8 = 1 << 1
  static let filtered: UInt8 = 1 << 2
  static let number: UInt8 = 1 << 0
  static let compared: UInt8 = 1 << 1
  static let met: UInt8 = 1 << 2
  /// Along with what a session was sent about a store that it watches with a deadline.
  static let isNews: UInt8 = 1 << 7
}
