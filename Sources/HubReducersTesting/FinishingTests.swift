// Owns the end of a test: waiting for effects, or skipping them.

import HubReducers

extension TestStore {
  /// Runs until every effect has ended; fails if some do not, or if received actions are left.
  /// - Parameter timeout: How long to wait for effects, in real time, instead of ``timeout``.
  public func finish(
    timeout: Duration? = nil, fileID: StaticString = #fileID, file filePath: StaticString = #filePath,
    line: UInt = #line,
    column: UInt = #column
  ) async {
    let site = IssueSite(fileID, filePath, line, column)
    let isDone = await runtime.settle(patience(timeout)) { !runtime.hasInFlight }
    if exhaustivity == .on { failForReceived("These actions were not received", at: site) }
    if !isDone {
      fail(
        "Effects have not ended, and nothing is left to run that could end them:\n\(runtime.inFlightReport)",
        at: site)
    }
  }

  /// Skips the actions received so far.
  /// - Parameter strict: Whether it is a failure if there are none; it waits for one, as `receive` does.
  public func skipReceivedActions(
    strict: Bool = true, fileID: StaticString = #fileID, file filePath: StaticString = #filePath,
    line: UInt = #line,
    column: UInt = #column
  ) async {
    let hasReceived = await runtime.settle(strict ? patience(nil) : .none) { !received.isEmpty }
    if strict, !hasReceived {
      fail("There are no received actions to skip.", at: IssueSite(fileID, filePath, line, column))
    }
    skipAllReceived()
  }

  /// Skips the effects in flight: the test need not end them.
  ///
  /// They continue, and their actions are received as usual. To end them, cancel the task of the `send` that started
  /// them, or call ``cancelInFlightEffects()``.
  /// - Parameter strict: Whether it is a failure if there are none.
  public func skipInFlightEffects(
    strict: Bool = true, fileID: StaticString = #fileID, file filePath: StaticString = #filePath,
    line: UInt = #line,
    column: UInt = #column
  ) async {
    await runtime.settle()
    if strict, !runtime.hasInFlight {
      fail("There are no effects in flight to skip.", at: IssueSite(fileID, filePath, line, column))
    }
    runtime.skipInFlight()
  }

  /// Cancels the effects in flight, however they were started, and runs the consequences.
  public func cancelInFlightEffects() async {
    runtime.drive { runtime.engine.cancelInFlight() }
    await runtime.settle()
  }
}
