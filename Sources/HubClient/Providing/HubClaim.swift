// The stores that a program provides: its claims, which share a connection, and the writes that it decides on.

public import HubCore
internal import HubTransport

/// A claim on stores: the hub asks this program about every write to them by other clients, and only accepted writes
/// take effect.
///
///     let net = try hub.claim("net.**", window: 64) { hub in
///       for (key, value) in try await source.everything() {
///         try await hub.value(key, of: String.self).set(value)
///       }
///     }
///     for try await write in net.writes {
///       switch await source.commit(write.operations) {
///       case .done: try await write.accept()
///       case .refused(let why): try await write.refuse(why)
///       }
///     }
///
/// All claims of a Hub share an additional connection with its own thread, `hub`: writes through it are published
/// unchanged. The claim is made when `writes` is first iterated, and again with every new connection. Each time
/// `publish` runs, and then the values count as live. While there is no connection, or `writes` is not being iterated,
/// the hub refuses writes with `unavailable`, and readers see that the values may be old. When this object is released
/// or the program ends, the stores stay vacant until the same user claims them again.
public final class HubClaim: Sendable {
  /// What a new claim does while another connection has it.
  public enum IfClaimed: Sendable {
    /// The claim fails with `claimed`.
    case fail
    /// It waits for its turn.
    case wait
    /// It takes over from a connection of the same user; if the other connection belongs to another user, it fails with
    /// `claimed`.
    case replace
  }

  /// The connection that publishes. Closing it ends all claims of the Hub that they were made with.
  public let hub: Hub
  /// The claim's name: its state is the store `statehub.providers.NAME`.
  public var name: StoreName { offer.name }

  let offer: ClaimOffer
  let stream = ClaimStream()
  let publish: @Sendable (Hub) async throws -> Void
  let onRead: ReadHandler?

  /// Publishes the value of a store that others read, through the claim's own Hub.
  public typealias ReadHandler = @Sendable (_ store: String, _ hub: Hub) async throws -> Void

  init(
    _ hub: Hub, _ offer: ClaimOffer, onRead: ReadHandler?,
    _ publish: @escaping @Sendable (Hub) async throws -> Void
  ) {
    (self.hub, self.offer, self.onRead, self.publish) = (hub, offer, onRead, publish)
  }

  deinit { hub.driver.withCore { [stream] core, effects in core.drop(stream, &effects) } }

  /// Reports that the source of the values is unreachable: the hub refuses writes with `unavailable` until `resume`.
  ///
  /// - Parameter reason: what readers and writers are shown.
  /// - Throws: `connectionLost` if the connection does not have the claim, and what every request throws.
  public func suspend(because reason: String) async throws(HubError) { try await stand(.suspended(reason)) }

  /// Reports that the values are live again.
  ///
  /// - Throws: the same as `suspend`.
  public func resume() async throws(HubError) { try await stand(.live) }

  /// Releases the claim: the stores become ordinary stores again. A claim declared in the configuration becomes
  /// vacant.
  public func release() async throws(HubError) { try await stand(.released) }

  /// Whether any client watches a store of the claim, so that a sensor can pause while none does:
  ///
  ///     for try await isWatched in claim.watched { await sensor.setRunning(isWatched) }
  ///
  /// Watches of stores that do not exist yet count, as do globs that can match such a store. Watches by clients that may not read it do not count,
  /// nor does a `get`. Repeats the newest answer when the claim's state changes. Waits until the claim is made, and
  /// while there is no hub. Otherwise it behaves like `SharedValue.values`.
  public var watched: ValueSequence<Bool> { states { $0.isWatched } }

  /// The claim's state as other clients see it, with the shortest interval that its watchers ask for: a sensor need not measure more
  /// often than that:
  ///
  ///     for try await status in claim.status {
  ///       await sensor.measure(every: status.isWatched ? max(status.interval ?? .zero, .milliseconds(10)) : nil)
  ///     }
  ///
  /// It behaves like `watched`.
  public var status: ValueSequence<ClaimStatus> { states { $0 } }

  private func states<Value: Sendable>(
    _ part: @escaping @Sendable (ClaimStatus) -> Value
  ) -> ValueSequence<Value> {
    let store = ClaimStatus.prefix + name.text
    let codec = ValueCodec<Value>(
      encode: { value throws(HubError) in throw .unencodable(value) },
      decode: { value throws(HubError) in
        guard let status = ClaimStatus(store, value) else { throw .undecodable(value, Value.self) }
        return part(status)
      })
    return SharedValue(place: StorePlace(hub, store), codec: codec).values
  }

  func stand(_ standing: ClaimStanding) async throws(HubError) {
    let answer = try await hub.perform(.standing(offer.name, standing))
    guard case .stood = answer.reply else { throw Hub.unexpected(answer) }
  }

  /// The writes to decide on, in order, with at most `window` undecided at a time. Only one task may iterate them at a
  /// time. The iteration ends only with an error: `claimed`, `denied` and the like if the hub refuses the claim or
  /// another connection of the user has replaced it; what `publish` throws; `closed`. It returns nil when the task is
  /// cancelled.
  ///
  /// When the iteration ends, for any reason, the claim is suspended. An undecided write fails with `unanswered` if
  /// the program had received it, otherwise with `unavailable`. The next iteration publishes again, and the values
  /// become live again.
  public var writes: ProvidedWrites { ProvidedWrites(claim: self) }
}

extension Hub {
  /// Claims stores, to decide on every write to them by other clients.
  ///
  /// - Parameters:
  ///   - patterns: 1 to 16 names or patterns; a store cannot be under two claims.
  ///   - name: the claim's name; by default, the beginning of the first pattern.
  ///   - timeout: the longest time for a decision, 1 ms to 10 minutes.
  ///   - window: how many writes and reads may be undecided at a time, 1 to 1,024. With 1, the conditions of writes are exact.
  ///   - description: a human-readable text.
  ///   - ifClaimed: what happens while another connection has the claim.
  ///   - takesLifetimes: accept times to live and ephemeral values; otherwise writes with them are refused.
  ///   - publish: writes all values, through the claim's own Hub, each time the claim is made.
  ///   - onRead: publishes the value of a store before a `get` of it is answered, also of a store that does not exist yet. It runs
  ///     while `writes` is iterated, between two writes; readers of the same store share a run. An error that it throws reaches them as one of
  ///     `HubProvider.decide` reaches a writer; after `timeout` they get `unanswered`. Nil: reads are answered from the hub.
  /// - Throws: `invalidPattern`, `invalidName`.
  public func claim(
    _ patterns: String..., name: String? = nil, timeout: Duration = .seconds(5), window: Int = 1,
    description: String = "", ifClaimed: HubClaim.IfClaimed = .fail, takesLifetimes: Bool = false,
    publish: @escaping @Sendable (Hub) async throws -> Void = { _ in },
    onRead: HubClaim.ReadHandler? = nil
  ) throws(HubError) -> HubClaim {
    var known: [NamePattern] = []
    for pattern in patterns { known.append(try NamePattern(pattern)) }
    guard let first = known.first else {
      throw HubError(.invalidPattern, "a claim needs at least one store or pattern")
    }
    let offer = ClaimOffer(
      try name.map { text throws(HubError) in try StoreName(text) } ?? ClaimOffer.name(for: first), known,
      timeout: UInt32(clamping: timeout.wholeNanoseconds / 1_000_000), window: UInt16(clamping: window),
      description: description, waits: ifClaimed == .wait, replaces: ifClaimed == .replace,
      takesLifetimes: takesLifetimes, answersReads: onRead != nil)
    return HubClaim(publishing, offer, onRead: onRead, publish)
  }

  /// The state of all providers, sorted by name.
  public func claims() async throws(HubError) -> [ClaimStatus] {
    let limit = limit
    var claims: [ClaimStatus] = []
    for store in try await list(ClaimStatus.pattern.text, until: limit) {
      // Usually the list has the value: a separate request for each would take a pass through Swift's thread pool.
      let value =
        if let value = store.value { value } else { try await longValue(of: store.id, until: limit) }
      if let value, let claim = ClaimStatus(store.name, value) { claims.append(claim) }
    }
    return claims
  }

  /// Nil if the store has been removed in the meantime.
  private func longValue(of id: StoreID, until limit: Deadline) async throws(HubError) -> HubValue? {
    do throws(HubError) {
      let answer = try await perform(.get(.id(id)), until: limit)
      guard case .value(let state) = answer.reply else { throw Hub.unexpected(answer) }
      return state.value
    } catch  where error.code == .noSuchStore {
      return nil
    }
  }
}
