// A program's handle to one store: reading and writing. `ValueStreams` follows it.

public import HubCore
internal import HubTransport

extension Hub {
  /// A handle to the store with that name. It sends no request, and the store need not exist. Keep the handle rather
  /// than making it again: it makes requests and `cached` fast.
  ///
  /// `Int` and the other integers, `Double`, `Float`, `Bool`, `String`, `[UInt8]` and `Data` are the hub's own types. `Date` is a
  /// double, seconds since 1970; `Duration` a double, seconds; `UUID` a string in lower case: other languages read and write them. An
  /// enumeration, or another type, with a raw value of one of these types is stored as the raw value; your own types can conform to `StoreValue`.
  /// Any other Codable type, including an enumeration without raw values, is stored as JSON text with sorted keys.
  ///
  /// - Parameter name: if it is invalid, every use of the handle fails with `invalidName`.
  public func value<Value: Codable & Sendable>(
    _ name: String, of type: Value.Type = Value.self
  ) -> SharedValue<Value> {
    SharedValue(place: StorePlace(self, name), codec: .best())
  }

  /// The same for a type that the hub stores natively; it costs less, because the type is known at compile time.
  @inlinable
  public func value<Value: StoreValue>(
    _ name: String, of type: Value.Type = Value.self
  ) -> SharedValue<Value> {
    SharedValue(place: StorePlace(self, name), codec: .native())
  }

  /// A handle to the store with that name, whatever its type.
  public func anyValue(_ name: String) -> SharedValue<HubValue> {
    SharedValue(place: StorePlace(self, name), codec: .identity)
  }
}

/// A value that all programs of the machine (or of the user) share: a store of the hub, with its Swift type.
public struct SharedValue<Value: Sendable>: Sendable {
  /// What `events` delivers.
  public typealias Event = ValueEvent<Value>

  @usableFromInline let place: StorePlace
  @usableFromInline let codec: ValueCodec<Value>

  @usableFromInline
  init(place: StorePlace, codec: ValueCodec<Value>) {
    self.place = place
    self.codec = codec
  }

  /// The Hub through which the store is used.
  public var hub: Hub { place.hub }

  /// The store's name.
  public var name: String { place.name }

  // MARK: Reading

  /// The value in the hub. It costs one request.
  ///
  /// - Throws: `noSuchStore`, `undecodable` if the store's value is of another type, `invalidName`, and what every
  ///   request throws.
  @inlinable
  public func get() async throws(HubError) -> Value {
    let sent = try place.get()
    await sent.wait()
    return try codec.decode(try sent.value(), of: name)
  }

  /// The value in the hub together with its revision. It costs one request.
  ///
  /// - Throws: the same as `get`.
  public func read() async throws(HubError) -> StoredValue<Value> {
    let sent = try place.get()
    await sent.wait()
    let (state, epoch) = try sent.state()
    return try stored(state, epoch)
  }

  /// The value that this program already has, without a request: from the newest event of an open stream of this
  /// value. It is nil if no stream is open, the store does not exist, or its value cannot be decoded.
  ///
  /// Reading a number or a boolean takes a few nanoseconds, on any number of threads at once, with no lock and no
  /// allocation. Reading anything else, and a handle's first read, takes the Hub's lock.
  @inlinable
  public var cached: Value? {
    switch place.glance() {
    case .absent: nil
    case .value(let value): try? codec.decode(value)
    case .elsewhere: place.ask().flatMap { try? codec.decode($0.state.value) }
    }
  }

  private func knownState() throws(HubError) -> StoredValue<Value>? {
    guard let known = place.ask() else { return nil }
    return try stored(known.state, known.epoch)
  }

  private func stored(_ state: StoreState, _ epoch: Epoch) throws(HubError) -> StoredValue<Value> {
    StoredValue(
      value: try codec.decode(state.value, of: name), revision: state.revision, epoch: epoch,
      version: state.version, time: state.time, uid: state.uid)
  }

  // MARK: Writing

  /// Sets the value; creates the store if it does not exist, unless the hub requires declarations. Setting the same
  /// value succeeds and changes nothing.
  ///
  /// - Parameters:
  ///   - condition: what must be true, or the write fails with `conflict`. After a lost connection, a write
  ///     conditional on a revision above 0 is repeated; any other fails with `outcomeUnknown`.
  ///   - lifetime: how long the value stays: `.permanent`, `.expires(after:)` or `.whileConnected`.
  ///   - force: count the same value as a change, which watchers see.
  /// - Throws: `conflict`, with the store's revision; `typeMismatch`, `outOfRange`, `notAChoice`, `tooLarge`,
  ///   `invalidValue` if the store's schema refuses the value; `undeclared`, `reserved`, `denied`, `quota`,
  ///   `invalidName`; and what every request throws.
  @discardableResult
  @inlinable
  public func set(
    _ value: Value, if condition: Condition<Value> = .always, lifetime: Hub.Lifetime = .permanent,
    force: Bool = false
  ) async throws(HubError) -> WriteResult {
    let sent = place.write(try setting(value, if: condition, lifetime, force: force))
    await sent.wait()
    return try sent.written()
  }

  @inlinable
  func setting(
    _ value: Value, if condition: Condition<Value>, _ lifetime: Hub.Lifetime = .permanent, force: Bool = false
  ) throws(HubError) -> WriteOperation {
    .set(
      try place.reference, try codec.encode(value, for: name),
      condition: try condition.encoded(codec, for: name), lifetime: lifetime, force: force)
  }

  /// Changes the value with a compare-and-set: reads it, applies `change`, and sets the result if no other process has
  /// set the value in the meantime. Otherwise it starts over with the newer value, until it succeeds, so `change` may
  /// run several times.
  ///
  ///     let seat = try await seats.update { left in
  ///       if left == 0 { throw SoldOut() }
  ///       left -= 1
  ///       return left
  ///     }
  ///
  /// - Parameters:
  ///   - initial: what to start with if there is no such store. If nil, fail with `noSuchStore`.
  ///   - change: runs on the caller's executor, under no lock. If it throws, nothing is set.
  /// - Returns: what `change` returned for the value that was set.
  /// - Throws: what `change` throws; what `read` and `set` throw; `timeout` if other processes kept changing the value
  ///   for the whole of the Hub's time-out; `outcomeUnknown` if a lost connection leaves open whether the change was
  ///   made, because nothing is ever changed twice.
  @discardableResult
  public func update<Result, Failure: Error>(
    default initial: Value? = nil, _ change: (inout Value) throws(Failure) -> Result
  ) async throws -> Result {
    let limit = hub.limit
    var known = try knownState()
    var isOvertaken = false
    while true {
      if known == nil { known = try await readIfPresent(limit, isOvertaken) }
      var value = try start(known, initial)
      let result = try change(&value)
      if try await replace(known, by: value, limit) { return result }
      (known, isOvertaken) = (nil, true)
    }
  }

  /// The same with a `change` that cannot fail: all errors come from the hub.
  @discardableResult
  public func update<Result>(
    default initial: Value? = nil, _ change: (inout Value) -> Result
  ) async throws(HubError) -> Result {
    let limit = hub.limit
    // The newest value of a stream saves a request.
    var known = try knownState()
    var isOvertaken = false
    while true {
      if known == nil { known = try await readIfPresent(limit, isOvertaken) }
      var value = try start(known, initial)
      let result = change(&value)
      if try await replace(known, by: value, limit) { return result }
      (known, isOvertaken) = (nil, true)
    }
  }

  private func start(_ known: StoredValue<Value>?, _ initial: Value?) throws(HubError) -> Value {
    if let value = known?.value ?? initial { return value }
    throw HubError(
      .noSuchStore, store: name, "there is no such store: give update a default, or set it first")
  }

  /// - Returns: false if it is no longer `known`.
  private func replace(
    _ known: StoredValue<Value>?, by value: Value, _ limit: Deadline
  ) async throws(HubError) -> Bool {
    let condition: Condition<Value> = known.map { .unchanged(since: $0) } ?? .absent
    let operation = try setting(value, if: condition)
    do throws(HubError) {
      _ = try await hub.write(operation, until: limit)
      return true
    } catch  where error.code == .conflict {
      return false
    }
  }

  /// - Parameter isOvertaken: an earlier attempt failed because another program's change came first.
  private func readIfPresent(
    _ limit: Deadline, _ isOvertaken: Bool
  ) async throws(HubError) -> StoredValue<Value>? {
    do throws(HubError) {
      let sent = hub.send(.get(try place.reference), until: limit)
      await sent.wait()
      let (state, epoch) = try sent.state()
      return try stored(state, epoch)
    } catch  where error.code == .noSuchStore {
      return nil
    } catch  where error.code == .timeout && isOvertaken {
      throw HubError(
        .timeout, store: name, "other programs changed the value during every attempt: \(error.message)")
    }
  }

  /// Sets the store to the initial value of its schema.
  ///
  /// - Returns: that value.
  /// - Throws: `noSuchStore`, `noInitialValue`, and what every request throws. Never repeated after a lost connection.
  @discardableResult
  public func reset() async throws(HubError) -> Value {
    try await resulting(.reset(place.reference))
  }

  /// Removes the store. Its watches stay open, and report it when it is created again.
  ///
  /// - Parameter condition: `.unchanged(since:)` or `.revision`, else it fails with `conflict`; the hub has no other conditions for a
  ///   removal.
  /// - Throws: `noSuchStore`, `conflict`, `declared`, `invalidValue` for another condition, and what every request throws.
  @discardableResult
  public func remove(if condition: Condition<Value> = .always) async throws(HubError) -> WriteResult {
    try await hub.write(try removing(if: condition))
  }

  func removing(if condition: Condition<Value>) throws(HubError) -> WriteOperation {
    switch condition {
    case .always, .revision:
      return .remove(try place.reference, condition: try condition.encoded(codec, for: name))
    case .absent, .value:
      throw HubError(
        .invalidValue, store: name, "a removal can be conditional only on a revision: use .unchanged(since:)")
    }
  }

  /// Writes, and decodes the value that the hub made of it.
  ///
  /// - Parameter initial: the value to create the store with if it does not exist.
  func resulting(_ operation: WriteOperation, default initial: Value? = nil) async throws(HubError) -> Value {
    let limit = hub.limit
    while true {
      do throws(HubError) {
        return try result(try await hub.write(operation, until: limit))
      } catch  where error.code == .noSuchStore {
        guard let initial else { throw error }
        let creation = try setting(initial, if: .absent)
        do throws(HubError) {
          let answer = try await hub.perform(.transaction([creation, operation]), until: limit)
          guard case .committed(_, let results) = answer.reply, results.count == 2 else {
            throw Hub.unexpected(answer)
          }
          return try result(results[1])
        } catch  where error.code == .conflict {
          // Another program has created it in the meantime.
        }
      }
    }
  }

  private func result(_ written: WriteResult) throws(HubError) -> Value {
    guard let value = written.value else {
      throw HubError(.protocolViolation, store: name, "the hub did not report the value afterwards")
    }
    return try codec.decode(value, of: name)
  }
}

extension SharedValue where Value: StoreValue & Numeric {
  /// Adds to the number in the hub, in one request, however many processes add at the same time.
  ///
  /// - Parameters:
  ///   - initial: what to add to if there is no such store; both happen in one transaction. If nil, fail with
  ///     `noSuchStore`.
  ///   - clamp: stop at the schema's bound instead of failing.
  /// - Returns: the sum.
  /// - Throws: `noSuchStore`, `outOfRange`, `overflow`, `typeMismatch`, and what every request throws; with a default, what `set`
  ///   throws. Never repeated: if the connection is lost it fails with `outcomeUnknown`.
  @discardableResult
  public func add(
    _ delta: Value, default initial: Value? = nil, clamp: Bool = false
  ) async throws(HubError) -> Value {
    try await resulting(
      .add(place.reference, codec.encode(delta, for: name), clamp: clamp), default: initial)
  }
}

extension SharedValue where Value == Bool {
  /// Turns true into false and false into true in the hub, in one request.
  ///
  /// - Parameter initial: what to invert if there is no such store; both happen in one transaction. If nil, fail with
  ///   `noSuchStore`.
  /// - Returns: the value afterwards.
  /// - Throws: `noSuchStore`, `typeMismatch`, and what every request throws; with a default, what `set` throws. Never repeated: if
  ///   the connection is lost it fails with `outcomeUnknown`.
  @discardableResult
  public func toggle(default initial: Bool? = nil) async throws(HubError) -> Bool {
    try await resulting(.toggle(place.reference), default: initial)
  }
}
