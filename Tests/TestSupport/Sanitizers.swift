// Whether the tests run under a sanitizer, which keeps freed memory, or notes about all memory, in the processes it watches.

import Glibc
public import Testing

/// The thread sanitizer's own runtime needs files: it ends a process that may not write long ones.
public let isThreadSanitized = dlsym(nil, "__tsan_init") != nil

/// How much memory a process of this build takes says nothing about the process.
public let isSanitized = isThreadSanitized || dlsym(nil, "__asan_init") != nil

/// Of so many like places one is tried: 7, or as `STATEHUB_TEST_PLACES` says. Under the thread
/// sanitizer, which makes each take about twenty times as long and asks what threads do, not which place it is, 29.
private let placesForOne: Int =
  isThreadSanitized ? 29 : numberInEnvironment("STATEHUB_TEST_PLACES") ?? 7

/// Whether tests of every one of many like places try all of them.
public var isEveryPlaceTried: Bool { placesForOne == 1 }

/// Whether a test of every one of many like places tries this one.
public func isTried(_ place: Int) -> Bool { place % placesForOne == 0 }

extension Trait where Self == TimeLimitTrait {
  /// Ends a test that hangs. The library measures real time, in which a test may have few turns among many others, and a
  /// `blocking` one waits for its thread; under a sanitizer it gets ten times as long.
  public static func hangs(afterMinutes minutes: Int) -> Self {
    .timeLimit(.minutes(isSanitized ? 10 * minutes : minutes))
  }
}
