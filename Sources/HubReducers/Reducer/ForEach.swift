// Owns `forEach`: a child for every element of a collection.

extension Reducer {
  /// Runs a child on one element of a collection, addressed by id. The child runs first, so this reducer may remove
  /// the element in the same action.
  ///
  /// When an element is removed, all its effects and subscriptions end. An action for a missing id is reported as an issue.
  /// Cost: finding the element is linear.
  @_disfavoredOverload
  @warn_unqualified_access
  public func forEach<Elements: MutableCollection, ElementAction, Element>(
    _ elements: WritableKeyPath<State, Elements>,
    action: CaseKeyPath<Action, IdentifiedAction<Elements.Element.ID, ElementAction>>,
    @ReducerBuilder<Elements.Element, ElementAction> element: () -> Element,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line,
    column: UInt = #column
  ) -> _ForEachReducer<Self, Elements, Elements.Element.ID, Element>
  where
    Element: Reducer<Elements.Element, ElementAction>, Elements.Element: Identifiable,
    Elements.Element.ID: Sendable
  {
    _ForEachReducer(
      base: self, element: element(), elements: elements, action: AnyCasePath(action),
      group: ScopeGroup(action), ids: { $0.map(\.id) },
      index: { elements, id in elements.firstIndex { $0.id == id } },
      site: IssueSite(fileID, filePath, line, column))
  }

  /// The same for elements that are identified by a property.
  @warn_unqualified_access
  public func forEach<Elements: MutableCollection, ID: Hashable & Sendable, ElementAction, Element>(
    _ elements: WritableKeyPath<State, Elements>, id: KeyPath<Elements.Element, ID>,
    action: CaseKeyPath<Action, IdentifiedAction<ID, ElementAction>>,
    @ReducerBuilder<Elements.Element, ElementAction> element: () -> Element,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line,
    column: UInt = #column
  ) -> _ForEachReducer<Self, Elements, ID, Element>
  where Element: Reducer<Elements.Element, ElementAction> {
    _ForEachReducer(
      base: self, element: element(), elements: elements, action: AnyCasePath(action),
      group: ScopeGroup(action), ids: { $0.map { $0[keyPath: id] } },
      index: { elements, wanted in elements.firstIndex { $0[keyPath: id] == wanted } },
      site: IssueSite(fileID, filePath, line, column))
  }

  /// The same for an identified array, where finding the element takes constant time.
  @warn_unqualified_access
  public func forEach<ID: Hashable & Sendable, ElementState, ElementAction, Element>(
    _ elements: WritableKeyPath<State, IdentifiedArray<ID, ElementState>>,
    action: CaseKeyPath<Action, IdentifiedAction<ID, ElementAction>>,
    @ReducerBuilder<ElementState, ElementAction> element: () -> Element,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line,
    column: UInt = #column
  ) -> _ForEachReducer<Self, IdentifiedArray<ID, ElementState>, ID, Element>
  where Element: Reducer<ElementState, ElementAction> {
    _ForEachReducer(
      base: self, element: element(), elements: elements, action: AnyCasePath(action),
      group: ScopeGroup(action), ids: { $0.ids },
      index: { $0.index(id: $1) }, site: IssueSite(fileID, filePath, line, column))
  }
}

/// A base reducer and a child for each element of a collection.
public struct _ForEachReducer<Base: Reducer, Elements: MutableCollection, ID, Element: Reducer>:
  CompositeReducer
where ID: Hashable & Sendable, Element.State == Elements.Element {
  let base: Base
  let element: Element
  let elements: WritableKeyPath<Base.State, Elements>
  let action: AnyCasePath<Base.Action, IdentifiedAction<ID, Element.Action>>
  let group: ScopeGroup
  let ids: (Elements) -> [ID]
  let index: (Elements, ID) -> Elements.Index?
  /// The action by which an effect of an element dismisses it, if it is presented.
  var dismissal: (@Sendable (ID) -> Base.Action)?
  let site: IssueSite

  public func prepared() -> PreparedReducer<Base.State, Base.Action> {
    let (elements, action, ids, index) = (elements, action, ids, index)
    let children = Children<Base.State, Base.Action, ID, Element.State, Element.Action>(
      group: group, site: site, ids: { ids($0[keyPath: elements]) }, states: { Array($0[keyPath: elements]) },
      recipient: { sent, _ in
        guard case .element(let id, let action) = action.extract(from: sent) else { return nil }
        return (id, action)
      },
      reduce: { state, id, reduce in
        index(state[keyPath: elements], id).map { reduce(&state[keyPath: elements][$0]) }
      },
      embed: { action.embed(.element(id: $0, action: $1)) }, dismissal: dismissal,
      absence: { "there is no element with the id \($0.map { "\($0)" } ?? "")" })
    return PreparedReducer(base.prepared(), element.prepared(), children)
  }
}
