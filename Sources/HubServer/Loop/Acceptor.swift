// Accepts connections from the listeners, even when no descriptor is left for one.

import CLinux
import Glibc

/// It keeps a descriptor in reserve: without one, connections that cannot be accepted would stay in the listener's queue,
/// and their clients would wait for ever.
struct Acceptor: ~Copyable {
  /// The result of an attempt.
  enum Attempt {
    case accepted(Int32)
    /// There was no descriptor left; this one is the reserve's, and must be returned with `refused`.
    case mustRefuse(Int32)
    /// No client is waiting.
    case nobody
    /// The connection was lost before it was accepted, or it is another listener's turn: try again.
    case lost
    /// The system cannot accept at present.
    case failed(Int32)
  }

  /// The most connections that one turn accepts.
  static let perTurn = 64

  /// The listeners at which clients may wait, each once. They take turns.
  private var ready: [Int32] = []
  private var reserve: Int32
  /// Even the reserve is gone: the next turn tries again, but no turn is started for it.
  private var isStalled = false

  init() throws(ServerError) {
    let reserve = Acceptor.openReserve()
    if reserve < 0 { throw .system(call: "open /dev/null", code: errno) }
    self.reserve = reserve
  }

  deinit { if reserve >= 0 { close(reserve) } }

  /// Whether a turn is needed at once.
  var hasWork: Bool { isReady && !isStalled }
  /// Whether clients may be waiting.
  var isReady: Bool { !ready.isEmpty }

  /// Clients may be waiting at a listener.
  mutating func markReady(_ listener: Int32) {
    if !ready.contains(listener) { ready.append(listener) }
  }

  /// Lets the next turn begin with another listener, if there are several.
  mutating func rotate() {
    if ready.count > 1 { ready.append(ready.removeFirst()) }
  }

  mutating func accept() -> Attempt {
    guard let listener = ready.first else { return .nobody }
    isStalled = false
    let descriptor = clinux_accept(listener)
    if descriptor >= 0 { return .accepted(descriptor) }
    switch errno {
    case EAGAIN: return nobodyWaits()
    case EINTR, ECONNABORTED, EPERM: return .lost
    case EMFILE, ENFILE: return acceptWithReserve(listener, problem: errno)
    case let problem:
      isStalled = true
      return .failed(problem)
    }
  }

  private mutating func acceptWithReserve(_ listener: Int32, problem: Int32) -> Attempt {
    if reserve < 0 { reserve = Acceptor.openReserve() }
    if reserve >= 0 {
      close(reserve)
      reserve = -1
      let descriptor = clinux_accept(listener)
      if descriptor >= 0 { return .mustRefuse(descriptor) }
      let isEmpty = errno == EAGAIN
      reserve = Acceptor.openReserve()
      if isEmpty { return nobodyWaits() }
    }
    isStalled = true
    return .failed(problem)
  }

  /// No client is waiting at the first listener.
  private mutating func nobodyWaits() -> Attempt {
    ready.removeFirst()
    return ready.isEmpty ? .nobody : .lost
  }

  /// The connection that was accepted with the reserve is closed.
  mutating func refused() { reserve = Acceptor.openReserve() }

  private static func openReserve() -> Int32 { open("/dev/null", O_RDONLY | O_CLOEXEC) }
}
