// The signals that the hub handles, and their meaning.

import HubSystem

struct HubSignals: ~Copyable {
  private let descriptor: SignalDescriptor

  /// SIGCHLD reports on the program that is tried before an upgrade.
  private static let signals = StartSignals.stops + StartSignals.reloads + [.childEnded]

  /// Blocks the signals for this thread, and ignores SIGPIPE for the process.
  init() throws(SystemError) {
    Signal.brokenPipe.ignore()
    // If it were ignored, the status of children would be lost.
    Signal.childEnded.restoreDefault()
    descriptor = try SignalDescriptor(HubSignals.signals)
  }

  /// Readable when a signal has arrived.
  var raw: Int32 { descriptor.raw }

  /// The signals that have arrived and were not taken yet.
  func take() -> SignalBatch {
    var batch = SignalBatch()
    while let signal = descriptor.next() { batch.note(signal) }
    return batch
  }

  /// Unblocks SIGCHLD for the program executed next in this process, which expects it as any other does.
  func prepareExecution() { Signal.unblock([.childEnded]) }

  func abandonExecution() { Signal.block([.childEnded]) }
}

/// Signals that arrived together, in unknown order: the kernel returns them by number.
struct SignalBatch: Equatable {
  /// SIGINT or SIGTERM. An interrupt wins: it asks for no less than a termination does.
  private(set) var stop: Signal?
  private(set) var wantsReload = false
  private(set) var wantsUpgrade = false
  private(set) var childEnded = false

  mutating func note(_ signal: Signal) {
    switch signal {
    case .hangUp: wantsReload = true
    case .user2: wantsUpgrade = true
    case .childEnded: childEnded = true
    case .interrupt: stop = .interrupt
    default: stop = stop ?? signal
    }
  }
}
