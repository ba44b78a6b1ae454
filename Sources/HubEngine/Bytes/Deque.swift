// A queue that removes its first element in constant time, and can take one back at its front.

import HubCore

struct Deque<Element> {
  /// What has returned to the front, the first one last.
  private var returned: [Element] = []
  private var elements: [Element] = []
  /// Those before were taken.
  private var start = 0

  var count: Int { returned.count + elements.count - start }
  var isEmpty: Bool { count == 0 }
  var first: Element? { returned.last ?? (start < elements.count ? elements[start] : nil) }
  /// In their order.
  var all: [Element] { returned.reversed() + elements[start...] }

  mutating func append(_ element: Element) { elements.append(element) }

  mutating func prepend(_ element: Element) { returned.append(element) }

  /// Changes elements in their order, until `body` returns true.
  ///
  /// - Returns: whether it has.
  mutating func change(_ body: (inout Element) -> Bool) -> Bool {
    for index in returned.indices.reversed() where body(&returned[index]) { return true }
    for index in start..<elements.count where body(&elements[index]) { return true }
    return false
  }

  mutating func popFirst() -> Element? {
    if let element = returned.popLast() { return element }
    guard start < elements.count else { return nil }
    let element = elements[start]
    start += 1
    if start >= 64, 2 * start > elements.count {
      elements.removeFirst(start)
      start = 0
    }
    return element
  }
}
