// Owns the state of an alert, as plain data.

public import FoundationEssentials

/// An alert that a feature presents: a title, a message and buttons.
///
/// ```swift
/// @Presents var alert: AlertState<Action.Alert>?
///
/// state.alert = AlertState {
///   TextState("Delete the file?")
/// } actions: {
///   ButtonState(role: .destructive, action: .deleteConfirmed) { TextState("Delete") }
///   ButtonState(role: .cancel) { TextState("Cancel") }
/// }
///
/// .ifLet(\.$alert, action: \.alert)
/// ```
/// Any of its actions closes it, unless the feature presents another one while it handles the action. Names and meaning
/// follow The Composable Architecture.
public struct AlertState<Action>: Identifiable {
  /// Distinguishes alerts; equality ignores it.
  public let id: UUID
  public var title: TextState
  public var message: TextState?
  public var buttons: [ButtonState<Action>]

  /// An alert; without buttons, a user interface shows one that closes it.
  public init(
    title: () -> TextState, @ButtonStateBuilder<Action> actions: () -> [ButtonState<Action>] = { [] },
    message: (() -> TextState)? = nil
  ) {
    id = UUID()
    self.title = title()
    self.message = message?()
    buttons = actions()
  }

  private init<Old>(_ other: AlertState<Old>, _ buttons: [ButtonState<Action>]) {
    (id, title, message, self.buttons) = (other.id, other.title, other.message, buttons)
  }

  /// The same alert with other actions.
  public func map<NewAction>(_ transform: (Action?) -> NewAction?) -> AlertState<NewAction> {
    AlertState<NewAction>(self, buttons.map { $0.map(transform) })
  }
}

extension AlertState: Sendable where Action: Sendable {}

extension AlertState: Equatable where Action: Equatable {
  public static func == (lhs: Self, rhs: Self) -> Bool {
    lhs.title == rhs.title && lhs.message == rhs.message && lhs.buttons == rhs.buttons
  }
}

extension AlertState: Hashable where Action: Hashable {
  public func hash(into hasher: inout Hasher) {
    hasher.combine(title)
    hasher.combine(message)
    hasher.combine(buttons)
  }
}

extension AlertState: CustomReflectable {
  public var customMirror: Mirror {
    Mirror(
      self, children: ["title": title, "message": message as Any, "buttons": buttons], displayStyle: .struct)
  }
}
