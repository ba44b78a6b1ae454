// When a running hub notifies its service manager: signs of life, and a current status that is not too frequent. It
// gets the time as a parameter, and does not send.

import HubCore
import HubEngine
import HubSystem

/// What the status line counts.
struct ServiceFacts: Equatable {
  var stores = 0
  var clients = 0
  var revision: UInt64 = 0
  /// Why persistent writes are refused; nil if they are not.
  var diskTrouble: SystemError?
}

struct ServicePulse {
  /// The least time between two statuses, in nanoseconds.
  static let statusInterval: UInt64 = 1_000_000_000

  /// The memory of the hub's control group, read for each status; nil: no limit is set.
  private let memory: @Sendable () -> LimitUse?
  /// Half of the service manager's timeout; nil: it does not wait for signs of life.
  private let lifeInterval: UInt64?
  private var nextLife: UInt64 = 0
  private var nextStatus: UInt64 = 0
  private var told: ServiceFacts?
  /// What can be wrong.
  enum Topic { case configuration, sockets }

  /// The current problems; they follow the counts.
  private var complaints: [Topic: String] = [:]
  private var isComplaintTold = true

  /// - Parameter watchdog: how long the service manager waits for a sign of life, in nanoseconds.
  init(watchdog: UInt64?, memory: @escaping @Sendable () -> LimitUse?) {
    self.memory = memory
    lifeInterval = watchdog.map { max(1_000_000, $0 / 2) }
  }

  /// The messages due at a time of CLOCK_BOOTTIME. Call again at `deadline`, or at any time before.
  mutating func messages(at time: UInt64, _ facts: ServiceFacts) -> [ServiceMessage] {
    var messages: [ServiceMessage] = []
    if let lifeInterval, time >= nextLife {
      nextLife = time + lifeInterval
      messages.append(.watchdog)
    }
    if time >= statusTime(facts) {
      nextStatus = time + Self.statusInterval
      told = facts
      isComplaintTold = true
      messages.append(.status(text(facts)))
    }
    return messages
  }

  /// When `messages` next has something to say, if nothing happens until then.
  func deadline(_ facts: ServiceFacts) -> UInt64? {
    let deadline = min(statusTime(facts), lifeInterval == nil ? .max : nextLife)
    return deadline == .max ? nil : deadline
  }

  /// Sets the current problem with a topic, or clears it. The next status shows it.
  mutating func complain(about topic: Topic, _ text: String?) {
    if text == complaints[topic] { return }
    complaints[topic] = text
    nextStatus = 0
    isComplaintTold = false
  }

  /// Another status was sent. The next messages have this one again.
  mutating func renewStatus() { (told, nextStatus) = (nil, 0) }

  /// A problem with the disk is shown at once; `.max`: the last status is still true.
  private func statusTime(_ facts: ServiceFacts) -> UInt64 {
    if told == facts, isComplaintTold { return .max }
    return told?.diskTrouble == facts.diskTrouble ? nextStatus : 0
  }

  private func text(_ facts: ServiceFacts) -> String {
    let counts =
      "\(quantity(facts.stores, "store")), \(quantity(facts.clients, "client")), revision \(facts.revision)"
    let disk = facts.diskTrouble.map { "persistent writes are refused: \($0)" }
    let present = [complaints[.configuration], complaints[.sockets], disk].compactMap(\.self)
    let memory = memory().map { "\($0.use >> 20) of \($0.limit >> 20) MiB of memory" }
    return ([[counts, memory].compactMap(\.self).joined(separator: ", ")] + present).joined(separator: "; ")
  }
}
