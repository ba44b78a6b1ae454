// Owns the key of shared values in the hub: following and changing them there.

public import HubCore

/// A shared value that is a store of the hub, for all programs of the machine or of the user.
public struct HubKey<Value: Codable & Sendable>: SharedKey {
  private let store: SharedValue<Value>
  private let interval: Duration?
  private let deadband: Deadband?

  init(_ name: String, on hub: Hub, _ interval: Duration?, _ deadband: Deadband?) {
    (store, self.interval, self.deadband) = (hub.value(name), interval, deadband)
  }

  public static func == (lhs: Self, rhs: Self) -> Bool {
    lhs.store.hub === rhs.store.hub && lhs.store.name == rhs.store.name && lhs.interval == rhs.interval
      && lhs.deadband == rhs.deadband
  }

  public func hash(into hasher: inout Hasher) {
    hasher.combine(ObjectIdentifier(store.hub))
    hasher.combine(store.name)
    hasher.combine(interval)
    hasher.combine(deadband)
  }

  public var leavesProcess: Bool { store.hub.isOutside }

  /// Reports values until the hub cannot be followed for a reason that waiting cannot fix. A lost connection is not
  /// such a reason: the value stays as it is until the hub is back.
  public func follow(_ report: @escaping @Sendable (SharedReport<Value>) async -> Void) async {
    async let _ = followConnection(report)
    await followValue(report)
  }

  private func followValue(_ report: @Sendable (SharedReport<Value>) async -> Void) async {
    let isFiltered = interval != nil || deadband != nil
    var events = HubEvents(store, isFiltered ? store.events(atMost: interval, by: deadband) : nil)
    while true {
      do throws(HubError) {
        switch try await events.nextPresence() {
        case .value(let value, let bookmark): await report(.value(value, bookmark))
        case .absent(let bookmark): await report(.absent(bookmark))
        case .unknown: await report(.loading)
        case nil: return
        }
      } catch {
        await report(.failed(error))
        // The store's next value may be a Value again.
        guard error.code == .undecodable else { return }
      }
    }
  }

  private func followConnection(_ report: @Sendable (SharedReport<Value>) async -> Void) async {
    guard leavesProcess else { return }
    var isAway = false
    for await status in store.hub.statuses where isAway || status.error != nil {
      if status.error == nil, !status.isConnected { continue }
      isAway = status.error != nil
      await report(.unreachable(status.error))
    }
  }

  /// Applies `change` to the hub's value with a compare-and-set, and starts over with the newer value if another
  /// process was first. It waits while the hub is away.
  public func save(
    _ change: @escaping @Sendable (inout Value) -> Void, over known: SharedSnapshot<Value>,
    initial: Value
  ) async throws -> SharedSnapshot<Value> {
    while true {
      do throws(HubError) {
        return try await attempt(change, over: known, initial)
      } catch {
        guard error.meansAway else { throw error }
      }
      try await hubBack()
    }
  }

  private func attempt(
    _ change: (inout Value) -> Void, over known: SharedSnapshot<Value>, _ initial: Value
  ) async throws(HubError) -> SharedSnapshot<Value> {
    if let bookmark = known.bookmark,
      let saved = try await save(
        change, over: known.value, if: .unchanged(since: bookmark), in: bookmark.epoch)
    {
      return saved
    }
    while true {
      let stored = try await read()
      let condition = stored.map { Condition.unchanged(since: $0) } ?? .absent
      let saved = try await save(change, over: stored?.value ?? initial, if: condition, in: stored?.epoch)
      if let saved { return saved }
    }
  }

  /// `nil` if the condition no longer holds.
  private func save(
    _ change: (inout Value) -> Void, over old: Value, if condition: Condition<Value>, in epoch: Epoch?
  ) async throws(HubError) -> SharedSnapshot<Value>? {
    var value = old
    change(&value)
    do throws(HubError) {
      let result = try await store.set(value, if: condition)
      return SharedSnapshot(value, epoch.map { Bookmark(epoch: $0, revision: result.revision) })
    } catch {
      switch error.code {
      case .conflict, .noSuchStore: return nil
      case .timeout, .outcomeUnknown: return try await outcome(of: value, if: condition, error)
      default: throw error
      }
    }
  }

  /// The outcome of a write whose reply was lost, according to the store. `nil`: it was not executed.
  private func outcome(
    of value: Value, if condition: Condition<Value>, _ lost: HubError
  ) async throws(HubError) -> SharedSnapshot<Value>? {
    let unknown = HubError(
      .outcomeUnknown, store: store.name, "a change may or may not have taken effect: \(lost.message)")
    while true {
      guard (try? await hubBack()) != nil else { throw unknown }
      do throws(HubError) {
        guard let stored = try await read() else { return nil }
        if isKnownEqual(stored.value, value) {
          return SharedSnapshot(value, Bookmark(epoch: stored.epoch, revision: stored.revision))
        }
        if case .revision(stored.revision, epoch: stored.epoch) = condition { return nil }
        reportIssueOfCaller("The outcome of a change of \"\(store.name)\" is unknown: \(lost)")
        throw unknown
      } catch {
        guard error.meansAway || error.code == .timeout else { throw error }
      }
    }
  }

  /// Waits until the hub answers, or is closed.
  /// - Throws: `CancellationError`.
  private func hubBack() async throws {
    for await status in store.hub.statuses where status.isConnected || status == .closed { return }
    try Task.checkCancellation()
  }

  private func read() async throws(HubError) -> StoredValue<Value>? {
    do throws(HubError) {
      return try await store.read()
    } catch {
      guard error.code == .noSuchStore else { throw error }
      return nil
    }
  }
}

extension HubKey: CustomStringConvertible {
  public var description: String { ".hub(\"\(store.name)\")" }
}

extension HubError {
  /// The hub was not reached, so the write was not executed.
  fileprivate var meansAway: Bool { [.noHub, .connectionLost, .shuttingDown].contains(code) }
}

extension Condition {
  fileprivate static func unchanged(since bookmark: Bookmark) -> Condition {
    .revision(bookmark.revision, epoch: bookmark.epoch)
  }
}

extension SharedKey {
  /// `@Shared(.hub("number")) var number = 0`: a store of the hub, followed for as long as the wrapper lives.
  ///
  /// The hub is the dependency `hub` where the wrapper is made; in tests it is a hub in memory. The value after `=` is
  /// shown until the hub has sent its own, and while there is no such store; the first change creates the store.
  ///
  /// `@Shared(.hub("level", atMost: .milliseconds(100), by: 0.5))`: the hub leaves out other programs' values as
  /// described at `SharedValue.values(atMost:by:when:)`. The program's own changes are shown immediately, and applied to the newest value.
  public static func hub<Value>(
    _ name: String, atMost interval: Duration? = nil, by deadband: Deadband? = nil
  ) -> Self where Self == HubKey<Value> {
    HubKey(name, on: Dependency(\.hub).wrappedValue, interval, deadband)
  }

  /// A store of a given hub.
  public static func hub<Value>(
    _ name: String, on hub: Hub, atMost interval: Duration? = nil, by deadband: Deadband? = nil
  ) -> Self where Self == HubKey<Value> {
    HubKey(name, on: hub, interval, deadband)
  }
}
