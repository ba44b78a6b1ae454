// Messages to the administrator about the journal: each problem once, and its end. It writes no log.

import HubSystem

/// Lines for the log, until they are taken.
struct JournalNotes {
  struct Note {
    var level: LogLevel
    var id: MessageID
    var text: String
  }

  private var notes: [Note] = []
  /// The reported reason. A disk that stays full is tried four times a second, at one step or another.
  private(set) var trouble: SystemError?
  /// How often writing, and snapshots, began to fail.
  private(set) var failures: UInt64 = 0
  private(set) var snapshotFailures: UInt64 = 0
  private var snapshotTrouble: SystemError?

  mutating func writingFails(_ failure: StorageFailure, _ consequence: String) {
    guard trouble != failure.reason else { return }
    trouble = failure.reason
    failures += 1
    notes.append(Note(level: .error, id: .storageFails, text: "cannot \(failure): \(consequence)"))
  }

  @inline(__always)
  mutating func writingWorks() {
    if trouble == nil { return }
    trouble = nil
    notes.append(Note(level: .info, id: .storageWorks, text: "persistent stores can be written to again"))
  }

  mutating func snapshotFails(_ failure: StorageFailure) {
    guard snapshotTrouble != failure.reason else { return }
    snapshotTrouble = failure.reason
    snapshotFailures += 1
    let text = "cannot \(failure): the journal grows until it can"
    notes.append(Note(level: .warning, id: .snapshotFails, text: text))
  }

  mutating func snapshotWorks() { snapshotTrouble = nil }

  /// So much time is between two lines about a slow disk.
  private static let slowInterval: UInt64 = 10_000_000_000
  private var nextSlow: UInt64 = 0
  private var nextHanging: UInt64 = 0

  /// A sync has ended that took so many nanoseconds.
  mutating func diskWasSlow(_ time: UInt64, now: UInt64) {
    guard now >= nextSlow else { return }
    nextSlow = now + JournalNotes.slowInterval
    let (seconds, tenths) = (time / 1_000_000_000, time / 100_000_000 % 10)
    let text = "the disk took \(seconds).\(tenths) s to sync the journal"
    notes.append(Note(level: .warning, id: .diskSlow, text: text))
  }

  mutating func diskHangs(now: UInt64) {
    guard now >= nextHanging else { return }
    nextHanging = now + JournalNotes.slowInterval
    let text =
      "the disk has confirmed nothing for a second: persistent writes are answered when it does"
    notes.append(Note(level: .warning, id: .diskSlow, text: text))
  }

  /// The notes since the last call.
  mutating func take() -> [Note] {
    if notes.isEmpty { return [] }
    defer { notes = [] }
    return notes
  }
}
