// A binary heap: gives access to its least element.

import HubCore

struct MinHeap<Element: Comparable> {
  private var elements: [Element] = []

  var first: Element? { @inline(__always) get { elements.first } }

  mutating func removeAll(keepingCapacity: Bool) { elements.removeAll(keepingCapacity: keepingCapacity) }

  mutating func add(_ element: Element) {
    elements.append(element)
    var index = elements.count - 1
    while index > 0, elements[index] < elements[(index - 1) / 2] {
      elements.swapAt(index, (index - 1) / 2)
      index = (index - 1) / 2
    }
  }

  mutating func replaceFirst(with element: Element) {
    elements[0] = element
    sink()
  }

  mutating func removeFirst() {
    elements.swapAt(0, elements.count - 1)
    elements.removeLast()
    sink()
  }

  private mutating func sink() {
    var index = 0
    while true {
      var least = index
      for child in [2 * index + 1, 2 * index + 2]
      where child < elements.count && elements[child] < elements[least] { least = child }
      if least == index { return }
      elements.swapAt(index, least)
      index = least
    }
  }
}
