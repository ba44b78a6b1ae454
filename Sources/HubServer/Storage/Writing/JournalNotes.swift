// What a person should know of the journal: each trouble once, and its end. It writes no log.

/// Until they are taken, lines for the log.
struct JournalNotes {
  struct Note {
    var level: LogLevel
    var id: MessageID
    var text: String
  }

  private var notes: [Note] = []
  /// The `errno` that was told of. A disk that stays full is tried four times a second, at this step or that.
  private(set) var trouble: Int32?
  /// How often writing, and a snapshot, began to fail.
  private(set) var failures: UInt64 = 0
  private(set) var snapshotFailures: UInt64 = 0
  private var snapshotTrouble: Int32?

  mutating func writingFails(_ failure: StorageFailure, _ consequence: String) {
    guard trouble != failure.code else { return }
    trouble = failure.code
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
    guard snapshotTrouble != failure.code else { return }
    snapshotTrouble = failure.code
    snapshotFailures += 1
    let text = "cannot \(failure): the journal grows until it can"
    notes.append(Note(level: .warning, id: .snapshotFails, text: text))
  }

  mutating func snapshotWorks() { snapshotTrouble = nil }

  /// Those since it was asked last.
  mutating func take() -> [Note] {
    if notes.isEmpty { return [] }
    defer { notes = [] }
    return notes
  }
}
