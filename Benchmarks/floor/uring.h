// Sends the same bytes to many sockets with one system call for up to 256 of them: io_uring, without a library. Whoever includes it
// defines _GNU_SOURCE.
#include <linux/io_uring.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { URING_ENTRIES = 256 };

struct uring {
  int descriptor;
  unsigned *submitted, *taken, *completed, submission_mask, completion_mask;
  struct io_uring_sqe *requests;
  struct io_uring_cqe *results;
};

/// Returns false where the kernel does not allow it.
static bool uring_open(struct uring *ring) {
  struct io_uring_params parameters = {
      .flags = IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_DEFER_TASKRUN | IORING_SETUP_COOP_TASKRUN};
  ring->descriptor = syscall(SYS_io_uring_setup, URING_ENTRIES, &parameters);
  if (ring->descriptor < 0) return false;
  size_t size = parameters.cq_off.cqes + parameters.cq_entries * sizeof *ring->results;
  size_t other = parameters.sq_off.array + parameters.sq_entries * sizeof(unsigned);
  uint8_t *rings = mmap(NULL, size > other ? size : other, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE,
                        ring->descriptor, IORING_OFF_SQ_RING);
  ring->requests = mmap(NULL, parameters.sq_entries * sizeof *ring->requests, PROT_READ | PROT_WRITE,
                        MAP_SHARED | MAP_POPULATE, ring->descriptor, IORING_OFF_SQES);
  if (rings == MAP_FAILED || (void *)ring->requests == MAP_FAILED) return false;
  ring->submitted = (unsigned *)(rings + parameters.sq_off.tail);
  ring->taken = (unsigned *)(rings + parameters.cq_off.head);
  ring->completed = (unsigned *)(rings + parameters.cq_off.tail);
  ring->submission_mask = parameters.sq_entries - 1;
  ring->completion_mask = parameters.cq_entries - 1;
  ring->results = (struct io_uring_cqe *)(rings + parameters.cq_off.cqes);
  // The n-th request is the n-th place.
  unsigned *array = (unsigned *)(rings + parameters.sq_off.array);
  for (unsigned index = 0; index < parameters.sq_entries; index++) array[index] = index;
  return true;
}

/// Calls `unsent` for each socket that has not taken all, with what is left.
static void uring_send(struct uring *ring, const int *sockets, int count, const uint8_t *bytes, size_t length,
                       void (*unsent)(int, const uint8_t *, size_t)) {
  for (int first = 0; first < count; first += URING_ENTRIES) {
    unsigned some = count - first < URING_ENTRIES ? count - first : URING_ENTRIES, tail = *ring->submitted;
    for (unsigned index = 0; index < some; index++) {
      ring->requests[(tail + index) & ring->submission_mask] = (struct io_uring_sqe){
          .opcode = IORING_OP_SEND, .fd = sockets[first + index], .addr = (uintptr_t)bytes, .len = length,
          .msg_flags = MSG_NOSIGNAL | MSG_DONTWAIT, .user_data = sockets[first + index]};
    }
    atomic_store_explicit((_Atomic unsigned *)ring->submitted, tail + some, memory_order_release);
    if (syscall(SYS_io_uring_enter, ring->descriptor, some, some, IORING_ENTER_GETEVENTS, NULL, 0) < 0) abort();
    unsigned head = *ring->taken, end = atomic_load_explicit((_Atomic unsigned *)ring->completed, memory_order_acquire);
    for (; head != end; head++) {
      struct io_uring_cqe *result = &ring->results[head & ring->completion_mask];
      size_t sent = result->res > 0 ? result->res : 0;
      if (sent < length && (result->res >= 0 || result->res == -EAGAIN)) {
        unsent(result->user_data, bytes + sent, length - sent);
      }
    }
    atomic_store_explicit((_Atomic unsigned *)ring->taken, head, memory_order_release);
  }
}
