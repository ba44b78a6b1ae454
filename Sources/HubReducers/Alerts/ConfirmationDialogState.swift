// Owns the state of a confirmation dialog, as plain data.

public import FoundationEssentials

/// A dialog that a feature presents: a choice of buttons. It is used like an ``AlertState``.
public struct ConfirmationDialogState<Action>: Identifiable {
  /// Distinguishes dialogs; equality ignores it.
  public let id: UUID
  public var title: TextState
  public var titleVisibility: ConfirmationDialogStateTitleVisibility
  public var message: TextState?
  public var buttons: [ButtonState<Action>]

  /// A dialog; without buttons, a user interface shows one that closes it.
  public init(
    titleVisibility: ConfirmationDialogStateTitleVisibility = .automatic, title: () -> TextState,
    @ButtonStateBuilder<Action> actions: () -> [ButtonState<Action>] = { [] },
    message: (() -> TextState)? = nil
  ) {
    id = UUID()
    self.title = title()
    self.titleVisibility = titleVisibility
    self.message = message?()
    buttons = actions()
  }

  private init<Old>(_ other: ConfirmationDialogState<Old>, _ buttons: [ButtonState<Action>]) {
    (id, title, titleVisibility, message) = (other.id, other.title, other.titleVisibility, other.message)
    self.buttons = buttons
  }

  /// The same dialog with other actions.
  public func map<NewAction>(_ transform: (Action?) -> NewAction?) -> ConfirmationDialogState<NewAction> {
    ConfirmationDialogState<NewAction>(self, buttons.map { $0.map(transform) })
  }
}

extension ConfirmationDialogState: Sendable where Action: Sendable {}

extension ConfirmationDialogState: Equatable where Action: Equatable {
  public static func == (lhs: Self, rhs: Self) -> Bool {
    lhs.title == rhs.title && lhs.titleVisibility == rhs.titleVisibility && lhs.message == rhs.message
      && lhs.buttons == rhs.buttons
  }
}

extension ConfirmationDialogState: Hashable where Action: Hashable {
  public func hash(into hasher: inout Hasher) {
    hasher.combine(title)
    hasher.combine(titleVisibility)
    hasher.combine(message)
    hasher.combine(buttons)
  }
}

extension ConfirmationDialogState: CustomReflectable {
  public var customMirror: Mirror {
    Mirror(
      self, children: ["title": title, "message": message as Any, "buttons": buttons], displayStyle: .struct)
  }
}

/// Whether a dialog shows its title.
public enum ConfirmationDialogStateTitleVisibility: Hashable, Sendable {
  case automatic, hidden, visible
}
