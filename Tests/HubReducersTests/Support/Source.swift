// Owns a source of values whose readers a test can count.

import Synchronization

/// Makes streams that all get the same values, and counts those that are being read.
final class Source: Sendable {
  private struct State {
    var made = 0
    var readers: [Int: AsyncStream<Int>.Continuation] = [:]
  }

  private let state = Mutex(State())

  var readers: Int { state.withLock { $0.readers.count } }
  var made: Int { state.withLock { $0.made } }

  var stream: @Sendable () -> AsyncStream<Int> {
    {
      let (stream, input) = AsyncStream<Int>.makeStream()
      let id = self.state.withLock { state in
        state.made += 1
        state.readers[state.made] = input
        return state.made
      }
      input.onTermination = { _ in self.state.withLock { $0.readers[id] = nil } }
      return stream
    }
  }

  func send(_ value: Int) {
    for reader in state.withLock({ Array($0.readers.values) }) { reader.yield(value) }
  }

  func finish() {
    for reader in state.withLock({ Array($0.readers.values) }) { reader.finish() }
  }
}
