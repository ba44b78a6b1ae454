// Writes whose values expire or end with a connection: none replaces a value that would be lost.

internal import HubCore

/// The end of such a value leaves the store's initial value, or no store. So one that replaces a persistent value of a
/// store without an initial value would destroy it, and is refused.
enum KeptValues {
  /// How often a store may change between the question and the write.
  private static let mostAttempts = 32

  /// Executes the operations of one request.
  ///
  /// - Parameters:
  ///   - asker: sends a question to the hub.
  ///   - describe: the hub's description of a store.
  ///   - send: executes the operations, on the condition that no other persistent value was set in between.
  /// - Throws: `conflict` if a kept value would be lost; what `describe` and `send` throw.
  static func protect<Asker: ~Copyable, Result>(
    _ operations: [WriteOperation], with asker: inout Asker,
    describe: (inout Asker, StoreName) throws(Failure) -> Reply,
    send: (inout Asker, [WriteOperation]) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    guard operations.contains(where: \.endsByItself) else { return try send(&asker, operations) }
    var attempts = 1
    var guarded = try guarded(operations, &asker, describe)
    while true {
      do throws(Failure) {
        return try send(&asker, guarded)
      } catch {
        guard error.isHub(.conflict), attempts < mostAttempts else { throw error }
        attempts += 1
        let now = try KeptValues.guarded(operations, &asker, describe)
        // A condition that the user has set does not hold.
        if now == guarded { throw error }
        guarded = now
      }
    }
  }

  private static func guarded<Asker: ~Copyable>(
    _ operations: [WriteOperation], _ asker: inout Asker,
    _ describe: (inout Asker, StoreName) throws(Failure) -> Reply
  ) throws(Failure) -> [WriteOperation] {
    var guarded = operations
    var seen: Set<StoreReference> = []
    for (index, operation) in operations.enumerated() {
      // The user's own earlier operation has changed the store.
      guard seen.insert(operation.store).inserted, operation.endsByItself,
        case .set(.name(let name), let value, var condition, let lifetime, let force) = operation,
        !condition.absent
      else { continue }
      var revision: Revision = 0
      do throws(Failure) {
        guard case .described(let store) = try describe(&asker, name) else { throw .unexpectedReply }
        if store.isLostIfReplaced { throw store.loss }
        if store.schema.initial != nil { continue }
        revision = store.state.revision
      } catch {
        // A client without the right to read learns nothing about the store.
        if error.isHub(.denied) { continue }
        guard error.isHub(.noSuchStore) else { throw error }
      }
      if condition.revision == nil { condition.revision = revision }
      guarded[index] = .set(.name(name), value, condition: condition, lifetime: lifetime, force: force)
    }
    return guarded
  }
}

extension WriteOperation {
  /// The value that it sets ends by itself.
  var endsByItself: Bool {
    if case .set(_, _, _, let lifetime, _) = self { lifetime != .permanent } else { false }
  }
}

extension StoreDescription {
  /// Its value is persistent, and nothing would return after one that ends.
  fileprivate var isLostIfReplaced: Bool { schema.initial == nil && ttl == nil && owner == nil }

  fileprivate var loss: Failure {
    let value = ValueText.cut(ValueText.line(state.value), 40)
    return .hub(
      HubError(
        .conflict, store: name,
        "it has a persistent value, \(value), and would lose it: give the store an initial value to return to "
          + "(create \(name) --type \(schema.type) --initial VALUE), or remove it first",
        revision: state.revision))
  }
}
