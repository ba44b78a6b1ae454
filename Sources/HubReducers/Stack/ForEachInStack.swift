// Owns `forEach` on a stack: a child for every element, and the changes of the stack that actions ask for.

extension Reducer {
  /// Runs a child on one element of a stack, addressed by id. The child runs before this reducer.
  ///
  /// `.push(id:state:)` puts an element on top before this reducer runs. `.popFrom(id:)` removes an element and those
  /// above it after this reducer has run; an element's effects request this with the dependency `dismiss`. When an
  /// element is removed, all its effects and subscriptions end. An action for a missing element, or pushing an id that
  /// is already on the stack, is a reported issue.
  @warn_unqualified_access
  public func forEach<ElementState, ElementAction, Element: Reducer<ElementState, ElementAction>>(
    _ stack: WritableKeyPath<State, StackState<ElementState>>,
    action: CaseKeyPath<Action, StackAction<ElementState, ElementAction>>,
    @ReducerBuilder<ElementState, ElementAction> destination element: () -> Element,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line,
    column: UInt = #column
  ) -> some ReducerOf<Self> {
    stacking(
      element(), stack, action, IssueSite(fileID: fileID, filePath: filePath, line: line, column: column))
  }

  func stacking<ElementState, ElementAction, Element: Reducer<ElementState, ElementAction>>(
    _ element: Element, _ stack: WritableKeyPath<State, StackState<ElementState>>,
    _ action: CaseKeyPath<Action, StackAction<ElementState, ElementAction>>, _ site: IssueSite
  ) -> some ReducerOf<Self> {
    let path = AnyCasePath(action)
    return _ForEachReducer(
      base: StackChangingReducer(base: self, stack: stack, action: path, site: site),
      element: element.dependency(\.dismiss, .presentation), elements: stack,
      action: path.appending(StackAction.allCasePaths.identified), group: ScopeGroup(action), ids: { $0.ids },
      index: { $0.index(id: $1) }, dismissal: { path.embed(.popFrom(id: $0)) }, site: site)
  }
}

/// Executes `.push` before and `.popFrom` after the base reducer.
struct StackChangingReducer<Base: Reducer, ElementState, ElementAction>: Reducer {
  let base: Base
  let stack: WritableKeyPath<Base.State, StackState<ElementState>>
  let action: AnyCasePath<Base.Action, StackAction<ElementState, ElementAction>>
  let site: IssueSite

  func reduce(into state: inout Base.State, action: Base.Action) -> Effect<Base.Action> {
    switch self.action.extract(from: action) {
    case .push(let id, let element):
      push(element, id, onto: &state[keyPath: stack])
      return base.reduce(into: &state, action: action)
    case .popFrom(let id):
      let isThere = state[keyPath: stack].index(id: id) != nil
      if !isThere { site.report("the stack element \(id) cannot be removed: it is not on the stack") }
      let effect = base.reduce(into: &state, action: action)
      if isThere { state[keyPath: stack].pop(from: id) }
      return effect
    case .element, nil:
      return base.reduce(into: &state, action: action)
    }
  }

  private func push(_ element: ElementState, _ id: StackElementID, onto stack: inout StackState<ElementState>)
  {
    guard stack.index(id: id) == nil else {
      return site.report("the stack element \(id) cannot be pushed: it is already on the stack")
    }
    // A test chooses the id itself: the one that would be next.
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

  func supervise(_ state: Base.State) -> Effect<Base.Action> { base.supervise(state) }

  static var supervision: Supervision { Base.supervision }

  func prepared() -> PreparedReducer<Base.State, Base.Action> {
    let base = base.prepared()
    return PreparedReducer(
      StackChangingReducer<PreparedReducer<Base.State, Base.Action>, ElementState, ElementAction>(
        base: base, stack: stack, action: action, site: site), base.supervision)
  }
}
