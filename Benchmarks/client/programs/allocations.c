// Counts allocations of a process that preloads it: `allocation_count` tells how many there were so far.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stddef.h>

static _Atomic long count;

long allocation_count(void) { return count; }

extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);

void *malloc(size_t size) { count++; return __libc_malloc(size); }
void *calloc(size_t n, size_t size) { count++; return __libc_calloc(n, size); }
void *realloc(void *p, size_t size) { count++; return __libc_realloc(p, size); }
void *aligned_alloc(size_t alignment, size_t size) { count++; return __libc_memalign(alignment, size); }
int posix_memalign(void **p, size_t alignment, size_t size) {
  count++;
  return (*p = __libc_memalign(alignment, size)) ? 0 : 12;
}
