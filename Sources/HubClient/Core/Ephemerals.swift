// The ephemeral values that this process has set and still owns, to be set again on its next connection.

internal import HubCore

/// An ephemeral value ends with its connection. It is set again under its original condition if that was `absent` or a
/// value, unconditionally if there was none, and not at all if it depended on a revision: that has passed.
struct Ephemerals {
  private var values: [String: WriteOperation] = [:]

  var isEmpty: Bool { values.isEmpty }

  /// What has to be sent on a new connection.
  var operations: [WriteOperation] { Array(values.values) }

  /// Takes note of a write that has succeeded: the last one decides.
  ///
  /// - Parameter value: the value afterwards, of `add` and `toggle`.
  mutating func note(_ operation: WriteOperation, _ value: Value?) {
    if values.isEmpty, !operation.beginsEphemeral { return }
    guard let name = operation.name else { return }
    switch operation.lifetimeEffect {
    case .begins(let lifetime) where lifetime.ephemeral && operation.condition.revision == nil:
      values[name] = operation
    case .begins, .ends: values[name] = nil
    case .goesOn:
      guard let value, case .set(let store, _, let condition, let lifetime, let force) = values[name] else {
        return
      }
      values[name] = .set(store, value, condition: condition, lifetime: lifetime, force: force)
    }
  }

  /// The hub has refused it: another process owns the store now.
  mutating func forget(_ operation: WriteOperation) {
    if let name = operation.name { values[name] = nil }
  }
}

extension WriteOperation {
  /// Whether its value may end with its connection.
  fileprivate var beginsEphemeral: Bool {
    if case .set(_, _, _, let lifetime, _) = self { lifetime.ephemeral } else { false }
  }
}
