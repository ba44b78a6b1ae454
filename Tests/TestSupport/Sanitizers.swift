// Whether the tests run under a sanitizer, which keeps freed memory, or notes about all memory, in the processes it watches.

import Glibc

/// How much memory a process of this build takes says nothing about the process.
public let isSanitized = dlsym(nil, "__asan_init") != nil || dlsym(nil, "__tsan_init") != nil
