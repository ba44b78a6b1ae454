// Owns the report that a subscription follows a hub that does not answer.

import Synchronization

/// Reports once for each `Hub`, if it has not answered some seconds after something began to follow it.
final class HubAbsence: Sendable {
  private static let reported = Mutex<[ObjectIdentifier: WeakHub]>([:])
  private let task: Task<Void, Never>?

  /// Waits until this object is released or the hub answers.
  init(of hub: Hub, name: String) {
    guard hub.isOutside, !hub.status.isConnected else {
      task = nil
      return
    }
    let patience = Dependency(\.hubPatience).wrappedValue
    task = Task { [weak hub] in
      guard (try? await patience.clock.sleep(for: patience.time)) != nil, let hub, !hub.status.isConnected,
        let error = hub.status.error, Self.isFirst(hub)
      else { return }
      reportIssueOfCaller("\"\(name)\" is followed, but \(error)")
    }
  }

  deinit { task?.cancel() }

  /// Ends the wait, because the hub has answered.
  func end() { task?.cancel() }

  private static func isFirst(_ hub: Hub) -> Bool {
    reported.withLock { reported in
      reported = reported.filter { $0.value.hub != nil }
      return reported.updateValue(WeakHub(hub: hub), forKey: ObjectIdentifier(hub)) == nil
    }
  }
}

private struct WeakHub {
  weak var hub: Hub?
}

/// How long a follower waits for a hub before it reports that.
package struct HubPatience: Sendable {
  package var time = Duration.seconds(2)
  package var clock: any Clock<Duration> = ContinuousClock()
}

extension DependencyValues {
  package var hubPatience: HubPatience {
    get { self[HubPatienceKey.self] }
    set { self[HubPatienceKey.self] = newValue }
  }
}

private enum HubPatienceKey: DependencyKey {
  static var liveValue: HubPatience { HubPatience() }
  static var testValue: HubPatience { HubPatience() }
}
