// Owns the property wrapper for values that are stored elsewhere and read like local ones.

/// A value shared with other parts of the program, or, through the hub, with other programs.
///
/// ```swift
/// struct State: Equatable {
///   @Shared(.hub("number")) var number = 0
/// }
///
/// // In a reducer: shown immediately, and written through the hub.
/// state.number = 5
///
/// // Concurrent writes by others are not lost.
/// state.$number.withLock { $0 += 1 }
///
/// // Why the last write was refused; the value has returned to the hub's.
/// if let error = state.$number.saveError { print(error) }
/// ```
/// It is a reference: copies share the value. Observation tracks reads, and reports a change on the thread that made
/// it; ``values`` is a sequence. Changes by others do not send an action: to react to them in a reducer, subscribe to
/// ``values`` or to the store itself.
/// Idea: Point-Free's swift-sharing.
@propertyWrapper
@dynamicMemberLookup
public struct Shared<Value: Sendable>: Sendable {
  let source: any SharedSource<Value>

  init(source: any SharedSource<Value>) { self.source = source }

  /// The value of a key. `wrappedValue` is its default.
  public init(wrappedValue: @autoclosure () -> Value, _ key: some SharedKey<Value>) {
    @Dependency(SharedReferences.self) var references
    source = references.reference(key, initial: wrappedValue)
  }

  /// The value of a key, with its own default.
  public init<Base: SharedKey>(wrappedValue: @autoclosure () -> Value, _ key: _SharedKeyDefault<Base>)
  where Base.Value == Value {
    self.init(wrappedValue: wrappedValue(), key.base)
  }

  /// The value of a key with a default.
  public init<Base: SharedKey>(_ key: _SharedKeyDefault<Base>) where Base.Value == Value {
    self.init(wrappedValue: key.value(), key.base)
  }

  /// A value shared only by copies of this wrapper.
  public init(value: Value) { source = SharedReference(InMemoryKey(""), initial: value) }

  /// The value of a key once its source has reported one, for values without a default.
  /// - Throws: The reason why it cannot be followed; ``SharedValueMissing`` if there is no value; `CancellationError`.
  public init(require key: some SharedKey<Value>) async throws {
    let (reports, input) = AsyncStream<SharedReport<Value>>.makeStream()
    async let _ = { @Sendable in
      await key.follow { input.yield($0) }
      input.finish()
    }()
    for await report in reports {
      switch report {
      case .value(let value, _):
        self.init(wrappedValue: value, key)
        return
      case .absent: throw SharedValueMissing(key: "\(key)")
      case .failed(let error): throw error
      case .loading, .unreachable: continue
      }
    }
    try Task.checkCancellation()
    throw SharedValueMissing(key: "\(key)")
  }

  /// The newest known value; setting it replaces the current one.
  public var wrappedValue: Value {
    get { source.current }
    nonmutating set { withLock { $0 = newValue } }
  }

  /// The reference itself. Setting it makes the property refer to another value: `$x = try await Shared(require:
  /// key)`.
  public var projectedValue: Shared {
    get { self }
    set { self = newValue }
  }

  /// Changes the value.
  ///
  ///     let isSold = state.$seats.withLock { seats in
  ///       defer { seats = max(0, seats - 1) }
  ///       return seats > 0
  ///     }
  ///
  /// - Parameter change: A pure function. It runs without a lock, and runs again if another change came first, here or
  ///   at the source, so no change is lost. If it throws, nothing changes, even if only the run on the source's newer
  ///   value throws.
  /// - Returns: The result of `change` for the current value. For a value in memory it is final; another source may
  ///   have a newer value.
  /// - Throws: What `change` throws.
  @discardableResult
  public func withLock<Result, Failure: Error>(
    _ change: @escaping @Sendable (inout Value) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try source.change(change)
  }

  /// Whether the value's source has not reported the value yet.
  public var isLoading: Bool { source.status.isLoading }

  /// Why the value cannot be followed; `nil` again once it can. While the hub is away the value stays as it is; writes
  /// are shown, kept, and saved as one change when the hub is back.
  public var loadError: (any Error)? { source.status.loadError }

  /// Why the last write was refused; `nil` again after a successful one.
  public var saveError: (any Error)? { source.status.saveError }

  /// Waits until all writes so far are saved.
  /// - Throws: The reason why the last write was refused; `CancellationError`.
  public func save() async throws { try await source.saved() }

  /// The current value, then the newest one after each change, for as long as the value is shared.
  ///
  /// A slow reader may skip values, but never the last. An Equatable value is never repeated: confirming a value that
  /// is already shown is not a change, nor is a refused value that was reverted before it was read.
  public var values: AsyncStream<Value> { source.values }
}

extension Shared {
  /// The value shared by copies of this wrapper and others with the same key.
  package var identity: AnyObject { source.identity }
}

/// Thrown by ``Shared/init(require:)`` where there is no value.
public struct SharedValueMissing: Error, Hashable {
  /// The key's description.
  public var key: String
}

extension Shared: Equatable where Value: Equatable {
  public static func == (lhs: Self, rhs: Self) -> Bool {
    lhs.source === rhs.source || lhs.wrappedValue == rhs.wrappedValue
  }
}

extension Shared: Hashable where Value: Hashable {
  public func hash(into hasher: inout Hasher) { hasher.combine(wrappedValue) }
}

extension Shared: CustomReflectable, CustomStringConvertible {
  public var description: String { "#\(wrappedValue)" }
  public var customMirror: Mirror { Mirror(reflecting: wrappedValue) }
}
