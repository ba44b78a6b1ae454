// What the journal needs of files: what tells one from its copy, and descriptors that wake a thread.
#pragma once
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <linux/stat.h>
#include <unistd.h>

/// The inode of an open file and when it was created, in nanoseconds since 1970; 0 for what is not known.
static inline void clinux_file_origin(int file, uint64_t *inode, uint64_t *birth) {
  struct statx status;
  memset(&status, 0, sizeof status);
  *inode = 0;
  *birth = 0;
  if (syscall(SYS_statx, file, "", 0x1000 /* AT_EMPTY_PATH */, STATX_INO | STATX_BTIME, &status) != 0) return;
  *inode = status.stx_ino;
  if (status.stx_mask & STATX_BTIME)
    *birth = (uint64_t)status.stx_btime.tv_sec * 1000000000 + status.stx_btime.tv_nsec;
}

static inline int clinux_eventfd(void) { return eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK); }

/// Makes an eventfd readable.
static inline void clinux_notify(int event) {
  uint64_t one = 1;
  while (write(event, &one, sizeof one) < 0 && errno == EINTR) {}
}

/// Makes an eventfd unreadable again.
static inline void clinux_unnotify(int event) {
  uint64_t count;
  while (read(event, &count, sizeof count) < 0 && errno == EINTR) {}
}
