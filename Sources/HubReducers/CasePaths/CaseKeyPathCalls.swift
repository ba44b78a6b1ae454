// Owns the use of a case key path as a function and as a pattern.

extension KeyPath {
  /// Builds the enum from a payload: `let embed = \Case<Action>.volume; embed(5)`.
  public func callAsFunction<Enum: CasePathable, Payload>(_ payload: Payload) -> Enum
  where Root == Case<Enum>, Value == Case<Payload> {
    AnyCasePath(self).embed(payload)
  }

  /// Builds a case without a payload.
  public func callAsFunction<Enum: CasePathable>() -> Enum where Root == Case<Enum>, Value == Case<Void> {
    AnyCasePath(self).embed(())
  }

  /// Lets a case key path be a pattern: `case \.volume:`. A pattern of an enum's own wins, such as that of `BindingAction`.
  @_disfavoredOverload
  public static func ~= <Enum: CasePathable, Payload>(pattern: KeyPath, value: Enum) -> Bool
  where Root == Case<Enum>, Value == Case<Payload> {
    AnyCasePath(pattern).extract(from: value) != nil
  }
}
