// The positions of a walk through the orders of several patterns. It has no stores.

import HubCore

/// A walk's position in one pattern's order. In a heap the nearest one comes first, so that a walk of many patterns costs little
/// more at each step than one of few.
struct OrderCursor {
  var pattern: Int32
  var index: Int
  /// The position in the log of the change at the index, and the store that has changed.
  var position: UInt64 = 0
  var slot = 0
}

extension OrderCursor: Comparable {
  static func < (a: OrderCursor, b: OrderCursor) -> Bool { a.position < b.position }
}
