// Owns the key of shared values that live in the hub: how they are followed there and changed there.

/// A shared value that is a store of the hub, for every program of the machine or of the user.
public struct HubKey<Value: Codable & Sendable>: SharedKey {
  private let store: SharedValue<Value>

  init(_ name: String, on hub: Hub) { store = hub.value(name) }

  public static func == (lhs: Self, rhs: Self) -> Bool {
    lhs.store.hub === rhs.store.hub && lhs.store.name == rhs.store.name
  }

  public func hash(into hasher: inout Hasher) {
    hasher.combine(ObjectIdentifier(store.hub))
    hasher.combine(store.name)
  }

  public var leavesProcess: Bool { store.hub.isOutside }

  /// Reports until the hub cannot be followed for a reason that waiting cannot fix. A lost connection is not one: the value
  /// stays as it is until the hub is back.
  public func follow(_ report: @escaping @Sendable (SharedReport<Value>) async -> Void) async {
    var events = HubEvents(store)
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
        // What the store holds next may be a Value again.
        guard error.code == .undecodable else { return }
      }
    }
  }

  /// Applies `change` to the hub's value with a compare-and-set; if another process was first, starts over with the newer
  /// value.
  public func save(
    _ change: @escaping @Sendable (inout Value) -> Void, over known: SharedSnapshot<Value>,
    initial: Value
  ) async throws -> SharedSnapshot<Value> {
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

  /// `nil`: the condition does not hold any more.
  private func save(
    _ change: (inout Value) -> Void, over old: Value, if condition: Condition<Value>, in epoch: Epoch?
  ) async throws(HubError) -> SharedSnapshot<Value>? {
    var value = old
    change(&value)
    do throws(HubError) {
      let result = try await store.set(value, if: condition)
      return SharedSnapshot(value, epoch.map { Bookmark(epoch: $0, revision: result.revision) })
    } catch {
      guard error.code == .conflict || error.code == .noSuchStore else { throw error }
      return nil
    }
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

extension Condition {
  fileprivate static func unchanged(since bookmark: Bookmark) -> Condition {
    .revision(bookmark.revision, epoch: bookmark.epoch)
  }
}

extension SharedKey {
  /// `@Shared(.hub("number")) var number = 0`: a store of the hub, followed for as long as the wrapper lives.
  ///
  /// The hub is the dependency `hub` where the wrapper is made: in tests one in memory. The value after `=` is shown
  /// until the hub has sent its own, and while there is no such store; the first change creates the store.
  public static func hub<Value>(_ name: String) -> Self where Self == HubKey<Value> {
    HubKey(name, on: Dependency(\.hub).wrappedValue)
  }

  /// A store of this hub.
  public static func hub<Value>(_ name: String, on hub: Hub) -> Self where Self == HubKey<Value> {
    HubKey(name, on: hub)
  }
}
