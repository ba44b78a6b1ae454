// The stores under a prefix, in memory, as they were at one revision.

package import HubClient
import ServiceLifecycle
import Synchronization

/// Has the stores of a prefix from `init` on, and follows them in `run`. Reading never waits: while the hub is away, the last
/// values stay.
package final class HubMirror: Sendable {
  /// The stores' values at one revision and, if they are the last ones, the reason.
  package struct News: Sendable {
    package var values: [String: HubValue] = [:]
    package var end: HubError?
  }

  private struct State {
    var news = News()
    var observers: [Int: @Sendable (News) -> Void] = [:]
    var lastObserver = 0
  }

  package let hub: Hub
  private let prefix: String
  private let state = Mutex(State())

  /// Waits for the first values. Without a hub there are none until it is there, in `run`.
  ///
  /// - Parameters:
  ///   - prefix: the stores' names begin with it and a dot; empty: all stores.
  ///   - timeout: how long to wait for a hub that cannot be reached.
  ///   - isRequired: fail without a hub.
  /// - Throws: `invalidPattern`, `denied` and other errors that waiting cannot fix; if the hub is required, why it cannot be reached.
  package init(hub: Hub, prefix: String, timeout: Duration, isRequired: Bool) async throws(HubError) {
    self.hub = hub
    self.prefix = prefix.isEmpty ? "" : prefix + "."
    var views = watch.views.timeout(timeout).makeAsyncIterator()
    do throws(HubError) {
      guard let view = try await views.next() else { throw HubError(.closed, "the task was cancelled") }
      publish(News(values: view.values))
    } catch {
      if isRequired || !error.isAbsence { throw error }
    }
  }

  /// Follows the stores until the group of services shuts down, the task is cancelled, or the Hub is closed.
  ///
  /// - Throws: errors that waiting cannot fix.
  package func run() async throws {
    // On the Hub's own thread, if there is one: this saves a thread switch for each change.
    let end = await withTaskExecutorPreference(hub.executor) {
      await cancelWhenGracefulShutdown { [self] in
        await watch.follow { publish(News(values: $0.values)) }
      }
    }
    guard let end else { return }
    publish(News(values: values, end: end))
    if end.code != .closed { throw end }
  }

  private var watch: WatchSequence { hub.watch(prefix + "**") }

  /// The full name of a store.
  package func storeName(_ key: String) -> String { prefix + key }

  /// The newest values, by the stores' names.
  package var values: [String: HubValue] { state.withLock { $0.news.values } }

  private func publish(_ news: News) {
    // Under the lock, so that no observer gets an older view after a newer one. Observers only store and wake.
    state.withLock { state in
      state.news = news
      for observer in state.observers.values { observer(news) }
    }
  }

  /// A part of the current values, then of each newer view in which it differs. A slow iteration gets only the newest.
  package func updates<Part: Sendable & Equatable>(
    of part: @escaping @Sendable (News) -> Part
  ) -> AsyncStream<Part> {
    let (stream, continuation) = AsyncStream<Part>.makeStream(bufferingPolicy: .bufferingNewest(1))
    let last = Mutex<Part?>(nil)
    let observer: @Sendable (News) -> Void = { news in
      let next = part(news)
      let isNew = last.withLock { last in
        defer { last = next }
        return last != next
      }
      if isNew { continuation.yield(next) }
    }
    let id = state.withLock { state in
      state.lastObserver += 1
      state.observers[state.lastObserver] = observer
      observer(state.news)
      return state.lastObserver
    }
    continuation.onTermination = { [weak self] _ in
      _ = self?.state.withLock { state in state.observers.removeValue(forKey: id) }
    }
    return stream
  }
}
