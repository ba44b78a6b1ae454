// Memory: what Glibc's module map leaves out of the allocator, and guards.
#pragma once

#include <malloc.h>

/// Frees every small block for good at once, instead of all of them at some later call.
static inline void clinux_join_freed_blocks_at_once(void) { mallopt(M_MXFAST, 0); }

/// Maps blocks of `large` bytes and more, and unmaps what is free at the heap's end from `end` bytes on.
static inline void clinux_return_large_blocks(int large, int end) {
  mallopt(M_MMAP_THRESHOLD, large);
  mallopt(M_TRIM_THRESHOLD, end);
}

static inline void clinux_return_free_pages(void) { malloc_trim(1 << 20); }

/// From now on guards have an effect. Once in a process.
void clinux_allow_guards(void);

/// These pages of a file are in use by this thread; NULL: none are any more. If another process has truncated the file, an access
/// replaces them with zeroes of this process's own, and does not end the process.
void clinux_guard(void *base, size_t length);
