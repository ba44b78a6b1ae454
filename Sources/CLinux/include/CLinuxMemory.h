// The allocator: what Glibc's module map leaves out.
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
