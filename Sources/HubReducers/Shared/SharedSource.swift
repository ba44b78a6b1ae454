// Owns the sources of a `Shared`: the one copy of a value, or a part of another shared value.

import Synchronization

/// The source of a `Shared`.
protocol SharedSource<Value>: AnyObject, Sendable {
  associatedtype Value: Sendable

  /// The value to show; in a test's closure, the expected one.
  var current: Value { get }
  var status: SharedStatus { get }
  /// The state shared by copies and parts of one shared value.
  var identity: AnyObject { get }

  func change<Result, Failure: Error>(
    _ change: @escaping @Sendable (inout Value) throws(Failure) -> Result
  ) throws(Failure) -> Result

  /// Returns when all earlier changes are saved or refused.
  func saved() async throws

  /// The value once its version is not `seen`; `nil` when the task is cancelled.
  func next(after seen: Int?) async -> (value: Value, version: Int)?
}

/// The status of a shared value.
struct SharedStatus {
  var isLoading: Bool
  var loadError: (any Error)?
  var saveError: (any Error)?
}

extension SharedSource {
  /// The value to show, once it differs from the last one.
  func shown(after last: (value: Value, version: Int)?) async -> (value: Value, version: Int)? {
    var seen = last?.version
    while true {
      let next = await next(after: seen)
      // A value that was changed back before it was read counts as unchanged.
      guard let next, let last, isKnownEqual(last.value, next.value) else { return next }
      seen = next.version
    }
  }

  /// The value now, then the newest one after each change.
  var values: AsyncStream<Value> {
    let last = Mutex<(value: Value, version: Int)?>(nil)
    return AsyncStream {
      guard let next = await self.shown(after: last.withLock { $0 }) else { return nil }
      last.withLock { $0 = next }
      return next.value
    }
  }
}

/// A part of a shared value: reading and changing it reads and changes the whole.
final class SharedPart<Whole: Sendable, Value: Sendable>: SharedSource {
  private let whole: any SharedSource<Whole>
  private let read: @Sendable (Whole) -> Value
  private let write: @Sendable (inout Whole, Value) -> Void

  init(
    of whole: any SharedSource<Whole>, get: @escaping @Sendable (Whole) -> Value,
    set: @escaping @Sendable (inout Whole, Value) -> Void
  ) {
    self.whole = whole
    self.read = get
    self.write = set
  }

  var current: Value { read(whole.current) }
  var status: SharedStatus { whole.status }
  var identity: AnyObject { whole.identity }

  func change<Result, Failure: Error>(
    _ change: @escaping @Sendable (inout Value) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try whole.change { [read, write] whole throws(Failure) in
      var part = read(whole)
      let result = try change(&part)
      write(&whole, part)
      return result
    }
  }

  func saved() async throws { try await whole.saved() }

  func next(after seen: Int?) async -> (value: Value, version: Int)? {
    await whole.next(after: seen).map { (read($0.value), $0.version) }
  }
}
