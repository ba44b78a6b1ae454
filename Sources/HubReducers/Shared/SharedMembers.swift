// Owns shared parts of shared values.

extension Shared {
  /// A member of the value, shared: `$settings.name` is a `Shared<String>`.
  ///
  /// Changing it changes the whole value, without losing changes of other members.
  public subscript<Member: Sendable>(
    dynamicMember keyPath: any WritableKeyPath<Value, Member> & Sendable
  ) -> Shared<Member> {
    Shared<Member>(
      source: SharedPart(of: source, get: { $0[keyPath: keyPath] }, set: { $0[keyPath: keyPath] = $1 }))
  }

  /// A read-only member of the value, shared.
  @_disfavoredOverload
  public subscript<Member: Sendable>(
    dynamicMember keyPath: any KeyPath<Value, Member> & Sendable
  ) -> SharedReader<Member> {
    SharedReader(self)[dynamicMember: keyPath]
  }

  /// The content of an optional shared value, shared; `nil` if there is none. Once the content is gone, this keeps its
  /// first value and drops writes.
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

extension Shared {
  /// The elements of the value, each shared: `for row in $rows.elements`.
  ///
  /// Each refers to an index. Once there is no element at that index, it keeps its first value and drops writes.
  public func elements<Element: Sendable>() -> [Shared<Element>] where Value == [Element] {
    source.current.enumerated().map { index, element in
      part(element, get: { $0.indices.contains(index) ? $0[index] : nil }, set: { $0[index] = $1 })
    }
  }

  /// The elements of the value, each shared. Each refers to an id, at any position.
  public func elements<ID: Hashable & Sendable, Element: Sendable>() -> [Shared<Element>]
  where Value == IdentifiedArray<ID, Element> {
    zip(source.current.ids, source.current).map { id, element in
      part(element, get: { $0[id: id] }, set: { $0[id: id] = $1 })
    }
  }

  private func part<Element: Sendable>(
    _ present: Element, get: @escaping @Sendable (Value) -> Element?,
    set: @escaping @Sendable (inout Value, Element) -> Void
  ) -> Shared<Element> {
    Shared<Element>(
      source: SharedPart(
        of: source, get: { get($0) ?? present },
        set: { whole, element in
          if get(whole) != nil { set(&whole, element) }
        }))
  }
}
