// Following stores as long as that can succeed: after an error that may pass, the watch is made again.

package import HubClient

extension WatchSequence {
  /// Passes each view to `body` until that returns false, the task is cancelled, or an error occurs that waiting cannot fix.
  ///
  /// - Parameters:
  ///   - pause: between an error that may pass, such as `denied` or `quota`, and the next watch.
  ///   - first: an iteration that has been made already.
  ///   - missed: called with each error that may pass.
  /// - Returns: the error that waiting cannot fix.
  @discardableResult
  package func follow(
    pause: Duration = .seconds(5), from first: HubViewSequence.Iterator? = nil,
    _ body: (HubView) -> Bool, missed: (HubError) -> Void = { _ in }
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
  /// The hub is away, full or stopping, and may answer later.
  package var isAbsence: Bool {
    switch code {
    case .noHub, .connectionLost, .timeout, .quota, .shuttingDown, .notReading: true
    default: false
    }
  }
}
