// One writer's steps, answers and observations: after every restart its stores must be what they were behind the last step
// that was answered, or behind one of those whose answers were lost, and nothing in between.

struct WriterHistory {
  let writer: Int
  private let source: String
  /// The stores behind the last step that is known to have happened.
  private var stores: [String: Cell] = [:]
  /// Steps without answer yet, each with the stores behind it.
  private var pending: [(step: Step, stores: [String: Cell])] = []
  /// What the hub has told about the last write to each store.
  private var marks: [String: (cell: Cell, mark: Mark)] = [:]
  private var pid: UInt32 = 0
  private var observedPid: UInt32 = 0
  private var revision: UInt64 = 0
  /// Steps that have happened and counted.
  private(set) var counted = 0

  init(_ writer: Int) {
    self.writer = writer
    source = "writer \(writer)"
  }

  var hasPending: Bool { !pending.isEmpty }

  mutating func take(_ record: Record, _ truth: inout Truth, _ counts: inout Checker.Counts) {
    switch record {
    case .connected(let epoch, let revision, let pid):
      counts.connections += 1
      truth.note(epoch: epoch, source)
      rise(to: revision, "welcome", &truth)
      self.pid = pid
    case .lost: break
    case .observed(let sights): observe(sights, &truth, &counts)
    case .sent(let step):
      counts.sent += 1
      truth.sent(step)
      pending.append((step, step.applied(to: pending.last?.stores ?? stores, of: writer)))
    case .acknowledged(let number, let revision, let marks):
      guard let first = pending.first, first.step.number == number, marks.count == first.step.writes.count
      else {
        return truth.report(.malformedHistory, source, "an answer to step \(number)")
      }
      pending.removeFirst()
      counts.acknowledged += 1
      acknowledge(first.step, revision, marks, &truth)
      stores = first.stores
    case .refused(let number, let reason): truth.report(.refused, source, "step \(number): \(reason)")
    case .opened, .resumed, .forget, .shown, .removed, .synced:
      truth.report(.malformedHistory, source, record.line)
    }
  }

  private mutating func rise(to revision: UInt64, _ what: String, _ truth: inout Truth) {
    if revision < self.revision {
      truth.report(.regress, source, "\(what) tells revision \(revision) after \(self.revision)")
    }
    self.revision = max(self.revision, revision)
  }

  private mutating func acknowledge(_ step: Step, _ revision: UInt64, _ marks: [Mark], _ truth: inout Truth) {
    rise(to: revision, "the answer to step \(step.number)", &truth)
    happen(step)
    truth.acknowledged(step, revision)
    for (write, mark) in zip(step.writes, marks) {
      if mark.revision != revision {
        truth.report(
          .regress, source, "step \(step.number) is of revision \(revision), a part of it of \(mark.revision)"
        )
      }
      truth.claim(mark, token: Token.make(writer: writer, step: step.number), source)
      switch write {
      case .set(let name, let cell), .create(let name, _, let cell): self.marks[name] = (cell, mark)
      case .remove(let name): self.marks[name] = nil
      case .count: break
      }
    }
  }

  private mutating func happen(_ step: Step) {
    if step.writes.contains(where: { $0.name == Places.counter }) { counted += 1 }
  }

  // MARK: After a restart

  private mutating func observe(_ sights: [Sight], _ truth: inout Truth, _ counts: inout Checker.Counts) {
    var seen: [String: Cell] = [:]
    for sight in sights {
      guard let cell = sight.cell else {
        truth.report(.damagedValue, source, "\(sight.name) at revision \(sight.mark.revision)")
        continue
      }
      seen[sight.name] = cell
      truth.claim(sight.mark, token: cell.token, source)
      if let known = marks[sight.name], known.cell == cell, known.mark != sight.mark {
        truth.report(
          .regress, source, "\(sight.name) was acknowledged as \(known.mark), and is \(sight.mark)")
      }
    }
    let isOtherHub = pid != observedPid
    observedPid = pid
    let candidates = [stores] + pending.map(\.stores)
    if let index = candidates.lastIndex(where: { matches($0, seen, isOtherHub) }) {
      for (step, _) in pending[..<index] {
        happen(step)
        counts.happenedUnanswered += 1
      }
      if index < pending.count {
        counts.voided += pending.count - index
        truth.void(pending[index].step.number...pending[pending.count - 1].step.number, of: writer, source)
      }
    } else {
      report(seen, candidates, &truth)
    }
    pending = []
    stores = seen
    if isOtherHub {
      for name in seen.keys where Places.isVolatile(name) {
        truth.report(.survivingVolatile, source, "\(name) is there in another hub")
      }
    }
  }

  /// Volatile stores end with their hub.
  private func matches(_ candidate: [String: Cell], _ seen: [String: Cell], _ isOtherHub: Bool) -> Bool {
    if !isOtherHub { return candidate == seen }
    return candidate.filter { !Places.isVolatile($0.key) } == seen.filter { !Places.isVolatile($0.key) }
  }

  private func report(_ seen: [String: Cell], _ candidates: [[String: Cell]], _ truth: inout Truth) {
    // What is not even as new as the acknowledged state was lost; everything else cannot be.
    let lost = candidates[0].filter { name, cell in
      guard !Places.isVolatile(name) else { return false }
      if candidates.contains(where: { $0[name] == seen[name] }) { return false }
      return seen[name].map { $0.token < cell.token } ?? true
    }
    let names = Set(candidates.flatMap(\.keys)).union(seen.keys).sorted()
    let differences = names.filter { seen[$0] != candidates[0][$0] }.map { name in
      "\(name) is \(seen[name]?.description ?? "absent"), was \(candidates[0][name]?.description ?? "absent")"
    }
    let steps = pending.first.map { "steps from \($0.step.number) on unanswered; " } ?? ""
    truth.report(
      lost.isEmpty ? .impossibleState : .lostWrite, source, steps + differences.joined(separator: ", "))
  }
}
