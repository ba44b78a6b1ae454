// What is done after the client's lock is released, by itself.

import Testing

@testable import HubClient

@Suite("The effects of a step")
struct EffectsTests {
  @Test(
    "whoever wakes many tasks is told after every sixteenth, and all are woken", arguments: [0, 15, 16, 40])
  func pauses(count: Int) async {
    let (arrivals, arrived) = AsyncStream.makeStream(of: EventStream.Waiter.self)
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<count { group.addTask { await withUnsafeContinuation { arrived.yield($0) } } }
      var effects = Effects()
      var iterator = arrivals.makeAsyncIterator()
      for _ in 0..<count { effects.wake(await iterator.next()) }
      var pauses = 0
      effects.run { pauses += 1 }
      #expect(pauses == count / 16 && effects.isEmpty)
      // It ends when all of them have been woken.
      await group.waitForAll()
    }
  }
}
