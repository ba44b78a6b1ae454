// Right, though the thread sanitizer by itself thinks otherwise: a task awaits what a thread resumes, often before that.

import Dispatch

for _ in 0..<20_000 {
  await withUnsafeContinuation { (continuation: UnsafeContinuation<Void, Never>) in
    DispatchQueue.global().async { continuation.resume() }
  }
}
