// Owns `forEach` on a stack: a child for every element, and the changes of the stack that actions ask for.

extension Reducer {
  /// Runs a child on one element of a stack, addressed by id. The child runs before this reducer.
  ///
  /// `.push(id:state:)` puts an element on top before this reducer runs. `.popFrom(id:)` removes an element and those
  /// above it after this reducer has run; an element's effects request this with the dependency `dismiss`. When an
  /// element is removed, all its effects and subscriptions end. An action for a missing element, or pushing an id that
  /// is already on the stack, is reported as an issue.
  @warn_unqualified_access
  public func forEach<ElementState, ElementAction, Element: Reducer<ElementState, ElementAction>>(
    _ stack: WritableKeyPath<State, StackState<ElementState>>,
    action: CaseKeyPath<Action, StackAction<ElementState, ElementAction>>,
    @ReducerBuilder<ElementState, ElementAction> destination element: () -> Element,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line,
    column: UInt = #column
  ) -> some ReducerOf<Self> {
    stacking(element(), stack, action, IssueSite(fileID, filePath, line, column))
  }

  func stacking<ElementState, ElementAction, Element: Reducer<ElementState, ElementAction>>(
    _ element: Element, _ stack: WritableKeyPath<State, StackState<ElementState>>,
    _ action: CaseKeyPath<Action, StackAction<ElementState, ElementAction>>, _ site: IssueSite
  ) -> some ReducerOf<Self> {
    StackReducer(base: self, element: element, stack: stack, action: action, site: site)
  }
}

/// A base reducer and a child for each element of a stack. `.push` is executed before and `.popFrom` after the base reducer.
struct StackReducer<Base: Reducer, Element: Reducer>: CompositeReducer {
  let base: Base
  let element: Element
  let stack: WritableKeyPath<Base.State, StackState<Element.State>>
  let action: CaseKeyPath<Base.Action, StackAction<Element.State, Element.Action>>
  let site: IssueSite

  func prepared() -> PreparedReducer<Base.State, Base.Action> {
    let (stack, path) = (stack, AnyCasePath(action))
    let children = Children<Base.State, Base.Action, StackElementID, Element.State, Element.Action>(
      group: ScopeGroup(action), site: site, ids: { $0[keyPath: stack].ids },
      states: { Array($0[keyPath: stack]) },
      recipient: { action, _ in
        guard case .element(let id, let action) = path.extract(from: action) else { return nil }
        return (id, action)
      },
      reduce: { state, id, reduce in
        state[keyPath: stack].index(id: id).map { reduce(&state[keyPath: stack][$0]) }
      },
      embed: { path.embed(.element(id: $0, action: $1)) }, dismissal: { path.embed(.popFrom(id: $0)) },
      absence: { "there is no element with the id \($0.map { "\($0)" } ?? "")" })
    let changing = base.prepared().wrapped { [self] base, state, action in
      switch path.extract(from: action) {
      case .push(let id, let element):
        push(element, id, onto: &state[keyPath: stack])
        return base.reduce(into: &state, action: action)
      case .popFrom(let id):
        let isThere = state[keyPath: stack].index(id: id) != nil
        if !isThere { site.report("the stack element \(id) cannot be removed: it is not on the stack") }
        let effect = base.reduce(into: &state, action: action)
        if isThere { state[keyPath: stack].pop(from: id) }
        return effect
      case .element, nil: return base.reduce(into: &state, action: action)
      }
    }
    return PreparedReducer(changing, element.dependency(\.dismiss, .presentation).prepared(), children)
  }

  private func push(
    _ element: Element.State, _ id: StackElementID, onto stack: inout StackState<Element.State>
  ) {
    guard stack.index(id: id) == nil else {
      return site.report("the stack element \(id) cannot be pushed: it is already on the stack")
    }
    // A test chooses the id itself, but it must be the next one.
    let dependencies = DependencyValues.current
    if dependencies.context == .test {
      let next = dependencies.stackElementID.peek()
      if id == next { _ = dependencies.stackElementID.next() }
      if id.generation > next.generation {
        site.report("a test put the stack element \(id) on the stack, but the next one is \(next)")
      }
    }
    stack.push(element, id: id)
  }
}
