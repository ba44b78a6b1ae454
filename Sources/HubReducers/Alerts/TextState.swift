// Owns the text of alerts and dialogs.

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
