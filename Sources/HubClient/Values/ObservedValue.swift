// A shared value as an observable object of the main actor: its value, and whether it is current. It does not
// write.

public import HubTransport
public import Observation

/// The value of a store, for a program whose state lives on the main actor: `withObservationTracking` and `Observations`
/// see its changes.
///
///     let volume = ObservedValue(hub.value("audio.volume", of: Int.self))
///     for await text in Observations({ volume.value.map { "volume: \($0)" } ?? "…" }) { print(text) }
///
/// It follows the store for as long as it exists, observed or not, because `Observation` does not report when the last
/// observer is gone, and the first observer must not have to wait for the value. It costs one stream, which keeps only
/// the newest value; any number of streams share one watch. It stops when it is released.
@MainActor @Observable
public final class ObservedValue<Value: Sendable> {
  /// What an `ObservedValue` knows about the store.
  public enum State: Hashable, Sendable {
    /// The freshness is not known yet: the value is the first one from the hub, or one that another stream of this Hub
    /// has seen.
    case loading
    /// The value is the hub's newest, or nil if there is no such store.
    case current
    /// There may have been a newer value since then: the hub cannot be reached, the store's provider is away
    /// (`unavailable`), or the store holds something that is not a `Value`. The value is the last one seen.
    case stale(since: Hub.Instant, HubError)
    /// The stream has ended: waiting cannot fix this.
    case ended(HubError)
  }

  /// The last value seen; nil if there is none.
  public private(set) var value: Value?
  /// The freshness of the value.
  public private(set) var state = State.loading
  /// The store, for writing to it.
  public nonisolated let shared: SharedValue<Value>

  /// What `state` is made of.
  @ObservationIgnored private var report = Report()
  @ObservationIgnored private var task: Task<Void, Never>?

  /// Starts to follow the store.
  public init(_ shared: SharedValue<Value>) {
    self.shared = shared
    value = shared.cached
    let events = shared.events.makeAsyncIterator()
    task = Task { [weak self] in
      var events = events
      while true {
        do throws(HubError) {
          guard let event = try await events.next(), let self else { return }
          show(event)
        } catch {
          guard let self else { return }
          show(error)
        }
      }
    }
  }

  isolated deinit { task?.cancel() }

  private func show(_ event: ValueEvent<Value>) {
    switch event.kind {
    case .initial, .changed, .removed:
      value = event.value
      report.hear()
    case .reset: report.mayBeGone = true
    case .resumed, .freshness: break
    case .synced:
      if report.mayBeGone { value = nil }
      report.sync()
    }
    report.judge(event.freshness, now: shared.hub.now, of: shared.name)
    settle()
  }

  private func show(_ error: HubError) {
    report.fail(error, now: shared.hub.now)
    settle()
  }

  private func settle() {
    let next = report.state()
    if state != next { state = next }
  }

  /// What is known of the hub and of the store.
  private struct Report {
    private var isKnown = false
    /// The freshness is known.
    private var isJudged = false
    private var undecodable: (since: Hub.Instant, error: HubError)?
    private var end: HubError?
    /// A `reset` was seen, and no value since.
    var mayBeGone = false
    /// The value cannot be trusted.
    private var doubt: (since: Hub.Instant, error: HubError)?

    /// The store's newest event, of a value that could be read.
    mutating func hear() {
      sync()
      undecodable = nil
    }

    mutating func sync() {
      isKnown = true
      mayBeGone = false
    }

    mutating func judge(_ freshness: Freshness, now: Hub.Instant, of store: String) {
      if freshness != .unknown { isJudged = true }
      switch freshness {
      case .unknown: break
      case .live: doubt = nil
      case .unreachable(let since, let error): doubt = (since, error)
      case .stale(let claim):
        doubt = (doubt?.since ?? now, HubError(.unavailable, store: store, "\(claim.name): \(claim.reason)"))
      }
    }

    mutating func fail(_ error: HubError, now: Hub.Instant) {
      mayBeGone = false
      if error.code == .undecodable {
        undecodable = (undecodable?.since ?? now, error)
      } else {
        end = error
      }
    }

    func state() -> State {
      if let end { return .ended(end) }
      if let (since, error) = doubt ?? undecodable { return .stale(since: since, error) }
      return isKnown && isJudged ? .current : .loading
    }
  }
}
