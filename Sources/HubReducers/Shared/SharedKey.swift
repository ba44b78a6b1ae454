// Owns the protocol of places where a shared value can live.

public import HubCore

/// Names a value that several parts of a program share, and says how to reach it where it lives.
///
/// Equal keys are one value. Conform to it to share values through something new; `.hub` and `.inMemory` are
/// there already.
public protocol SharedKey<Value>: Hashable, Sendable {
  associatedtype Value: Sendable

  /// Reports the value at its source, now and whenever it changes, as long as anything shares it; then the task is
  /// cancelled. A key whose values live in this process returns at once.
  func follow(_ report: @escaping @Sendable (SharedReport<Value>) async -> Void) async

  /// Changes the value at its source, and returns the result. Saves of one value come one after the other. While the source
  /// is away it waits.
  ///
  /// - Parameters:
  ///   - change: A pure function, of one change or of several; it may be called again if the value was changed meanwhile.
  ///   - known: The last known value: reported or saved.
  ///   - initial: The value to start from if there is none.
  /// - Throws: Why the value was not changed.
  func save(
    _ change: @escaping @Sendable (inout Value) -> Void, over known: SharedSnapshot<Value>,
    initial: Value
  ) async throws -> SharedSnapshot<Value>

  /// Whether this process is where the values live, so that a change is final at once. By default not.
  static var livesInProcess: Bool { get }

  /// Whether following and saving wait for another process. Then they do not run on the executor of a test store,
  /// which runs only while the test uses it, and a test store waits for them. By default not.
  var leavesProcess: Bool { get }
}

/// A value, and its position in the history of its source.
public struct SharedSnapshot<Value: Sendable>: Sendable {
  /// The value at the source.
  public var value: Value

  /// `nil`: the source keeps no history, or the position is unknown. Then the last report counts.
  public var bookmark: Bookmark?

  /// A value, with its position in the source's history if that is known.
  public init(_ value: Value, _ bookmark: Bookmark? = nil) {
    self.value = value
    self.bookmark = bookmark
  }
}

/// What a key reports about its value.
public enum SharedReport<Value: Sendable>: Sendable {
  /// The value is this. One that is older than what a save has returned is ignored.
  case value(Value, Bookmark? = nil)

  /// There is no value; the initial one replaces it.
  case absent(Bookmark? = nil)

  /// The value is not known yet, or not known any more.
  case loading

  /// The value cannot be followed, for now or for good.
  case failed(any Error)

  /// The value's source cannot be reached for now, and the value stays as it is. `nil`: it can be reached again.
  case unreachable((any Error)?)
}

extension SharedKey {
  public static var livesInProcess: Bool { false }
  public var leavesProcess: Bool { false }
}
