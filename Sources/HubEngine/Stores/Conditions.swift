// Whether a write's conditions hold: what the writer expects of the store.

import HubCore

extension Stores {
  /// - Parameter found: the store's slot; nil: there is none.
  /// - Throws: `conflict` with the store's revision; `invalidName` and `reserved` if no store can have the name.
  func check(_ command: SetCommand, at found: Int?, in epoch: Epoch) throws(HubError) {
    // No store can have that name, regardless of the conditions.
    if found == nil, !command.store.name.isEmpty { try HubEngine.checkNew(command.store.name) }
    guard let reason = problem(command, found, epoch) else { return }
    throw conflict(reason, command.store.label, found)
  }

  /// Whether the store at a slot is at a revision.
  ///
  /// - Throws: `conflict` with the store's revision.
  func check(
    _ expected: Revision, of expectedEpoch: Epoch?, at slot: Int, in epoch: Epoch
  ) throws(HubError) {
    guard let reason = problem(expected, expectedEpoch, slot, epoch) else { return }
    throw conflict(reason, name(of: slot).text, slot)
  }

  private func conflict(_ reason: String, _ store: String, _ found: Int?) -> HubError {
    HubError(.conflict, store: store, reason, revision: found.map { self[$0].revision } ?? 0)
  }

  private func problem(_ command: SetCommand, _ found: Int?, _ epoch: Epoch) -> String? {
    if command.flags & ConditionFlag.absent != 0, found != nil { return "the store exists" }
    if command.flags & ConditionFlag.revision != 0 {
      let expectedEpoch = command.flags & ConditionFlag.epoch != 0 ? command.epoch : nil
      if let problem = problem(command.revision, expectedEpoch, found, epoch) { return problem }
    }
    guard command.flags & ConditionFlag.value != 0, let expected = command.expected else { return nil }
    guard let found else { return "there is no such store, so it does not hold that value" }
    let value = value(of: found)
    if expected.type != value.type {
      return "the store holds \(value.type.withArticle), the condition has \(expected.type.withArticle)"
    }
    return expected.bytes.equals(value.bytes) ? nil : "the store now holds another value"
  }

  private func problem(
    _ expected: Revision, _ expectedEpoch: Epoch?, _ found: Int?, _ epoch: Epoch
  ) -> String? {
    if let expectedEpoch, expectedEpoch != epoch {
      return "the revision belongs to another epoch: read the store again"
    }
    let actual = found.map { self[$0].revision } ?? 0
    if actual == expected { return nil }
    if expected == 0 { return "the store exists, at revision \(actual)" }
    return actual == 0 ? "there is no such store" : "the store is at revision \(actual), not \(expected)"
  }
}
