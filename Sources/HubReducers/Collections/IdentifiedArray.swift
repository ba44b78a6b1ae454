// Owns an ordered collection that finds its elements by id in constant time: what `forEach` runs over.

/// An array of elements with unique ids, with look-up by id in constant time.
///
/// An element whose id already exists is not appended. Removing and inserting take linear time, as in an array.
public struct IdentifiedArray<ID: Hashable, Element> {
  /// The element's id. Changing an element must keep it.
  public let id: KeyPath<Element, ID>
  public private(set) var elements: [Element] = []
  private var positions: [ID: Int] = [:]

  /// An empty array of elements identified by that key path.
  public init(id: KeyPath<Element, ID>) { self.id = id }

  /// The elements in order; of two with the same id, the first stays.
  public init(_ elements: some Sequence<Element>, id: KeyPath<Element, ID>) {
    self.id = id
    for element in elements { append(element) }
  }

  /// The ids in the elements' order. Cost: linear.
  public var ids: [ID] { elements.map { $0[keyPath: id] } }

  /// The position of the element with the id; nil if there is none. Cost: constant.
  public func index(id: ID) -> Int? { positions[id] }

  /// The element with the id. Setting `nil` removes it; setting a new element appends it. The element must have this
  /// id.
  public subscript(id id: ID) -> Element? {
    get { positions[id].map { elements[$0] } }
    set {
      precondition(
        newValue.map { $0[keyPath: self.id] == id } ?? true,
        "an element was stored under another element's id")
      switch (positions[id], newValue) {
      case (let position?, let element?): elements[position] = element
      case (nil, let element?): append(element)
      case (_, nil): remove(id: id)
      }
    }
  }

  /// Appends an element unless its id already exists. Returns whether it was added.
  @discardableResult
  public mutating func append(_ element: Element) -> Bool { insert(element, at: elements.count) }

  /// Inserts an element unless its id already exists. Returns whether it was added.
  @discardableResult
  public mutating func insert(_ element: Element, at position: Int) -> Bool {
    let id = element[keyPath: id]
    guard positions[id] == nil else { return false }
    elements.insert(element, at: position)
    renumber(from: position)
    return true
  }

  /// Removes and returns the element with the id; nil if there is none. Cost: linear.
  @discardableResult
  public mutating func remove(id: ID) -> Element? {
    positions[id].map { remove(at: $0) }
  }

  /// Removes and returns the element at a position. Cost: linear.
  @discardableResult
  public mutating func remove(at position: Int) -> Element {
    let element = elements.remove(at: position)
    positions[element[keyPath: id]] = nil
    renumber(from: position)
    return element
  }

  /// Removes the elements for which the function returns true. Cost: linear.
  ///
  /// - Throws: What the function throws; then nothing is removed, but the order may have changed.
  public mutating func removeAll(where isGone: (Element) throws -> Bool) rethrows {
    try rearrange { try $0.removeAll(where: isGone) }
  }

  /// Changes the number and order of the elements, but not the elements. Cost: linear.
  mutating func rearrange(_ body: (inout [Element]) throws -> Void) rethrows {
    defer {
      positions.removeAll(keepingCapacity: true)
      renumber(from: 0)
    }
    try body(&elements)
  }

  private mutating func renumber(from start: Int) {
    for position in start..<elements.count { positions[elements[position][keyPath: id]] = position }
  }
}

/// An identified array of elements that are `Identifiable`.
public typealias IdentifiedArrayOf<Element: Identifiable> = IdentifiedArray<Element.ID, Element>

extension IdentifiedArray where Element: Identifiable, ID == Element.ID {
  /// An empty array.
  public init() { self.init(id: \.id) }

  /// An array of the elements; of two with the same id, the first stays.
  public init(uniqueElements elements: some Sequence<Element>) { self.init(elements, id: \.id) }
}

extension IdentifiedArray: ExpressibleByArrayLiteral where Element: Identifiable, ID == Element.ID {
  /// An array of the elements; of two with the same id, the first stays.
  public init(arrayLiteral elements: Element...) { self.init(elements, id: \.id) }
}

extension IdentifiedArray: RandomAccessCollection, MutableCollection {
  public var startIndex: Int { 0 }
  public var endIndex: Int { elements.count }

  /// Replaces an element in place. The new one must have the old one's id.
  public subscript(position: Int) -> Element {
    get { elements[position] }
    set {
      precondition(
        newValue[keyPath: id] == elements[position][keyPath: id],
        "an element was stored under another element's id")
      elements[position] = newValue
    }
    _modify {
      let old = elements[position][keyPath: id]
      defer {
        precondition(elements[position][keyPath: id] == old, "an element's id was changed in place")
      }
      yield &elements[position]
    }
  }
}

extension IdentifiedArray: Equatable where Element: Equatable {
  public static func == (lhs: Self, rhs: Self) -> Bool { lhs.elements == rhs.elements }
}

extension IdentifiedArray: Hashable where Element: Hashable {
  public func hash(into hasher: inout Hasher) { hasher.combine(elements) }
}

extension IdentifiedArray: @unchecked Sendable where Element: Sendable, ID: Sendable {
  // The key path only refers to the id property: it captures nothing.
}

extension IdentifiedArray: CustomStringConvertible, CustomReflectable {
  public var description: String { String(describing: elements) }
  public var customMirror: Mirror { Mirror(reflecting: elements) }
}
