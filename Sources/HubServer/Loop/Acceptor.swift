// Taking connections from the listener, also when there is no descriptor left to take one with.

import CLinux
import Glibc

/// Accepts connections. It keeps a descriptor in reserve: without one, connections that cannot be accepted would stay in
/// the listener's queue, and their clients would wait for ever.
struct Acceptor: ~Copyable {
  /// What came of an attempt.
  enum Attempt {
    case accepted(Int32)
    /// There was no descriptor left; this one is the reserve's, and has to be given back by `refused`.
    case mustRefuse(Int32)
    /// Nobody waits.
    case nobody
    /// The connection was lost before it was accepted: try again.
    case lost
    /// The system cannot accept now.
    case failed(Int32)
  }

  /// At most so many connections are accepted in one turn.
  static let perTurn = 64

  /// Somebody may wait.
  var isReady = false
  let maxClients: Int
  private var reserve: Int32
  /// Even the reserve is gone: the next turn tries again, but none is made for it.
  private var isStalled = false

  init(maxClients: Int) throws(ServerError) {
    let reserve = Acceptor.openReserve()
    if reserve < 0 { throw .system(call: "open /dev/null", code: errno) }
    self.reserve = reserve
    self.maxClients = maxClients
  }

  deinit { if reserve >= 0 { close(reserve) } }

  /// A turn is wanted at once.
  var hasWork: Bool { isReady && !isStalled }

  mutating func accept(from listener: Int32) -> Attempt {
    isStalled = false
    let descriptor = clinux_accept(listener)
    if descriptor >= 0 { return .accepted(descriptor) }
    switch errno {
    case EAGAIN:
      isReady = false
      return .nobody
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
      let nobodyWaits = errno == EAGAIN
      reserve = Acceptor.openReserve()
      if nobodyWaits {
        isReady = false
        return .nobody
      }
    }
    isStalled = true
    return .failed(problem)
  }

  /// The connection that was accepted with the reserve is closed again.
  mutating func refused() { reserve = Acceptor.openReserve() }

  private static func openReserve() -> Int32 { open("/dev/null", O_RDONLY | O_CLOEXEC) }
}
