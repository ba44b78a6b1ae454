// Accepts connections from the listeners, even if no descriptor is left for them.

import HubSystem

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
    /// The system cannot accept at the moment.
    case failed(SystemError)
  }

  /// The most connections that one turn accepts.
  static let perTurn = 64
  /// This many turns accept everything that can wait at a listener.
  static let mostTurns = Int(ListeningSocket.backlog) / perTurn

  /// The listeners at which clients may wait, each once. They take turns.
  private var ready: [Int32] = []
  private var reserve: Descriptor?
  /// Even the reserve is gone: the next turn tries again, but no turn is started for it.
  private var isStalled = false

  init() throws(SystemError) { reserve = try Acceptor.openReserve() }

  /// Whether a turn is needed at once.
  var hasWork: Bool { isReady && !isStalled }
  /// Whether clients may be waiting.
  var isReady: Bool { !ready.isEmpty }

  /// Clients may be waiting at a listener.
  mutating func addReady(_ listener: Int32) {
    if !ready.contains(listener) { ready.append(listener) }
  }

  /// A listener is closed.
  mutating func forget(_ listener: Int32) { ready.removeAll { $0 == listener } }

  /// Lets the next turn begin with another listener, if there are several.
  mutating func nextListener() {
    if ready.count > 1 { ready.append(ready.removeFirst()) }
  }

  /// The listener that is accepted from next; nil: no client may be waiting.
  var next: Int32? { ready.first }

  mutating func accept() -> Attempt {
    guard let listener = ready.first else { return .nobody }
    isStalled = false
    switch Socket.accept(from: listener) {
    case .accepted(let descriptor): return .accepted(descriptor)
    case .nobody: return nobodyWaits()
    case .lost: return .lost
    case .noDescriptor(let problem): return acceptWithReserve(listener, problem)
    case .failed(let problem):
      isStalled = true
      return .failed(problem)
    }
  }

  private mutating func acceptWithReserve(_ listener: Int32, _ problem: SystemError) -> Attempt {
    if reserve == nil { reserve = try? Acceptor.openReserve() }
    if reserve != nil {
      reserve = nil
      let result = Socket.accept(from: listener)
      if case .accepted(let descriptor) = result { return .mustRefuse(descriptor) }
      reserve = try? Acceptor.openReserve()
      if case .nobody = result { return nobodyWaits() }
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
  mutating func refused() { reserve = try? Acceptor.openReserve() }

  private static func openReserve() throws(SystemError) -> Descriptor {
    try Descriptor(opening: "/dev/null")
  }
}
