// Owns lifting to collections: one element gets the action, or every element does.

import HubReducers

/// An action for the element with an id.
public struct ElementIDAction<ID: Hashable, Action> {
  /// The element's id.
  public let id: ID
  /// The element's action.
  public let action: Action

  /// An action for the element with the id.
  public init(id: ID, action: Action) {
    self.id = id
    self.action = action
  }
}

/// An action for the element at an index.
public struct ElementIndexAction<Index: Comparable, Action> {
  /// The element's position.
  public let index: Index
  /// The element's action.
  public let action: Action

  /// An action for the element at a position.
  public init(index: Index, action: Action) {
    self.index = index
    self.action = action
  }
}

extension ElementIDAction: Sendable where ID: Sendable, Action: Sendable {}
extension ElementIDAction: Equatable where Action: Equatable {}
extension ElementIDAction: Hashable where Action: Hashable {}
extension ElementIDAction: Encodable where ID: Encodable, Action: Encodable {}
extension ElementIDAction: Decodable where ID: Decodable, Action: Decodable {}
extension ElementIndexAction: Sendable where Index: Sendable, Action: Sendable {}
extension ElementIndexAction: Equatable where Action: Equatable {}
extension ElementIndexAction: Hashable where Index: Hashable, Action: Hashable {}
extension ElementIndexAction: Encodable where Index: Encodable, Action: Encodable {}
extension ElementIndexAction: Decodable where Index: Decodable, Action: Decodable {}

/// What happens to an action whose element is not there.
public enum MissingElement: Sendable {
  /// Nothing.
  case ignored

  /// An issue is reported.
  case reported
}

extension PureReducer {
  /// Makes the reducer work on the first element whose property is the action's id. Cost: linear.
  public func liftToCollection<
    GlobalAction, GlobalState, Elements: MutableCollection & SendableMetatype, ID: Hashable & SendableMetatype
  >(
    action: any KeyPath<GlobalAction, ElementIDAction<ID, ActionType>?> & Sendable,
    stateCollection: any WritableKeyPath<GlobalState, Elements> & Sendable,
    identifier: any KeyPath<StateType, ID> & Sendable,
    missing: MissingElement = .ignored, fileID: StaticString = #fileID, filePath: StaticString = #filePath,
    line: UInt = #line, column: UInt = #column
  ) -> PureReducer<GlobalAction, GlobalState>
  where Elements.Element == StateType, Elements.Index: SendableMetatype {
    let site = IssueSite(fileID, filePath, line, column)
    return .reduce { [self] globalAction, globalState in
      guard let wanted = globalAction[keyPath: action] else { return }
      reduce(wanted.action, in: &globalState[keyPath: stateCollection], missing, site, id: "\(wanted.id)") {
        $0.firstIndex { $0[keyPath: identifier] == wanted.id }
      }
    }
  }

  /// Makes the reducer work on the element with the action's id. Cost: linear.
  public func liftToCollection<GlobalAction, GlobalState, Elements: MutableCollection & SendableMetatype>(
    action: any KeyPath<GlobalAction, ElementIDAction<StateType.ID, ActionType>?> & Sendable,
    stateCollection: any WritableKeyPath<GlobalState, Elements> & Sendable,
    missing: MissingElement = .ignored,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line,
    column: UInt = #column
  ) -> PureReducer<GlobalAction, GlobalState>
  where
    StateType: Identifiable, Elements.Element == StateType, Elements.Index: SendableMetatype,
    StateType.ID: SendableMetatype
  {
    liftToCollection(
      action: action, stateCollection: stateCollection, identifier: \.id, missing: missing, fileID: fileID,
      filePath: filePath, line: line, column: column)
  }

  /// Makes the reducer work on the element at the action's index.
  public func liftToCollection<GlobalAction, GlobalState, Elements: MutableCollection & SendableMetatype>(
    action: any KeyPath<GlobalAction, ElementIndexAction<Elements.Index, ActionType>?> & Sendable,
    stateCollection: any WritableKeyPath<GlobalState, Elements> & Sendable,
    missing: MissingElement = .ignored,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line,
    column: UInt = #column
  ) -> PureReducer<GlobalAction, GlobalState>
  where Elements.Element == StateType, Elements.Index: SendableMetatype {
    let site = IssueSite(fileID, filePath, line, column)
    return .reduce { [self] globalAction, globalState in
      guard let wanted = globalAction[keyPath: action] else { return }
      reduce(
        wanted.action, in: &globalState[keyPath: stateCollection], missing, site, id: "\(wanted.index)"
      ) { elements in
        (elements.startIndex..<elements.endIndex).contains(wanted.index) ? wanted.index : nil
      }
    }
  }

  /// Makes the reducer work on every element with the same action.
  public func liftToEach<GlobalState, Elements: MutableCollection & SendableMetatype>(
    stateCollection: any WritableKeyPath<GlobalState, Elements> & Sendable
  ) -> PureReducer<ActionType, GlobalState>
  where Elements.Element == StateType, Elements.Index: SendableMetatype {
    .reduce { [self] action, globalState in
      reduceEach(action, in: &globalState[keyPath: stateCollection])
    }
  }

  private func reduceEach<Elements: MutableCollection>(_ action: ActionType, in elements: inout Elements)
  where Elements.Element == StateType {
    var index = elements.startIndex
    while index != elements.endIndex {
      reduce(action, &elements[index])
      elements.formIndex(after: &index)
    }
  }

  private func reduce<Elements: MutableCollection & SendableMetatype>(
    _ action: ActionType, in elements: inout Elements, _ missing: MissingElement, _ site: IssueSite,
    id: @autoclosure () -> String, at find: (Elements) -> Elements.Index?
  ) where Elements.Element == StateType, Elements.Index: SendableMetatype {
    guard let index = find(elements) else {
      if missing == .reported { site.report(missingChild(action, "there is no element \(id())")) }
      return
    }
    reduce(action, &elements[index])
  }
}
