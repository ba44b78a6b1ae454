// The daemon's work: a line at each beat, at an interval that can change at any time.

import Glibc

actor Heart {
  private var beating: Task<Void, any Error>?

  /// From now on beats at this interval, beginning at once.
  func beat(every interval: Duration) {
    beating?.cancel()
    beating = Task {
      while true {
        print("beat, the next in \(interval)")
        // Its output may be a pipe, in which it would wait for company.
        fflush(nil)
        try await Task.sleep(for: interval)
      }
    }
  }
}
