// Owns sharing a part of a shared value.

extension Shared {
  /// A member of the value, shared: `$settings.name` is a `Shared<String>`.
  ///
  /// Changing it changes the whole, and no change of another member is lost.
  public subscript<Member: Sendable>(
    dynamicMember keyPath: any WritableKeyPath<Value, Member> & Sendable
  ) -> Shared<Member> {
    Shared<Member>(
      source: SharedPart(of: source, get: { $0[keyPath: keyPath] }, set: { $0[keyPath: keyPath] = $1 }))
  }

  /// A member of the value that cannot be changed, shared.
  @_disfavoredOverload
  public subscript<Member: Sendable>(
    dynamicMember keyPath: any KeyPath<Value, Member> & Sendable
  ) -> SharedReader<Member> {
    SharedReader(self)[dynamicMember: keyPath]
  }

  /// What an optional shared value holds, shared; `nil` if it holds nothing. Once it holds nothing, this one keeps showing the
  /// value it was made with, and what is written to it is dropped.
  public init?(_ base: Shared<Value?>) {
    guard let present = base.source.current else { return nil }
    self.init(
      source: SharedPart(
        of: base.source, get: { $0 ?? present },
        set: { whole, value in
          if whole != nil { whole = value }
        }))
  }
}
