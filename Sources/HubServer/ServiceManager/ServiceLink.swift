// A hub's side of its service manager: notifier and pulse together. What is said when is the pulse's decision.

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

  /// Says what is due, and tells when it wants to be called again at the latest.
  mutating func beat(at time: UInt64, _ facts: ServiceFacts) -> UInt64? {
    guard notifier.isConnected else { return nil }
    let messages = pulse.messages(at: time, facts)
    if !messages.isEmpty { notifier.send(messages) }
    return pulse.deadline(facts)
  }

  /// Says that the hub serves, and that what was left with the service manager is not needed any more; as `beat` otherwise.
  mutating func ready(at time: UInt64, _ facts: ServiceFacts) -> UInt64? {
    if storesDescriptors { notifier.send([.removeDescriptors(name: DescriptorQueue.name)]) }
    notifier.send([.ready] + pulse.messages(at: time, facts))
    return notifier.isConnected ? pulse.deadline(facts) : nil
  }

  /// What is wrong from now on stands in the status.
  mutating func complain(_ text: String?) { pulse.complain(text) }

  func reloading(monotonicMicroseconds time: UInt64) {
    notifier.send([.reloading(microseconds: time), .status("reloading")])
  }

  func stopping() { notifier.send([.stopping, .status("stopping")]) }

  /// What a start may take besides reading, in microseconds.
  private static let startPatience: UInt64 = 60_000_000

  /// A hub that has to read its state directory before it serves asks for time, however much there is to read.
  static func reportRecovery(of bytes: Int, to environment: ServiceEnvironment) {
    Notifier(to: environment.notifySocket).send([
      .status("reading \(bytes) bytes of state"),
      // One for each byte, which the slowest disk reads in less.
      .extendTimeout(microseconds: startPatience + UInt64(bytes)),
    ])
  }

  /// A hub that cannot serve tells why.
  static func report(_ error: ServerError, to environment: ServiceEnvironment) {
    Notifier(to: environment.notifySocket).send([.status("\(error)"), .errno(error.code)])
  }
}
