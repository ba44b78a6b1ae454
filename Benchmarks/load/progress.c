// Deliveries, counted in shared memory: the subscriber whose delivery completes an update wakes the publisher.
#include "load.h"

#include <linux/futex.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>

static struct shared {
  struct progress times;
  _Atomic uint64_t delivered, before, target;
  _Atomic uint32_t completed;
} *shared;

struct progress *progress;

static long futex(int operation, uint32_t value, const struct timespec *timeout) {
  return syscall(SYS_futex, (uint32_t *)&shared->completed, operation, value, timeout, NULL, 0);
}

__attribute__((constructor)) static void share(void) {
  shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (shared == MAP_FAILED) abort();
  progress = &shared->times;
  atomic_store(&shared->target, UINT64_MAX);
}

uint64_t delivered(void) { return atomic_load(&shared->delivered); }

void expect_deliveries(uint64_t before, uint64_t target) {
  progress->first = progress->last = 0;
  atomic_store(&shared->before, before);
  atomic_store(&shared->target, target);
}

void note_deliveries(uint64_t count, double time) {
  if (count == 0) return;
  uint64_t before = atomic_fetch_add(&shared->delivered, count);
  uint64_t target = atomic_load(&shared->target);
  if (before == atomic_load(&shared->before)) progress->first = time;
  if (before < target && before + count >= target) {
    progress->last = time;
    atomic_fetch_add(&shared->completed, 1);
    futex(FUTEX_WAKE, 1, NULL);
  }
}

bool await_deliveries(uint64_t target, double patience) {
  double end = now() + patience;
  for (;;) {
    uint32_t completed = atomic_load(&shared->completed);
    atomic_store(&shared->target, target);
    if (delivered() >= target) return true;
    if (now() > end) return false;
    futex(FUTEX_WAIT, completed, &(struct timespec){.tv_nsec = 100000000});
  }
}

/// Some deliveries will never be made: counting goes on as if they had been.
void give_up_on(uint64_t target) { atomic_store(&shared->delivered, target); }
