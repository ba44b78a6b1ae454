// What all sources together know: which revision and version names which change, what was acknowledged, shown, or never was.

struct Truth {
  var violations: [Violation] = []
  /// There may be only one epoch: no run of these tests loses a change that a client has seen.
  private var epoch: String?
  /// Which change made a revision: the token, 0 for one without (a removal, a count).
  private var owners: [UInt64: Int64] = [:]
  private struct Place: Hashable {
    var id: UInt64
    var version: UInt64
  }
  private var revisions: [Place: UInt64] = [:]
  /// Acknowledged changes of persistent stores, in the order of their revisions.
  private(set) var acknowledged: [String: [Acknowledged]] = [:]
  /// Removals that were sent and not answered: they may have happened.
  private(set) var openRemovals: [String: Set<Int>] = [:]
  private var shown: Set<Int64> = []
  private var voided: [Int: [ClosedRange<Int>]] = [:]

  struct Acknowledged {
    var revision: UInt64
    var step: Int
    var isRemoval: Bool
  }

  mutating func report(_ kind: Violation.Kind, _ source: String, _ text: String) {
    violations.append(Violation(kind: kind, source: source, text: text))
  }

  mutating func note(epoch new: String, _ source: String) {
    if let epoch, epoch != new { report(.newEpoch, source, "\(new) instead of \(epoch)") }
    epoch = new
  }

  /// A change was seen: its revision and version are its own for ever.
  mutating func claim(_ mark: Mark, token: Int64?, _ source: String) {
    if let token, token > 0 {
      if let owner = owners.updateValue(token, forKey: mark.revision), owner != token, owner != 0 {
        report(.reusedRevision, source, "\(mark.revision) is step \(owner)'s and step \(token)'s")
      }
    } else if owners[mark.revision] == nil {
      owners[mark.revision] = 0
    }
    let place = Place(id: mark.id, version: mark.version)
    if let revision = revisions.updateValue(mark.revision, forKey: place), revision != mark.revision {
      report(
        .reusedVersion, source,
        "version \(mark.version) of store \(mark.id) is of \(revision) and \(mark.revision)")
    }
  }

  // MARK: Writers' steps

  mutating func sent(_ step: Step) {
    for case .remove(let name) in step.writes { openRemovals[name, default: []].insert(step.number) }
  }

  mutating func acknowledged(_ step: Step, _ revision: UInt64) {
    for write in step.writes where !Places.isVolatile(write.name) && write.name != Places.counter {
      var isRemoval = false
      if case .remove(let name) = write {
        isRemoval = true
        openRemovals[name]?.remove(step.number)
      }
      let new = Acknowledged(revision: revision, step: step.number, isRemoval: isRemoval)
      acknowledged[write.name, default: []].insert(new)
    }
  }

  /// These steps turned out never to have happened.
  mutating func void(_ steps: ClosedRange<Int>, of writer: Int, _ source: String) {
    voided[writer, default: []].append(steps)
    for step in steps where shown.contains(Token.make(writer: writer, step: step)) {
      report(.undone, source, "step \(step) was shown to a watcher, and is gone after a restart")
    }
  }

  /// A watcher was shown a value of a persistent store.
  mutating func show(_ token: Int64, _ source: String) {
    guard shown.insert(token).inserted else { return }
    let (writer, step) = (Token.writer(of: token), Token.step(of: token))
    if voided[writer]?.contains(where: { $0.contains(step) }) ?? false {
      report(.undone, source, "step \(step) of writer \(writer) was shown, and has never happened")
    }
  }

  /// The last acknowledged change of a store at or below a revision.
  func last(_ name: String, upTo revision: UInt64) -> Acknowledged? {
    guard let list = acknowledged[name] else { return nil }
    return list.last { $0.revision <= revision }
  }
}

extension [Truth.Acknowledged] {
  /// Views are compared with what is recent only.
  private static let limit = 4096

  /// Keeps the order of revisions; what comes is nearly always the newest.
  fileprivate mutating func insert(_ new: Element) {
    var index = endIndex
    while index > 0, self[index - 1].revision > new.revision { index -= 1 }
    insert(new, at: index)
    if count > Self.limit { removeFirst(Self.limit / 2) }
  }
}
