// What the journal needs of files: what tells one from its copy, and descriptors that wake a thread.
#pragma once
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
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

/// Brings all pages of a mapped file into memory. Returns 0, or -1 if one of them cannot be read, or the kernel cannot tell.
static inline int clinux_populate(void *start, size_t length) {
  return madvise(start, length, 22 /* MADV_POPULATE_READ */);
}

/// The pid of the process that has locked the file, 0 if none has, -1 with errno. A process that cannot be named is 1.
static inline int clinux_lock_holder(int descriptor) {
  struct flock lock;
  memset(&lock, 0, sizeof lock);
  lock.l_type = F_WRLCK;
  lock.l_whence = SEEK_SET;
  if (fcntl(descriptor, F_GETLK, &lock) != 0) return -1;
  return lock.l_type == F_UNLCK ? 0 : lock.l_pid > 0 ? lock.l_pid : 1;
}

/// As clinux_lock_or_holder, for a file that is open only for reading: the lock keeps writers out, and whoever else shares
/// it is the holder.
static inline int clinux_share_or_holder(int descriptor) {
  struct flock lock;
  memset(&lock, 0, sizeof lock);
  lock.l_type = F_RDLCK;
  lock.l_whence = SEEK_SET;
  if (fcntl(descriptor, F_SETLK, &lock) != 0 && errno != EACCES && errno != EAGAIN) return -1;
  return clinux_lock_holder(descriptor);
}
