// Following stores as long as that can succeed: after an error that may pass, the watch is made again.

package import HubClient

extension WatchSequence {
  /// Passes each view to `body` until the task is cancelled, or an error occurs that waiting cannot fix.
  ///
  /// - Parameters:
  ///   - pause: between an error that may pass, such as `denied` or `quota`, and the next watch.
  ///   - missed: called with each error that may pass.
  /// - Returns: the error that waiting cannot fix.
  package func follow(
    pause: Duration = .seconds(5), _ body: (HubView) -> Void, missed: (HubError) -> Void = { _ in }
  ) async -> HubError? {
    while true {
      do throws(HubError) {
        for try await view in views { body(view) }
        return nil
      } catch {
        switch error.code {
        case .closed, .invalidName, .invalidPattern, .unsupportedVersion: return error
        default: missed(error)
        }
      }
      try? await Task.sleep(for: pause)
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
