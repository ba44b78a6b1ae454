// A claim's stream of writes, by itself: who waits for it is woken, whatever comes first.

import TestSupport
import Testing

@testable import HubClient

@Suite("The stream of a claim's writes")
struct ClaimStreamTests {
  @Test("a task that is cancelled before it goes to sleep does not sleep")
  func cancelledBefore() async {
    let stream = ClaimStream()
    await Task {
      withUnsafeCurrentTask { $0?.cancel() }
      // Whoever cancels looks for a waiter, and there is none yet.
      stream.wake()?.resume()
      await withUnsafeContinuation { stream.park($0) }
    }.value
  }

  @Test("a task that sleeps is woken by what fails, and is handed it")
  func failed() async {
    let stream = ClaimStream()
    async let sleeper: Void = withUnsafeContinuation { stream.park($0) }
    stream.fail(HubError(.closed, "the end"))?.resume()
    await sleeper
    guard case .failed(let error) = stream.take() else {
      Issue.record("it was handed nothing")
      return
    }
    #expect(error.message == "the end")
  }
}
