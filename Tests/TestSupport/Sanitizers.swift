// Whether the tests run under a sanitizer, which keeps freed memory, or notes about all memory, in the processes it watches.

import Glibc

/// The thread sanitizer's own runtime needs files: it ends a process that may not write long ones.
public let isThreadSanitized = dlsym(nil, "__tsan_init") != nil

/// How much memory a process of this build takes says nothing about the process.
public let isSanitized = isThreadSanitized || dlsym(nil, "__asan_init") != nil
