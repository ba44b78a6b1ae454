// Right, though the thread sanitizer by itself thinks otherwise: a number behind a mutex for which threads queue up.

import Dispatch
import Glibc
import Synchronization

final class Counter: Sendable { let value = Mutex(0) }

let counter = Counter()
DispatchQueue.concurrentPerform(iterations: 4) { _ in
  for _ in 0..<200 {
    counter.value.withLock {
      $0 += 1
      usleep(10)
    }
  }
}
guard counter.value.withLock({ $0 }) == 800 else { exit(1) }
