// Writes whose values end, by a time to live or with a connection: none replaces a value that would not come back.

internal import HubCore

/// The end of such a value leaves the store's initial value, or no store. So one that replaces a kept value of a store without
/// an initial value would destroy it, and is refused.
enum KeptValues {
  /// How often a store may change between the question and the write.
  private static let mostAttempts = 32

  /// Carries out the operations of one request.
  ///
  /// - Parameters:
  ///   - asker: what asks the hub.
  ///   - describe: what the hub says of a store.
  ///   - send: carries the operations out, under the condition that no other value was kept meanwhile.
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
        // A condition of the user's own does not hold.
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
      // What an earlier operation has made of the store is the user's wish.
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
        // Those who may not read a store learn nothing of it.
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
  /// Its value is kept, and nothing else would come back after one that ends.
  fileprivate var isLostIfReplaced: Bool { schema.initial == nil && ttl == nil && owner == nil }

  fileprivate var loss: Failure {
    let value = ValueText.cut(ValueText.line(state.value), 40)
    return .hub(
      HubError(
        .conflict, store: name,
        "it has a value that is kept, \(value), and would lose it: give the store an initial value, to which it returns "
          + "(create \(name) --type \(schema.type) --initial VALUE), or remove it before",
        revision: state.revision))
  }
}
