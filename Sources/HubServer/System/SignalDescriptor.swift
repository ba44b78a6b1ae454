// The signals that the hub answers, as a descriptor: they interrupt nothing.

import CLinux
import Glibc

struct SignalDescriptor: ~Copyable {
  let descriptor: Descriptor

  /// SIGCHLD reports on the program that is tried before a reload.
  private static let signals = StartSignals.stops + StartSignals.reload + [SIGCHLD]

  /// Blocks the signals for this thread, and ignores SIGPIPE for the process.
  init() throws(ServerError) {
    _ = signal(SIGPIPE, SIG_IGN)
    // Ignored, children would vanish without a trace.
    _ = signal(SIGCHLD, SIG_DFL)
    let signals = SignalDescriptor.signals
    clinux_set_blocked(1, signals, signals.count)
    descriptor = try Descriptor(clinux_signal_descriptor(signals, signals.count), from: "signalfd")
  }

  /// The signals that have arrived and were not taken yet.
  func take() -> SignalBatch {
    var batch = SignalBatch()
    while true {
      let number = clinux_next_signal(descriptor.raw)
      if number == 0 { return batch }
      batch.note(number)
    }
  }

  /// Unblocks SIGCHLD for the program executed next in this process, which expects it as any other does.
  func prepareExecution() { clinux_set_blocked(0, [SIGCHLD], 1) }

  func abandonExecution() { clinux_set_blocked(1, [SIGCHLD], 1) }
}

/// Signals that arrived together, in unknown order: the kernel returns them by number.
struct SignalBatch: Equatable {
  /// SIGINT or SIGTERM. An interrupt wins: it asks for no less than a termination does.
  private(set) var stop: Int32?
  private(set) var wantsReload = false
  private(set) var childEnded = false

  mutating func note(_ signal: Int32) {
    switch signal {
    case SIGHUP: wantsReload = true
    case SIGCHLD: childEnded = true
    case SIGINT: stop = SIGINT
    default: stop = stop ?? signal
    }
  }
}
