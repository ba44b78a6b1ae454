// Owns the ways of changing an identified array beyond adding and removing one element.

extension IdentifiedArray {
  /// Replaces the element with the same id, or appends it. Returns the previous element.
  @discardableResult
  public mutating func updateOrAppend(_ element: Element) -> Element? {
    updateOrInsert(element, at: count).originalMember
  }

  /// Replaces the element with the same id, or inserts the new one at `position`. Returns the previous element, and
  /// the new element's position.
  @discardableResult
  public mutating func updateOrInsert(
    _ element: Element, at position: Int
  ) -> (originalMember: Element?, index: Int) {
    guard let index = index(id: element[keyPath: id]) else {
      insert(element, at: position)
      return (nil, position)
    }
    return (update(element, at: index), index)
  }

  /// Replaces the element at `position`, which must have the same id. Returns the previous element.
  @discardableResult
  public mutating func update(_ element: Element, at position: Int) -> Element {
    let old = self[position]
    self[position] = element
    return old
  }

  /// Appends the elements with new ids. Cost: linear in the number of added elements.
  public mutating func append(contentsOf elements: some Sequence<Element>) {
    for element in elements { append(element) }
  }

  /// Removes the element with the same id as the given one.
  @discardableResult
  public mutating func remove(_ element: Element) -> Element? { remove(id: element[keyPath: id]) }

  /// Removes the elements at the positions, such as those of an `IndexSet`.
  public mutating func remove(atOffsets offsets: some Sequence<Int>) {
    let gone = Set(offsets)
    rearrange { elements in
      elements = elements.enumerated().filter { !gone.contains($0.offset) }.map(\.element)
    }
  }

  /// Removes all elements. Cost: linear.
  public mutating func removeAll(keepingCapacity: Bool = false) {
    rearrange { $0.removeAll(keepingCapacity: keepingCapacity) }
  }

  /// Removes the elements at the positions. Cost: linear.
  public mutating func removeSubrange(_ bounds: some RangeExpression<Int>) {
    rearrange { $0.removeSubrange(bounds) }
  }

  /// Removes and returns the first element, which must exist. Cost: linear.
  @discardableResult
  public mutating func removeFirst() -> Element { remove(at: startIndex) }

  /// Removes the first `count` elements, which must exist. Cost: linear.
  public mutating func removeFirst(_ count: Int) { rearrange { $0.removeFirst(count) } }

  /// Removes and returns the last element, which must exist.
  @discardableResult
  public mutating func removeLast() -> Element { remove(at: endIndex - 1) }

  /// Removes the last `count` elements, which must exist.
  public mutating func removeLast(_ count: Int) { rearrange { $0.removeLast(count) } }

  /// Removes the last element, if there is one.
  @discardableResult
  public mutating func popLast() -> Element? { isEmpty ? nil : removeLast() }

  /// The elements for which the function returns true, as an identified array.
  public func filter(_ isIncluded: (Element) throws -> Bool) rethrows -> Self {
    Self(try elements.filter(isIncluded), id: id)
  }
}

// MARK: The order

extension IdentifiedArray {
  /// Moves the elements at `offsets`, in their order, before the one at `destination`, as a list does when rows are
  /// dragged.
  public mutating func move(fromOffsets offsets: some Sequence<Int>, toOffset destination: Int) {
    let moved = Set(offsets)
    rearrange { elements in
      let numbered = elements.enumerated()
      let before = numbered.filter { $0.offset < destination && !moved.contains($0.offset) }
      let after = numbered.filter { $0.offset >= destination && !moved.contains($0.offset) }
      elements = (before + numbered.filter { moved.contains($0.offset) } + after).map(\.element)
    }
  }

  /// Exchanges the elements at two positions. Cost: linear.
  public mutating func swapAt(_ first: Int, _ second: Int) { rearrange { $0.swapAt(first, second) } }

  /// Reverses the order of the elements. Cost: linear.
  public mutating func reverse() { rearrange { $0.reverse() } }

  /// Sorts the elements.
  ///
  /// - Throws: What the comparison throws; the order is then unspecified.
  public mutating func sort(by areInIncreasingOrder: (Element, Element) throws -> Bool) rethrows {
    try rearrange { try $0.sort(by: areInIncreasingOrder) }
  }

  /// Shuffles the elements with a generator. Cost: linear.
  public mutating func shuffle(using generator: inout some RandomNumberGenerator) {
    rearrange { $0.shuffle(using: &generator) }
  }

  /// Shuffles the elements. Cost: linear.
  public mutating func shuffle() { rearrange { $0.shuffle() } }

  /// Moves the elements of the second part after the others. Returns the start of the second part.
  public mutating func partition(by belongsInSecondPart: (Element) throws -> Bool) rethrows -> Int {
    var boundary = 0
    try rearrange { boundary = try $0.partition(by: belongsInSecondPart) }
    return boundary
  }
}

extension IdentifiedArray where Element: Comparable {
  /// Sorts the elements.
  public mutating func sort() { sort(by: <) }
}

// MARK: Conversions

extension IdentifiedArray where Element: Identifiable, ID == Element.ID {
  /// The elements in order; two with the same id are merged by `combine`.
  public init(
    _ elements: some Sequence<Element>, uniquingIDsWith combine: (Element, Element) throws -> Element
  ) rethrows {
    self.init()
    for element in elements {
      if let index = index(id: element.id) {
        self[index] = try combine(self[index], element)
      } else {
        append(element)
      }
    }
  }
}

extension IdentifiedArray: Encodable where Element: Encodable {
  /// Encodes the elements as an array.
  public func encode(to encoder: any Encoder) throws { try elements.encode(to: encoder) }
}

extension IdentifiedArray: Decodable where Element: Decodable & Identifiable, ID == Element.ID {
  /// - Throws: `DecodingError` if two elements have the same id.
  public init(from decoder: any Decoder) throws {
    let elements = try [Element](from: decoder)
    self.init(uniqueElements: elements)
    guard count == elements.count else {
      throw DecodingError.dataCorrupted(
        .init(
          codingPath: decoder.codingPath,
          debugDescription: "two elements of an identified array have the same id")
      )
    }
  }
}
