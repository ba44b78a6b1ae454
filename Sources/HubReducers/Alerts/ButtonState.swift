// Owns the buttons and texts of alerts and dialogs.

/// A button of an ``AlertState`` or a ``ConfirmationDialogState``.
public struct ButtonState<Action> {
  /// What it sends.
  public var action: ButtonStateAction<Action>
  /// Its text.
  public var label: TextState
  /// Its role, such as a cancelling or a destructive one; nil: none.
  public var role: ButtonStateRole?

  /// A button that only closes the alert, or also sends the action of `.send`.
  public init(
    role: ButtonStateRole? = nil, action: ButtonStateAction<Action> = .send(nil), label: () -> TextState
  ) {
    (self.role, self.action, self.label) = (role, action, label())
  }

  /// A button that sends an action.
  public init(role: ButtonStateRole? = nil, action: Action, label: () -> TextState) {
    self.init(role: role, action: .send(action), label: label)
  }

  /// Calls `perform` with the button's action, nil if it only closes the alert.
  public func withAction(_ perform: (Action?) -> Void) {
    switch action {
    case .send(let action): perform(action)
    }
  }

  /// The same button with another action.
  public func map<NewAction>(_ transform: (Action?) -> NewAction?) -> ButtonState<NewAction> {
    switch action {
    case .send(let action): ButtonState<NewAction>(role: role, action: .send(transform(action))) { label }
    }
  }
}

/// What a button sends.
public enum ButtonStateAction<Action> {
  /// The action; nil: the button only closes the alert.
  case send(Action?)
}

/// What a button means.
public enum ButtonStateRole: Hashable, Sendable {
  case cancel, destructive
}

/// Collects the buttons of an alert or a dialog.
@resultBuilder
public enum ButtonStateBuilder<Action> {
  public static func buildExpression(_ button: ButtonState<Action>) -> [ButtonState<Action>] { [button] }
  public static func buildBlock(_ parts: [ButtonState<Action>]...) -> [ButtonState<Action>] {
    parts.flatMap { $0 }
  }
  public static func buildArray(_ parts: [[ButtonState<Action>]]) -> [ButtonState<Action>] {
    parts.flatMap { $0 }
  }
  public static func buildOptional(_ part: [ButtonState<Action>]?) -> [ButtonState<Action>] { part ?? [] }
  public static func buildEither(first part: [ButtonState<Action>]) -> [ButtonState<Action>] { part }
  public static func buildEither(second part: [ButtonState<Action>]) -> [ButtonState<Action>] { part }
}

extension ButtonState: Sendable where Action: Sendable {}
extension ButtonState: Equatable where Action: Equatable {}
extension ButtonState: Hashable where Action: Hashable {}
extension ButtonStateAction: Sendable where Action: Sendable {}
extension ButtonStateAction: Equatable where Action: Equatable {}
extension ButtonStateAction: Hashable where Action: Hashable {}

/// A text that a state holds and a user interface shows. Here it is plain: no translations, no styles.
public struct TextState: Hashable, Sendable, CustomStringConvertible {
  public let description: String

  /// A text.
  public init(_ text: some StringProtocol) { description = String(text) }

  /// The same: there is nothing to translate.
  public init(verbatim text: String) { description = text }

  public static func + (lhs: Self, rhs: Self) -> Self { Self(lhs.description + rhs.description) }
}

extension String {
  /// The text itself.
  public init(state: TextState) { self = state.description }
}
