// Owns the states of stacked features, each with its own id.

/// An array of states whose elements get an id when they are added, and keep it until they are removed.
///
/// ```swift
/// struct State: Equatable { var path = StackState<Screen.State>() }
/// enum Action { case path(StackActionOf<Screen>) }
///
/// Reduce { _, _ in .none }.forEach(\.path, action: \.path) { Screen() }
/// ```
/// Two stacks are equal if their ids and elements are equal. Names and meaning follow The Composable Architecture.
/// Cost: an element is found by its id in linear time, because stacks are short.
public struct StackState<Element> {
  fileprivate struct Entry {
    var id: StackElementID
    var element: Element
  }

  fileprivate var entries: [Entry] = []

  /// An empty stack.
  public init() {}

  /// The ids, the lowest element's first.
  public var ids: [StackElementID] { entries.map(\.id) }

  /// The element with the id. Setting `nil` removes it. Setting a missing element pushes it in a test; elsewhere it is reported as an issue.
  public subscript(id id: StackElementID) -> Element? {
    get { index(id: id).map { entries[$0].element } }
    set {
      switch (index(id: id), newValue) {
      case (let index?, let element?): entries[index].element = element
      case (let index?, nil): entries.remove(at: index)
      case (nil, let element?):
        guard DependencyValues.current.context == .test else {
          return reportIssueOfCaller("there is no stack element \(id) to set")
        }
        push(element, id: id)
      case (nil, nil): break
      }
    }
  }

  /// The payload of the element's case, or `nil` if there is no such element or it is in another case. Setting it while the
  /// element is in another case is reported as an issue and changes nothing.
  public subscript<Payload>(id id: StackElementID, case keyPath: CaseKeyPath<Element, Payload>) -> Payload? {
    get { self[id: id].flatMap { AnyCasePath(keyPath).extract(from: $0) } }
    set { self[id: id].setCase(AnyCasePath(keyPath), to: newValue) }
  }

  /// Removes the element with the id and those above it, if there is such an element.
  public mutating func pop(from id: StackElementID) {
    if let index = index(id: id) { entries.removeSubrange(index...) }
  }

  /// Removes the elements above the one with the id, if there is such an element.
  public mutating func pop(to id: StackElementID) {
    if let index = index(id: id) { entries.removeSubrange((index + 1)...) }
  }

  func index(id: StackElementID) -> Int? { entries.firstIndex { $0.id == id } }

  mutating func push(_ element: Element, id: StackElementID) {
    entries.append(Entry(id: id, element: element))
  }
}

extension StackState: RandomAccessCollection, MutableCollection, RangeReplaceableCollection {
  public var startIndex: Int { 0 }
  public var endIndex: Int { entries.count }

  /// The element at a position; replacing it keeps its id.
  public subscript(position: Int) -> Element {
    get { entries[position].element }
    set { entries[position].element = newValue }
    _modify { yield &entries[position].element }
  }

  /// Replaces elements with others that have new ids.
  public mutating func replaceSubrange(_ subrange: Range<Int>, with elements: some Collection<Element>) {
    let ids = DependencyValues.current.stackElementID
    entries.replaceSubrange(subrange, with: elements.map { Entry(id: ids.next(), element: $0) })
  }
}

extension StackState.Entry: Equatable where Element: Equatable {}
extension StackState.Entry: Hashable where Element: Hashable {}
extension StackState.Entry: Sendable where Element: Sendable {}
extension StackState: Equatable where Element: Equatable {}
extension StackState: Hashable where Element: Hashable {}
extension StackState: Sendable where Element: Sendable {}

extension StackState: Decodable where Element: Decodable {
  /// The elements, with new ids.
  public init(from decoder: any Decoder) throws { self.init(try [Element](from: decoder)) }
}

extension StackState: Encodable where Element: Encodable {
  /// The elements, without their ids.
  public func encode(to encoder: any Encoder) throws { try Array(self).encode(to: encoder) }
}

extension StackState: CustomReflectable {
  public var customMirror: Mirror {
    Mirror(self, children: entries.map { ("\($0.id)", $0.element) }, displayStyle: .dictionary)
  }
}
