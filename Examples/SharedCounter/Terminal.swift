// Lines in and out: read on its own thread, since reading blocks, and written immediately, even into a pipe.

import Dispatch
import Glibc

/// The lines of standard input, each read when it is asked for.
struct InputLines: AsyncSequence, AsyncIteratorProtocol {
  private let queue = DispatchQueue(label: "standard input")

  func makeAsyncIterator() -> InputLines { self }

  mutating func next() async -> String? {
    await withCheckedContinuation { continuation in
      queue.async { continuation.resume(returning: readLine()) }
    }
  }
}

func say(_ line: String) {
  print(line)
  fflush(nil)
}

func complain(_ problem: String) {
  let line = "shared-counter: \(problem)\n"
  _ = line.utf8.withContiguousStorageIfAvailable { Glibc.write(STDERR_FILENO, $0.baseAddress, $0.count) }
}

func fail(_ problem: String) -> Never {
  complain(problem)
  exit(2)
}
