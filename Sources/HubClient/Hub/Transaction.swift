// Several writes as one: collects them and sends them together.

public import HubCore

extension Hub {
  /// Makes several writes as one change, with one revision: all or none of them.
  ///
  ///     try await hub.transaction {
  ///       $0.add(-10, to: savings)
  ///       $0.add(10, to: cash)
  ///     }
  /// - Parameter build: collects the writes, synchronously and in order; a store may be written several times.
  /// - Returns: the transaction's revision, and what each write did, in order.
  /// - Throws: the error of the write that failed, with its index in `operation`; and what every request throws. The
  ///   transaction is repeated after a lost connection only if each of its writes is conditional on a revision above
  ///   0.
  @discardableResult
  public func transaction(
    _ build: (inout Transaction) -> Void
  ) async throws(HubError) -> (revision: Revision, results: [WriteResult]) {
    var transaction = Transaction()
    build(&transaction)
    let answer = try await perform(.transaction(transaction.operations.get()))
    guard case .committed(let revision, let results) = answer.reply else { throw Hub.unexpected(answer) }
    return (revision, results)
  }
}

/// The writes of a transaction under construction. A value that cannot be encoded, or an invalid name, makes the whole
/// transaction fail.
public struct Transaction: Sendable {
  private(set) var operations: Result<[WriteOperation], HubError> = .success([])

  private mutating func append(_ operation: () throws(HubError) -> WriteOperation) {
    guard case .success(var list) = operations else { return }
    // Otherwise the list would have two owners, and every write would copy it.
    operations = .success([])
    do throws(HubError) {
      list.append(try operation())
      operations = .success(list)
    } catch {
      var error = error
      error.operation = list.count
      operations = .failure(error)
    }
  }

  /// As `SharedValue.set`.
  public mutating func set<Value>(
    _ store: SharedValue<Value>, to value: Value, if condition: Condition<Value> = .always,
    lifetime: Hub.Lifetime = .permanent, force: Bool = false
  ) {
    append { () throws(HubError) in try store.setting(value, if: condition, lifetime, force: force) }
  }

  /// As `SharedValue.add`.
  public mutating func add<Value: StoreValue & Numeric>(
    _ delta: Value, to store: SharedValue<Value>, clamp: Bool = false
  ) {
    append { () throws(HubError) in
      .add(try store.place.reference, try store.codec.encode(delta, for: store.name), clamp: clamp)
    }
  }

  /// As `SharedValue.toggle`.
  public mutating func toggle(_ store: SharedValue<Bool>) {
    append { () throws(HubError) in .toggle(try store.place.reference) }
  }

  /// As `SharedValue.reset`.
  public mutating func reset<Value>(_ store: SharedValue<Value>) {
    append { () throws(HubError) in .reset(try store.place.reference) }
  }

  /// As `SharedValue.remove`.
  public mutating func remove<Value>(_ store: SharedValue<Value>, if condition: Condition<Value> = .always) {
    append { () throws(HubError) in try store.removing(if: condition) }
  }

  /// As `Hub.create`.
  public mutating func create(_ name: String, _ schema: Schema, ifAbsent: Bool = false) {
    append { () throws(HubError) in .create(try StoreName(name), schema, ifAbsent: ifAbsent) }
  }
}
