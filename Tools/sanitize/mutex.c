// Tells the thread sanitizer when Swift's Mutex is taken and released under contention. Preloaded by Tools/sanitize/run only.
//
// The uncontended paths are inlined into the program and seen there. The contended ones lie in libswiftSynchronization, which
// is not instrumented, and end in a futex of the kernel: without this everything that a contended mutex protects is reported.
//
// It also keeps the list of suppressions from the processes that tests start: a confined hub cannot read it when it is executed
// again, and only the tests themselves need it.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define SWIFT __attribute__((swiftcall))
#define SELF __attribute__((swift_context)) void *

#define LOCK "$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF"
#define TRY_LOCK "$s15Synchronization12_MutexHandleV12_tryLockSlowSbyF"
#define UNLOCK "$s15Synchronization12_MutexHandleV11_unlockSlowyyF"

// Processes without the sanitizer, which tests start too, do not have these functions.
static void tell(const char *name, void *mutex) {
  void (*function)(void *) = (void (*)(void *))dlsym(RTLD_DEFAULT, name);
  if (function) function(mutex);
}

// Runs after the sanitizer has read its options. `swift test`, which has none, hands them on to the tests.
__attribute__((constructor)) static void keep_suppressions(void) {
  char *options = getenv("TSAN_OPTIONS");
  char *list = options ? strstr(options, "suppressions=") : NULL;
  if (!list || !dlsym(RTLD_DEFAULT, "__tsan_acquire")) return;
  memset(list, ' ', strcspn(list, " "));
}

SWIFT void lock_slow(uint32_t thread, SELF mutex) __asm__(LOCK);
SWIFT bool try_lock_slow(SELF mutex) __asm__(TRY_LOCK);
SWIFT void unlock_slow(SELF mutex) __asm__(UNLOCK);

SWIFT void lock_slow(uint32_t thread, SELF mutex) {
  SWIFT void (*lock)(uint32_t, SELF) = dlsym(RTLD_NEXT, LOCK);
  lock(thread, mutex);
  tell("__tsan_acquire", mutex);
}

SWIFT bool try_lock_slow(SELF mutex) {
  SWIFT bool (*try_lock)(SELF) = dlsym(RTLD_NEXT, TRY_LOCK);
  bool is_locked = try_lock(mutex);
  if (is_locked) tell("__tsan_acquire", mutex);
  return is_locked;
}

SWIFT void unlock_slow(SELF mutex) {
  SWIFT void (*unlock)(SELF) = dlsym(RTLD_NEXT, UNLOCK);
  tell("__tsan_release", mutex);
  unlock(mutex);
}
