// The positions of a walk through the orders of several patterns, the nearest first. It knows no stores.

import HubCore

/// A walk's position in one pattern's order.
struct OrderCursor {
  var pattern: Int32
  var index: Int
  /// Where the change at the index stands in the log, and the store that has changed.
  var position: UInt64 = 0
  var slot = 0
}

/// A binary heap by position, so that a walk of many patterns costs little more at each step than one of few.
struct OrderCursors {
  private var heap: [OrderCursor] = []

  @inline(__always) var first: OrderCursor? { heap.first }

  mutating func removeAll(keepingCapacity: Bool) { heap.removeAll(keepingCapacity: keepingCapacity) }

  mutating func add(_ cursor: OrderCursor) {
    heap.append(cursor)
    var index = heap.count - 1
    while index > 0, heap[index].position < heap[(index - 1) / 2].position {
      heap.swapAt(index, (index - 1) / 2)
      index = (index - 1) / 2
    }
  }

  mutating func replaceFirst(with cursor: OrderCursor) {
    heap[0] = cursor
    sink()
  }

  mutating func removeFirst() {
    heap.swapAt(0, heap.count - 1)
    heap.removeLast()
    sink()
  }

  private mutating func sink() {
    var index = 0
    while true {
      var least = index
      for child in [2 * index + 1, 2 * index + 2]
      where child < heap.count && heap[child].position < heap[least].position { least = child }
      if least == index { return }
      heap.swapAt(index, least)
      index = least
    }
  }
}
