// A hub in a few lines that keeps its promises across restarts, or breaks one of them on purpose: it writes the histories
// that show whether the checker sees it.

import DurabilityHistory

/// What a simulated hub does wrong at its restart.
enum Fault: CaseIterable {
  /// A step in the middle of the journal is left out.
  case droppedRecord
  /// The last steps were acknowledged before they were in the journal.
  case earlyAcknowledgement
  /// Steps that were shown to a watcher, and not acknowledged, are lost.
  case earlyShow
  /// Revisions go on where the journal ends, as if lost volatile changes had had none.
  case reusedRevision
  /// Of a transaction only a part is recovered.
  case halfTransaction
  /// Revisions start below what was shown.
  case revisionsGoBack
  /// The hub begins a new epoch, though nothing is lost.
  case newEpoch
  /// Volatile stores are there again.
  case survivingVolatile
  /// A watch that resumes is not told what changed while it was away.
  case gap
  /// A value comes back as another one.
  case damagedValue
  /// A counting step is recovered twice.
  case doubledRecord
}

struct SimulatedHub {
  struct Stored {
    var mark: Mark
    var cell: Cell?
  }

  private(set) var epoch = "e1"
  private(set) var revision: UInt64 = 0
  private(set) var pid: UInt32 = 1
  private(set) var stores: [String: Stored] = [:]
  private(set) var counter: Int64 = 0
  private var nextID: UInt64 = 1
  /// What each step made of the stores it wrote, in order.
  private var journal: [Entry] = []

  struct Entry {
    var step: Step
    var revision: UInt64
    var results: [(name: String, stored: Stored?)]
    /// How often it counts: once, if at all.
    var counts: Int64
  }

  /// Carries a step out.
  mutating func apply(_ step: Step) -> Entry {
    revision += 1
    var results: [(name: String, stored: Stored?)] = []
    for write in step.writes {
      let old = stores[write.name]?.mark
      let version = (old?.version ?? 0) + 1
      if old == nil { nextID += 1 }
      let mark = Mark(id: old?.id ?? nextID, revision: revision, version: version)
      switch write {
      case .set(_, let cell), .create(_, _, let cell):
        results.append((write.name, Stored(mark: mark, cell: cell)))
      case .remove: results.append((write.name, nil))
      case .count: results.append((write.name, Stored(mark: mark, cell: nil)))
      }
      lastMarks.append(mark)
      stores[write.name] = results.last!.stored
    }
    let counts: Int64 = step.writes.contains { $0.name == Places.counter } ? 1 : 0
    counter += counts
    journal.append(Entry(step: step, revision: revision, results: results, counts: counts))
    return journal.last!
  }

  private var lastMarks: [Mark] = []

  /// The marks of the writes since the last call.
  mutating func takeMarks() -> [Mark] {
    defer { lastMarks = [] }
    return lastMarks
  }

  private func isPersistent(_ entry: Entry) -> Bool { entry.results.contains { !Places.isVolatile($0.name) } }

  /// Ends and starts again.
  ///
  /// - Parameter unanswered: how many of the last steps nobody got an answer to.
  /// - Returns: whether the fault could be committed here.
  mutating func restart(_ fault: Fault?, unanswered: Int) -> Bool {
    pid += 1
    var entries = journal
    var isDone = true
    let answered = entries.count - unanswered
    switch fault {
    case .droppedRecord:
      if let last = entries[..<answered].lastIndex(where: { !traces(of: $0).isEmpty }) {
        entries.remove(at: last)
      } else {
        isDone = false
      }
    case .earlyAcknowledgement:
      if let last = entries[..<answered].lastIndex(where: { !traces(of: $0).isEmpty }) {
        entries.removeSubrange(last...)
      } else {
        isDone = false
      }
    case .earlyShow:
      isDone = unanswered > 0 && entries[answered...].contains(where: isShown)
      entries.removeSubrange(answered...)
    case .halfTransaction:
      if let last = entries.lastIndex(where: { traces(of: $0).count > 1 }) {
        let name = traces(of: entries[last])[0]
        entries[last].results.removeAll { $0.name == name }
      } else {
        isDone = false
      }
    case .doubledRecord:
      if let index = entries.lastIndex(where: { $0.counts == 1 }) {
        entries[index].counts = 2
      } else {
        isDone = false
      }
    default: break
    }
    counter = 0
    var recovered: [String: Stored] = [:]
    var last: UInt64 = 0
    for entry in entries {
      for (name, stored) in entry.results where !Places.isVolatile(name) { recovered[name] = stored }
      counter += entry.counts
      if isPersistent(entry) { last = entry.revision }
    }
    switch fault {
    case .survivingVolatile:
      let volatile = stores.filter { Places.isVolatile($0.key) }
      isDone = !volatile.isEmpty
      recovered.merge(volatile) { $1 }
      revision += 100
    case .reusedRevision:
      isDone = revision > last
      revision = last
    case .revisionsGoBack:
      isDone = revision > 3
      revision -= min(revision, 3)
    case .newEpoch:
      epoch += "x"
    case .damagedValue:
      if let name = recovered.keys.filter({ $0.hasPrefix("w") }).sorted().first {
        recovered[name]!.cell = nil
      } else {
        isDone = false
      }
    default: revision += 100
    }
    stores = recovered
    journal = entries
    return isDone
  }

  /// The writer's persistent stores that still hold what the step gave them: what is missed if it is lost.
  private func traces(of entry: Entry) -> [String] {
    entry.results.filter { name, stored in
      name.hasPrefix("w") && !Places.isVolatile(name) && stored != nil && stores[name]?.mark == stored?.mark
    }.map(\.name)
  }

  private func isShown(_ entry: Entry) -> Bool {
    entry.results.contains { !Places.isVolatile($0.name) && $0.name != Places.counter && $0.stored != nil }
  }
}
