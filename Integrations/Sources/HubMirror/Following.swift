// Following stores for as long as it can succeed: an error that may pass ends a watch, not the following.

package import HubClient

extension WatchSequence {
  /// Hands on each view, until `body` returns false, the task is cancelled, or an error that waiting cannot fix.
  ///
  /// - Parameters:
  ///   - pause: between an error that may pass, such as `denied` or `quota`, and the next watch.
  ///   - first: an iteration that has been made already.
  ///   - missed: is called with each error that may pass.
  /// - Returns: the error that waiting cannot fix.
  @discardableResult
  package func follow(
    pause: Duration = .seconds(5), from first: StoreViewSequence.Iterator? = nil,
    _ body: (StoreView) -> Bool, missed: (HubError) -> Void = { _ in }
  ) async -> HubError? {
    var iterator = first ?? views.makeAsyncIterator()
    while true {
      do throws(HubError) {
        while let view = try await iterator.next() {
          if !body(view) { return nil }
        }
        return nil
      } catch {
        switch error.code {
        case .closed, .invalidName, .invalidPattern, .unsupportedVersion: return error
        default: missed(error)
        }
      }
      try? await Task.sleep(for: pause)
      iterator = views.makeAsyncIterator()
    }
  }
}

extension HubError {
  /// The hub is away, full or going, not unwilling: it may answer later.
  package var isAbsence: Bool {
    switch code {
    case .noHub, .connectionLost, .timeout, .quota, .shuttingDown, .notReading: true
    default: false
    }
  }
}
