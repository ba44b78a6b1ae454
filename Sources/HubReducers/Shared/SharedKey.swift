// Owns the protocol of places where a shared value can live.

/// Names a value that several parts of a program share, and says how to reach it where it lives.
///
/// Equal keys are one value. Conform to it to share values through something new; `.hub` and `.inMemory` are
/// there already.
public protocol SharedKey<Value>: Hashable, Sendable {
  associatedtype Value: Sendable

  /// Reports the value where it lives, now and whenever it changes, for as long as anybody shares it. The task
  /// is cancelled when nobody does any more. A key whose values live in this process returns at once.
  func follow(_ report: @escaping @Sendable (SharedReport<Value>) async -> Void) async

  /// Changes the value where it lives, and returns what is there then. Saves of one value come one after the other.
  ///
  /// - Parameters:
  ///   - change: A pure function; it may be called again if somebody else changed the value meanwhile.
  ///   - known: What is believed to be there: what was reported or saved last.
  ///   - initial: What to begin with if there is nothing.
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

/// A value, and where it stands in the history of its home.
public struct SharedSnapshot<Value: Sendable>: Sendable {
  public var value: Value

  /// `nil`: the home keeps no history, or the place is not known. What is told last counts then.
  public var bookmark: Bookmark?

  public init(_ value: Value, _ bookmark: Bookmark? = nil) {
    self.value = value
    self.bookmark = bookmark
  }
}

/// What a key reports about its value.
public enum SharedReport<Value: Sendable>: Sendable {
  /// The value is this. One that is older than what a save has returned already is passed over.
  case value(Value, Bookmark? = nil)

  /// There is no value; the initial one stands in for it.
  case absent(Bookmark? = nil)

  /// The value is not known yet, or not known any more.
  case loading

  /// The value cannot be followed, for now or for good.
  case failed(any Error)
}

extension SharedKey {
  public static var livesInProcess: Bool { false }
  public var leavesProcess: Bool { false }
}
