// The ephemeral values that this process has set and still owns, to be set again on its next connection.

internal import HubCore

/// An ephemeral value ends with its connection. It is set again under its original condition if that was `absent` or a
/// value, and not at all if it depended on a revision, which no longer holds. One without a condition is set again
/// unless another program has set the store in the meantime.
struct Ephemerals {
  /// What was set, and this process's last change of the store.
  private struct Owned {
    var operation: WriteOperation
    var revision: Revision
    var epoch: Epoch
  }

  private var values: [String: Owned] = [:]

  var isEmpty: Bool { values.isEmpty }

  /// What is sent at once on a new connection.
  var conditional: [WriteOperation] {
    values.values.map(\.operation).filter { $0.condition != .none }
  }

  /// Stores that the hub must describe first: see `again`.
  var unconditional: [WriteOperation] {
    values.values.map(\.operation).filter { $0.condition == .none }
  }

  /// How to set a value again, once the hub has described its store.
  ///
  /// - Parameter store: nil if the hub cannot describe it, usually because it is missing.
  /// - Returns: nil if another program has set the store, and now owns it.
  mutating func again(
    _ operation: WriteOperation, _ store: StoreDescription?, _ epoch: Epoch
  ) -> WriteOperation? {
    guard let name = operation.name, let owned = values[name] else { return nil }
    guard let store else { return owned.operation.under(WriteCondition(absent: true)) }
    let isOwn = store.state.revision == owned.revision && epoch == owned.epoch
    // A store with an initial value returned to it when the value ended.
    guard isOwn || store.state.value == store.schema.initial else {
      values[name] = nil
      return nil
    }
    return owned.operation.under(WriteCondition(revision: store.state.revision, epoch: epoch))
  }

  /// Records a write that succeeded: the last one counts.
  mutating func note(_ operation: WriteOperation, _ result: WriteResult, _ epoch: Epoch) {
    if values.isEmpty, !operation.beginsEphemeral { return }
    guard let name = operation.name else { return }
    switch operation.lifetimeEffect {
    case .begins(let lifetime) where lifetime.ephemeral && operation.condition.revision == nil:
      values[name] = Owned(operation: operation, revision: result.revision, epoch: epoch)
    case .begins, .ends: values[name] = nil
    case .goesOn:
      guard let owned = values[name] else { return }
      values[name] = Owned(
        operation: result.value.map(owned.operation.setting) ?? owned.operation, revision: result.revision,
        epoch: epoch)
    }
  }

  /// Records that a value was set again.
  mutating func wasSetAgain(_ operation: WriteOperation, _ result: WriteResult, _ epoch: Epoch) {
    guard let name = operation.name, let owned = values[name] else { return }
    values[name] = Owned(operation: owned.operation, revision: result.revision, epoch: epoch)
  }

  /// Forgets a value that the hub has refused, because another process now owns the store.
  mutating func forget(_ operation: WriteOperation) {
    if let name = operation.name { values[name] = nil }
  }
}

extension WriteOperation {
  /// Whether its value may end with its connection.
  fileprivate var beginsEphemeral: Bool {
    if case .set(_, _, _, let lifetime, _) = self { lifetime.ephemeral } else { false }
  }

  /// The same set under another condition.
  fileprivate func under(_ condition: WriteCondition) -> WriteOperation {
    guard case .set(let store, let value, _, let lifetime, let force) = self else { return self }
    return .set(store, value, condition: condition, lifetime: lifetime, force: force)
  }

  /// The same set of another value.
  fileprivate func setting(_ value: Value) -> WriteOperation {
    guard case .set(let store, _, let condition, let lifetime, let force) = self else { return self }
    return .set(store, value, condition: condition, lifetime: lifetime, force: force)
  }
}

extension ClientCore {
  /// If this connection is lost, the next one sets the remaining values.
  mutating func setAgain(_ operation: WriteOperation, _ effects: inout Effects) {
    let id = nextID()
    var flight = Flight(request: .write(operation), call: nil, deadline: .never)
    if write(&flight, id, &effects) { flights.append(flight, id) }
  }

  /// Sends the watches and requests that waited for a new connection.
  mutating func sendWaiting(_ effects: inout Effects) {
    openWatches()
    for id in flights.ids {
      guard var flight = flights[id], flight.start == nil else { continue }
      flights[id] = write(&flight, id, &effects) ? flight : nil
    }
  }

  /// Handles the description of an ephemeral value's store, or its absence.
  mutating func described(
    _ operation: WriteOperation, _ reply: consuming Reply, _ effects: inout Effects
  ) throws(HubError) {
    guard let epoch else { return }
    switch reply {
    case .described(let store):
      if let again = ephemerals.again(operation, store, epoch) { setAgain(again, &effects) }
    case .error:
      if let again = ephemerals.again(operation, nil, epoch) { setAgain(again, &effects) }
    default: throw HubError(.protocolViolation, "the hub did not answer describe with a description")
    }
    if inquiries.isEmpty { sendWaiting(&effects) }
  }
}
