// The orders that tasks give to the transport's thread.

internal import Synchronization

/// An order to the thread.
enum Order: Sendable {
  case start(HTTPRequest, Exchange)
  case resume(Exchange)
  /// Ends a transfer with a failure of this kind and text.
  case end(Exchange, TransportFailure.Kind, String)
}

final class Mailbox: Sendable {
  private struct State {
    /// Bounded by `limit`: at most so many transfers, and for each a few orders.
    var orders: [Order] = []
    /// Transfers that are ordered or under way.
    var transfers = 0
    var isClosed = false
    var bell: Bell?

    /// Adds an order. Returns the bell to ring, unless it has been rung for an order before.
    mutating func add(_ order: Order) -> Bell? {
      orders.append(order)
      return orders.count == 1 ? bell : nil
    }
  }

  private let state = Mutex(State())
  private let limit: Int

  init(limit: Int) { self.limit = limit }

  /// Orders a transfer. Its failure, if it is refused, is that of the exchange.
  func start(_ request: HTTPRequest, _ exchange: Exchange) {
    let (refusal, bell) = state.withLock { state -> (TransportFailure?, Bell?) in
      if state.isClosed { return (TransportFailure(.closed, "the transport was closed"), nil) }
      if state.transfers >= limit {
        return (TransportFailure(.busy, "\(limit) transfers are under way"), nil)
      }
      state.transfers += 1
      return (nil, state.add(.start(request, exchange)))
    }
    // Not under the lock, which the woken thread would only wait for.
    bell?.ring()
    if let refusal { exchange.end(refusal) }
  }

  /// Gives an order about a transfer. It has no effect if the transfer has ended.
  func post(_ order: Order) {
    let bell = state.withLock { $0.isClosed ? nil : $0.add(order) }
    bell?.ring()
  }

  /// Ends the thread, and every transfer with it.
  func close() {
    let bell = state.withLock { state in
      state.isClosed = true
      return state.bell
    }
    bell?.ring()
  }
}

// The thread's side.
extension Mailbox {
  /// Sets the bell that wakes the thread.
  func open(_ bell: Bell) { state.withLock { $0.bell = bell } }

  /// Takes all orders; `nil`: the mailbox is closed.
  func take() -> [Order]? {
    state.withLock { state in
      if state.isClosed { return nil }
      defer { state.orders.removeAll() }
      return state.orders
    }
  }

  /// Removes the bell. Returns the orders that were not begun.
  func silence() -> [Order] {
    state.withLock { state in
      state.isClosed = true
      state.bell = nil
      defer { state.orders.removeAll() }
      return state.orders
    }
  }

  /// A transfer has ended.
  func settle() { state.withLock { $0.transfers -= 1 } }
}
