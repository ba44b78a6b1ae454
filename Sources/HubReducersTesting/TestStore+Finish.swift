// Owns the ending of a test: waiting for effects, or passing over what the test is not about.

import HubReducers
public import Testing

extension TestStore {
  /// Runs until every effect has ended; fails if some cannot, or if received actions are left.
  /// - Parameter timeout: How long to wait for work outside the test that is not announced.
  public func finish(timeout: Duration? = nil, sourceLocation: SourceLocation = #_sourceLocation) async {
    let engine = runtime.engine
    let isDone = await runtime.settle(timeout: timeout, outside: outsideTimeout) {
      !engine.hasEffectsInFlight
    }
    if exhaustivity == .on, !received.isEmpty {
      fail("These actions were not received:\n\(receivedReport)", at: sourceLocation)
      skipAllReceived()
    }
    if !isDone {
      fail(
        "Effects have not ended, and nothing is left to run that could end them:\n\(runtime.inFlightReport)",
        at: sourceLocation)
    }
  }

  /// Passes over the actions received so far.
  /// - Parameter strict: Whether it is a failure that there are none.
  public func skipReceivedActions(strict: Bool = true, sourceLocation: SourceLocation = #_sourceLocation)
    async
  {
    await runtime.settle()
    if strict, received.isEmpty { fail("There are no received actions to skip.", at: sourceLocation) }
    skipAllReceived()
  }

  /// Cancels the effects in flight.
  /// - Parameter strict: Whether it is a failure that there are none.
  public func skipInFlightEffects(strict: Bool = true, sourceLocation: SourceLocation = #_sourceLocation)
    async
  {
    await runtime.settle()
    if strict, !runtime.engine.hasEffectsInFlight {
      fail("There are no effects in flight to skip.", at: sourceLocation)
    }
    runtime.drive { runtime.engine.cancelInFlight() }
    await runtime.settle()
  }

  private func skipAllReceived() {
    state = received.last?.state ?? state
    received.removeAll()
  }
}
