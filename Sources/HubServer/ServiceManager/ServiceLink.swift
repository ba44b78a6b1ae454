// A hub's side of its service manager: notifier and pulse together. The pulse decides what is said when.

/// Nil fields and no system calls without a service manager.
struct ServiceLink: ~Copyable {
  let notifier: Notifier
  private var pulse: ServicePulse
  /// Descriptors can be left with the service manager for the next hub.
  let storesDescriptors: Bool

  init(notifier: consuming Notifier, _ environment: ServiceEnvironment) {
    self.notifier = notifier
    pulse = ServicePulse(watchdog: environment.watchdog)
    storesDescriptors = environment.storesDescriptors
  }

  /// Sends what is due, and returns the latest time of its next call.
  mutating func beat(at time: UInt64, _ facts: ServiceFacts) -> UInt64? {
    guard notifier.isConnected else { return nil }
    let messages = pulse.messages(at: time, facts)
    if !messages.isEmpty { notifier.send(messages) }
    return pulse.deadline(facts)
  }

  /// Says that the hub serves, and that what was left with the service manager is no longer needed; otherwise like `beat`.
  mutating func ready(at time: UInt64, _ facts: ServiceFacts) -> UInt64? {
    if storesDescriptors { notifier.send([.removeDescriptors(name: DescriptorQueue.name)]) }
    notifier.send([.ready] + pulse.messages(at: time, facts))
    return notifier.isConnected ? pulse.deadline(facts) : nil
  }

  /// Sets the complaint that the status shows from now on.
  mutating func complain(_ text: String?) { pulse.complain(text) }

  func reloading(monotonicMicroseconds time: UInt64) {
    notifier.send([.reloading(microseconds: time), .status("reloading")])
  }

  func stopping() { notifier.send([.stopping, .status("stopping")]) }

  /// How long a start may take besides reading, in microseconds.
  private static let startPatience: UInt64 = 60_000_000

  /// A hub that must read its state directory before it serves asks for time in proportion to its size.
  static func reportRecovery(of bytes: Int, to environment: ServiceEnvironment) {
    Notifier(to: environment.notifySocket).send([
      .status("reading \(bytes) bytes of state"),
      // One microsecond per byte: even the slowest disk needs less.
      .extendTimeout(microseconds: startPatience + UInt64(bytes)),
    ])
  }

  /// Reports why a hub cannot serve.
  static func report(_ error: ServerError, to environment: ServiceEnvironment) {
    Notifier(to: environment.notifySocket).send([.status("\(error)"), .errno(error.code)])
  }
}
