// Owns the actions that set one property of a state, and the reducer that carries them out.

/// An action that sets one property of a state, as sent by a control of a user interface.
///
/// ```swift
/// enum Action: BindableAction {
///   case binding(BindingAction<State>)
/// }
///
/// case .binding(\.name): ...  // in a reducer, after `BindingReducer` has set it
///
/// await store.send(\.binding.name, "Ann") { $0.name = "Ann" }  // in a test
/// ```
/// ``BindingReducer`` sets the property. Names and meaning follow The Composable Architecture.
public struct BindingAction<Root>: Sendable {
  /// The property.
  public let keyPath: any PartialKeyPath<Root> & Sendable
  let value: any Sendable
  let set: @Sendable (inout Root) -> Void

  /// The action that sets a property to a value.
  public static func set<Value: Equatable & Sendable>(
    _ keyPath: any WritableKeyPath<Root, Value> & Sendable, _ value: Value
  ) -> Self {
    BindingAction(keyPath: keyPath, value: value) { $0[keyPath: keyPath] = value }
  }

  /// `case .binding(\.name):`, whatever the value.
  public static func ~= <Value>(keyPath: WritableKeyPath<Root, Value>, action: Self) -> Bool {
    action.keyPath as AnyKeyPath == keyPath
  }
}

extension BindingAction: Equatable {
  /// The same property, and an equal value.
  public static func == (lhs: Self, rhs: Self) -> Bool {
    lhs.keyPath as AnyKeyPath == rhs.keyPath && isKnownEqual(lhs.value, rhs.value)
  }
}

extension BindingAction: CustomStringConvertible, CustomReflectable {
  public var description: String { ".set(\(keyPath), \(value))" }
  public var customMirror: Mirror { Mirror(self, children: ["keyPath": keyPath, "value": value]) }
}

extension BindingAction: CasePathable {
  @dynamicMemberLookup
  public struct AllCasePaths: Sendable {
    /// The actions of one property, `\.binding.name`.
    public subscript<Value: Equatable & Sendable>(
      dynamicMember keyPath: any WritableKeyPath<Root, Value> & Sendable
    ) -> AnyCasePath<BindingAction, Value> {
      AnyCasePath(
        embed: { .set(keyPath, $0) },
        extract: { $0.keyPath as AnyKeyPath == keyPath ? $0.value as? Value : nil })
    }
  }

  public static var allCasePaths: AllCasePaths { AllCasePaths() }
}

/// An enum of actions with a case for those that set a property of the state.
public protocol BindableAction<State> {
  associatedtype State

  /// The case: `case binding(BindingAction<State>)`.
  static func binding(_ action: BindingAction<State>) -> Self

  /// The payload of the case. Cost of the default: it is found by reflection, in about a microsecond.
  var binding: BindingAction<State>? { get }
}

extension BindableAction {
  public var binding: BindingAction<State>? {
    guard let payload = Mirror(reflecting: self).children.first, payload.label == "binding" else {
      return nil
    }
    return payload.value as? BindingAction<State>
  }

  /// The action that sets a property to a value: `.set(\.name, "Ann")`.
  public static func set<Value: Equatable & Sendable>(
    _ keyPath: any WritableKeyPath<State, Value> & Sendable, _ value: Value
  ) -> Self {
    binding(.set(keyPath, value))
  }
}

/// Sets the property that a ``BindingAction`` names. List it before the reducer that reacts to the new value:
///
/// ```swift
/// var body: some ReducerOf<Self> {
///   BindingReducer()
///   Reduce { state, action in
///     switch action {
///     case .binding(\.name): ...
///     case .binding: return .none
///     }
///   }
/// }
/// ```
public struct BindingReducer<State, Action: BindableAction<State>>: Reducer {
  /// The reducer of a feature's own binding actions.
  public init() {}

  public func reduce(into state: inout State, action: Action) -> Effect<Action> {
    action.binding?.set(&state)
    return .none
  }
}
