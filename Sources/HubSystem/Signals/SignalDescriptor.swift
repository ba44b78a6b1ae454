// Signals as a descriptor: they interrupt nothing.

internal import CLinux

package struct SignalDescriptor: ~Copyable {
  private let descriptor: Descriptor

  /// Blocks the signals for this thread. Other threads must have blocked them before.
  package init(_ signals: [Signal]) throws(SystemError) {
    Signal.block(signals)
    let numbers = signals.map(\.number)
    descriptor = try Descriptor(returned: clinux_signal_descriptor(numbers, numbers.count))
  }

  /// The same for those that are not ignored. A signal that is blocked would be read although it is ignored.
  package init(unlessIgnored signals: [Signal]) throws(SystemError) {
    try self.init(signals.filter { !$0.isIgnored })
  }

  /// Readable while a signal is waiting.
  package var raw: Int32 { descriptor.raw }

  /// Takes a signal that is waiting.
  package func next() -> Signal? { received()?.signal }

  /// The same, and whether the kernel itself has sent it. What a terminal sends for a key, it sends to all processes of the
  /// foreground.
  package func received() -> (signal: Signal, isFromKernel: Bool)? {
    var isFromKernel = false
    let number = clinux_next_signal(descriptor.raw, &isFromKernel)
    return number == 0 ? nil : (Signal(number), isFromKernel)
  }
}
