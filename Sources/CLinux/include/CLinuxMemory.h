// The allocator: what Glibc's module map leaves out.
#pragma once

#include <malloc.h>

/// Frees every small block for good at once, instead of all of them at some later call.
static inline void clinux_join_freed_blocks_at_once(void) { mallopt(M_MXFAST, 0); }
