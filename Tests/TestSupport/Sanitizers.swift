// Whether the tests run under a sanitizer, which keeps freed memory, or notes about all memory, in the processes it watches.

import Glibc

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
