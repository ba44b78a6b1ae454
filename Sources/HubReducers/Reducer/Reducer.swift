// Owns the protocol that every feature and every operator conforms to.

/// A feature: how its state changes with each action, and which effects follow.
///
/// Give a type either a ``body-swift.property`` made of other reducers, or ``reduce(into:action:)``. A store evaluates
/// a body once, not for every action (a `TestStore` does so again when its dependencies are changed). If a type has
/// both, the store runs the body.
/// Names and meaning follow The Composable Architecture. A reducer need not be Sendable, because it runs synchronously
/// on the isolation of its store.
///
/// A reducer that wraps another one and has `reduce(into:action:)` should also forward ``supervise(_:)`` and
/// ``supervision``. Without them it works, but the state-driven subscriptions of the wrapped reducer never start,
/// which is reported.
public protocol Reducer<State, Action> {
  associatedtype State
  associatedtype Action
  associatedtype Body

  /// Changes the state for an action and returns the effects.
  func reduce(into state: inout State, action: Action) -> Effect<Action>

  /// The reducers that this one is made of, run in order on the same state.
  @ReducerBuilder<State, Action>
  var body: Body { get }

  /// The state-driven subscriptions that should be running in `state`. Operators implement it; features do not.
  func supervise(_ state: State) -> Effect<Action>

  /// What ``supervise(_:)`` can return for this type.
  static var supervision: Supervision { get }

  /// The reducer with every body evaluated, as a store runs it. Operators that contain other reducers implement it;
  /// features do not.
  func prepared() -> PreparedReducer<State, Action>
}

/// `some ReducerOf<Self>`: a reducer of the same state and actions.
public typealias ReducerOf<R: Reducer> = Reducer<R.State, R.Action>

extension Reducer {
  @inlinable
  public func supervise(_ state: State) -> Effect<Action> { .none }

  @inlinable
  public static var supervision: Supervision { [] }

  @inlinable
  public func prepared() -> PreparedReducer<State, Action> { PreparedReducer(self, Self.supervision) }
}

extension Reducer where Body == Never {
  /// A reducer with `reduce(into:action:)` has no body, and nothing reads it.
  public var body: Never { fatalError("\(Self.self) has no body: call reduce(into:action:)") }
}

extension Reducer where Body: Reducer<State, Action> {
  @inlinable
  public func reduce(into state: inout State, action: Action) -> Effect<Action> {
    body.reduce(into: &state, action: action)
  }

  @inlinable
  public func supervise(_ state: State) -> Effect<Action> { body.supervise(state) }

  /// The type of the body is not inspected: it may be recursive. ``PreparedReducer/supervision`` knows.
  @inlinable
  public static var supervision: Supervision { [.subscriptions, .scopes] }

  @inlinable
  public func prepared() -> PreparedReducer<State, Action> {
    Bodies.evaluate(Self.self) {
      PreparedReducer.deferred(self)
    } body: {
      body.prepared()
    }
  }
}

/// What ``Reducer/supervise(_:)`` of a reducer type can return.
public struct Supervision: OptionSet, Sendable {
  public let rawValue: UInt8

  @inlinable
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  /// Subscriptions that run while a condition on the state holds.
  @inlinable
  public static var subscriptions: Supervision { Supervision(rawValue: 1) }

  /// Removable children, whose effects end with them.
  @inlinable
  public static var scopes: Supervision { Supervision(rawValue: 2) }
}
