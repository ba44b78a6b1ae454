// One transfer: the transport's thread fills it, and one task waits for it.

internal import Synchronization

final class Exchange: Sendable {
  /// How the body is received.
  enum Form: Sendable {
    /// Kept until all of it is there, up to a longest body.
    case whole(longest: Int)
    /// Passed on as it arrives. At the bound the transfer is paused until the reader has taken it.
    case stream(bound: Int)
  }

  /// Where the transfer is. `advance` alone assigns it.
  enum Phase {
    case sending
    case receiving(status: Int)
    case ended(status: Int, TransportFailure?)
  }

  /// The result of receiving bytes.
  enum Receipt { case taken, paused, tooLong }

  struct State {
    fileprivate(set) var phase = Phase.sending
    /// The bytes for the reader, bounded by the form.
    var bytes: [UInt8] = []
    var isPaused = false
    /// Counts every change, so that none is missed between looking and waiting.
    fileprivate var changes = 0
    fileprivate var waiter: CheckedContinuation<Void, Never>?
  }

  private let form: Form
  private let state = Mutex(State())

  init(_ form: Form) { self.form = form }

  /// Whether its head and bytes are passed on as they arrive.
  var isStream: Bool { if case .stream = form { true } else { false } }

  /// Whether its head has arrived.
  var hasBegun: Bool { state.withLock { if case .sending = $0.phase { false } else { true } } }

  /// Counts what has arrived.
  var changes: Int { state.withLock { $0.changes } }

  /// Waits until `look` finds something. One task at a time.
  func wait<Found: Sendable>(until look: (inout State) -> Found?) async -> Found {
    while true {
      let (found, seen) = state.withLock { (look(&$0), $0.changes) }
      if let found { return found }
      await withCheckedContinuation { waiter in
        let isLate = state.withLock { state in
          if state.changes != seen { return true }
          precondition(state.waiter == nil, "a stream has one reader")
          state.waiter = waiter
          return false
        }
        if isLate { waiter.resume() }
      }
    }
  }
}

// The transport's side.
extension Exchange {
  /// The head has arrived.
  func begin(status: Int) {
    advance { state in
      guard case .sending = state.phase else { return nil }
      return .receiving(status: status)
    }
  }

  /// It has ended; `nil`: completely. Only the first end counts.
  func end(_ failure: TransportFailure?) {
    advance { state in
      switch state.phase {
      case .sending: .ended(status: 0, failure)
      case .receiving(let status): .ended(status: status, failure)
      case .ended: nil
      }
    }
  }

  /// Takes bytes, or none of them.
  func receive(_ bytes: UnsafeRawBufferPointer) -> Receipt {
    let (receipt, waiter) = state.withLock { state -> (Receipt, CheckedContinuation<Void, Never>?) in
      switch form {
      case .whole(let longest):
        if state.bytes.count + bytes.count > longest { return (.tooLong, nil) }
        state.bytes.append(contentsOf: bytes)
        return (.taken, nil)
      case .stream(let bound):
        if state.bytes.count >= bound {
          state.isPaused = true
          return (.paused, nil)
        }
        state.bytes.append(contentsOf: bytes)
        return (.taken, state.change())
      }
    }
    waiter?.resume()
    return receipt
  }

  private func advance(_ next: (borrowing State) -> Phase?) {
    let waiter = state.withLock { state -> CheckedContinuation<Void, Never>? in
      guard let phase = next(state) else { return nil }
      state.phase = phase
      if case .receiving = phase, !isStream { return nil }
      return state.change()
    }
    waiter?.resume()
  }
}

extension Exchange.State {
  /// Notes a change, and takes the waiter.
  fileprivate mutating func change() -> CheckedContinuation<Void, Never>? {
    changes += 1
    defer { waiter = nil }
    return waiter
  }
}
