// Changes as transactions of the hub, and the hub's answers as entries of the table.

internal import EtcdGateway
internal import FoundationEssentials
internal import HubClient

extension PrefixBridge {
  /// What happens to the record of how far the hub is.
  enum RecordEffect {
    case untouched, written, removed
  }

  /// Publishes changes, if possible as one transaction.
  func publish(_ changes: [Change], _ record: RecordEffect, _ hub: Hub) async throws {
    let pieces = Change.pieces(changes)
    if pieces.count > 1 { report.count(\.splitRevisions) }
    for piece in pieces.dropLast() { try await publishPiece(Array(piece), .untouched, hub) }
    try await publishPiece(Array(pieces.last ?? []), record, hub)
    report.set(\.stores, of: mapping.base, table.stores)
  }

  /// Divides the changes in halves while the hub has no room for all of them. A single change without room is skipped and reported.
  private func publishPiece(
    _ changes: [Change], _ record: RecordEffect, _ hub: Hub
  ) async throws(HubError) {
    do throws(HubError) {
      try await publishWhole(changes, record, hub)
    } catch {
      guard error.isAboutRoom, var change = changes.first else { throw error }
      if changes.count > 1 {
        let half = changes.count / 2
        try await publishPiece(Array(changes[..<half]), .untouched, hub)
        return try await publishPiece(Array(changes[half...]), record, hub)
      }
      if change.now == nil || change.problem != nil { throw error }
      change.problem = error.message
      try await publishWhole([change], record, hub)
    }
  }

  /// Publishes one transaction. Changes that the hub refuses are skipped and reported.
  private func publishWhole(
    _ changes: [Change], _ record: RecordEffect, _ hub: Hub
  ) async throws(HubError) {
    var changes = changes
    while true {
      let plan = Plan(changes, table, values)
      // Without a record while keys are hidden: a resumed bridge would not count them.
      let writes = record == .written && table.hidden.isEmpty && plan.hidden.isEmpty
      let removes = record != .untouched && !writes && recorded != nil
      if plan.steps.isEmpty, !writes, !removes { return settle(plan, []) }
      do throws(HubError) {
        let results = try await hub.transaction { transaction in
          for step in plan.steps { step.add(to: &transaction, hub) }
          let store = hub.anyValue(ResumeRecord.store(of: self.mapping))
          if writes { transaction.set(store, to: self.record.value, if: self.isRecorded) }
          if removes { transaction.remove(store, if: self.isRecorded) }
        }.results
        if record != .untouched { recorded = writes ? results.last?.revision : nil }
        if writes, epoch == nil {
          epoch = try await hub.anyValue(ResumeRecord.store(of: mapping)).read().epoch
        }
        report.count(\.transactions)
        return settle(plan, results)
      } catch {
        guard error.isAboutValue, plan.steps.indices.contains(error.operation) else { throw error }
        // The error names the operation: publish the others without it.
        let step = plan.steps[error.operation]
        if step.isEnd, error.code == .noSuchStore {
          table[step.name].hub = 0
          continue
        }
        if step.isEnd { changes[step.change].end = changes[step.change].end.next }
        if changes[step.change].now != nil { changes[step.change].problem = error.message }
      }
    }
  }

  /// The record is the one that this bridge has written last.
  private var isRecorded: Condition<HubValue> {
    recorded.map { .revision($0, epoch: epoch) } ?? .absent
  }

  /// Updates the table after a publication.
  private func settle(_ plan: Plan, _ results: [WriteResult]) {
    for (step, result) in zip(plan.steps, results) {
      let name = plan.changes[step.change].name
      switch step.effect {
      case .remove: (table[name].hub, table[name].type) = (0, nil)
      case .reset: table[name].hub = result.revision
      case .set(let value):
        (table[name].hub, table[name].type) = (result.revision, table[name].type ?? value.type)
      }
    }
    for change in plan.changes {
      (table[change.name].etcd, table[change.name].lease) = (
        change.now?.modRevision ?? 0, change.now?.lease ?? 0
      )
      hide(change.key, because: plan.hidden[change.name])
    }
  }
}

/// The operations of some changes.
private struct Plan {
  struct Step {
    enum Effect {
      case set(HubValue)
      case remove
      case reset
    }

    let change: Int
    let name: String
    let effect: Effect

    var isEnd: Bool { if case .set = effect { false } else { true } }

    func add(to transaction: inout Transaction, _ hub: Hub) {
      switch effect {
      case .set(let value): transaction.set(hub.anyValue(name), to: value)
      case .remove: transaction.remove(hub.anyValue(name))
      case .reset: transaction.reset(hub.anyValue(name))
      }
    }
  }

  let changes: [Change]
  private(set) var steps: [Step] = []
  /// Stores that cannot exist, and why.
  private(set) var hidden: [String: String] = [:]

  init(_ changes: [Change], _ table: StoreTable, _ values: ValueMapping) {
    self.changes = changes
    for (index, change) in changes.enumerated() {
      let entry = table[change.name]
      let end: Step.Effect? =
        entry.hub == 0 || change.end == .none ? nil : change.end == .reset ? .reset : .remove
      do throws(ValueMapping.Mismatch) {
        if let problem = change.problem { throw .init(reason: problem) }
        if let now = change.now {
          let value = try values.value(now.value, fitting: entry.type)
          // A store's type cannot change: it is removed and created.
          if entry.hub != 0, entry.type != value.type {
            steps.append(Step(change: index, name: change.name, effect: .remove))
          }
          steps.append(Step(change: index, name: change.name, effect: .set(value)))
          continue
        }
      } catch {
        hidden[change.name] = error.reason
      }
      if let end { steps.append(Step(change: index, name: change.name, effect: end)) }
    }
  }
}

extension HubError {
  /// Less may fit: the message is too long, or the memory is full.
  fileprivate var isAboutRoom: Bool {
    switch code {
    case .frameTooLarge, .tooLarge, .quota: true
    default: false
    }
  }

  /// It is about one of several writes, and the others can be made without it.
  fileprivate var isAboutValue: Bool {
    switch code {
    case .noSuchStore, .typeMismatch, .outOfRange, .notAChoice, .tooLarge, .invalidValue, .declared,
      .undeclared,
      .invalidName, .reserved, .schemaConflict:
      true
    default: false
    }
  }
}
