// The signals that the hub answers, as a descriptor: they interrupt nothing.

import CLinux
import Glibc

struct SignalDescriptor: ~Copyable {
  let descriptor: Descriptor

  /// Blocks SIGTERM, SIGINT and SIGHUP for this thread, and ignores SIGPIPE for the process.
  init() throws(ServerError) {
    _ = signal(SIGPIPE, SIG_IGN)
    let signals = [SIGTERM, SIGINT, SIGHUP]
    descriptor = try Descriptor(clinux_signal_descriptor(signals, signals.count), from: "signalfd")
  }

  /// A signal that has come and was not taken yet.
  func next() -> Int32? {
    let number = clinux_next_signal(descriptor.raw)
    return number == 0 ? nil : number
  }
}
