// A hub's link to its service manager: notifier and pulse together. The pulse decides what to send, and when.

import HubEngine
import HubSystem

/// Nil fields and no system calls without a service manager. It never waits for one that does not read: what could not be sent
/// is sent again later.
struct ServiceLink: ~Copyable {
  let notifier: Notifier
  private var pulse: ServicePulse
  /// Descriptors can be left with the service manager for the next hub.
  let storesDescriptors: Bool
  /// At most one message for each topic.
  private var unsent: [ServiceMessage] = []

  /// When to try again what could not be sent, in nanoseconds.
  private static let pause: UInt64 = 100_000_000
  /// How long to wait for the service manager before an execution or at the end, in milliseconds.
  private static let patience: Int32 = 100

  init(notifier: consuming Notifier, _ environment: ServiceEnvironment) {
    self.notifier = notifier
    pulse = ServicePulse(watchdog: environment.watchdog) { .controlGroup }
    storesDescriptors = environment.storesDescriptors
  }

  /// Sends what is due, and returns the latest time of its next call.
  mutating func beat(at time: UInt64, _ facts: ServiceFacts) -> UInt64? {
    guard notifier.isConnected else { return nil }
    send(pulse.messages(at: time, facts))
    let deadline = pulse.deadline(facts)
    return unsent.isEmpty ? deadline : min(deadline ?? .max, time + ServiceLink.pause)
  }

  /// Reports that the hub serves, and that descriptors left with the service manager are no longer needed; otherwise
  /// like `beat`.
  mutating func ready(at time: UInt64, _ facts: ServiceFacts) -> UInt64? {
    // Sent in one message with the status.
    enqueue((storesDescriptors ? [.removeDescriptors(name: DescriptorQueue.name)] : []) + [.ready])
    defer { send([]) }
    return beat(at: time, facts)
  }

  private mutating func enqueue(_ messages: [ServiceMessage]) {
    for message in messages {
      unsent.removeAll { message.replaces($0) }
      unsent.append(message)
    }
  }

  private mutating func send(_ messages: [ServiceMessage], within milliseconds: Int32 = 0) {
    enqueue(messages)
    if !unsent.isEmpty, notifier.send(unsent, within: milliseconds) != .wouldBlock { unsent = [] }
  }

  /// Sets the complaint about a topic that the status shows from now on.
  mutating func complain(about topic: ServicePulse.Topic, _ text: String?) {
    pulse.complain(about: topic, text)
  }

  mutating func reloading(monotonicMicroseconds time: UInt64) {
    send([.reloading(microseconds: time), .status("reloading")], within: ServiceLink.patience)
    pulse.renewStatus()
  }

  mutating func stopping() { send([.stopping, .status("stopping")], within: ServiceLink.patience) }

  /// How long a start may take besides reading, in microseconds.
  private static let startPatience: UInt64 = 60_000_000

  /// A hub that must read its state directory before it serves asks for time in proportion to its size.
  static func reportRecovery(of bytes: Int, to environment: ServiceEnvironment) {
    Notifier(to: environment.notifySocket).send(
      [
        .status("reading \(bytes) bytes of state"),
        // One microsecond per byte: even the slowest disk needs less.
        .extendTimeout(microseconds: startPatience + UInt64(bytes)),
      ], within: patience)
  }

  /// Reports why a hub cannot serve.
  static func report(_ error: ServerError, to environment: ServiceEnvironment) {
    Notifier(to: environment.notifySocket).send([.status("\(error)"), .errno(error.code)], within: patience)
  }
}
