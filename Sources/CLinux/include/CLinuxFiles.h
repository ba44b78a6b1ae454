// Files: what tells one from its copy, locks that name their holder, files in memory, mappings, descriptors in bulk.
#pragma once
#include <errno.h>
#include <fcntl.h>
#include <linux/stat.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
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

/// Locks a whole file for this process, which keeps it locked across exec. Returns 0 if it is ours, the pid of the
/// process that has it, or -1 with errno.
static inline int clinux_lock_or_holder(int descriptor) {
  struct flock lock;
  for (;;) {
    memset(&lock, 0, sizeof lock);
    lock.l_type = F_WRLCK;
    lock.l_whence = SEEK_SET;
    if (fcntl(descriptor, F_SETLK, &lock) == 0) return 0;
    if (errno != EACCES && errno != EAGAIN) return -1;
    if (fcntl(descriptor, F_GETLK, &lock) != 0) return -1;
    if (lock.l_type != F_UNLCK) return lock.l_pid > 0 ? lock.l_pid : 1;
  }
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

/// An anonymous file that is closed on exec.
static inline int clinux_memory_file(const char *name, bool can_be_sealed) {
  return (int)syscall(SYS_memfd_create, name, 1u /* MFD_CLOEXEC */ | (can_be_sealed ? 2u /* MFD_ALLOW_SEALING */ : 0u));
}

/// Nobody changes the file's content or size any more, not even its owner. Returns 0, or -1 with errno.
static inline int clinux_seal(int file) {
  return fcntl(file, 1033 /* F_ADD_SEALS */, 0x0001 | 0x0002 | 0x0004 | 0x0008 /* SEAL, SHRINK, GROW, WRITE */);
}

/// Whether the file is sealed as `clinux_seal` does it.
static inline int clinux_is_sealed(int file) { return fcntl(file, 1034 /* F_GET_SEALS */) == 0x000F; }

/// Brings all pages of a mapped file into memory. Returns 0, or -1 if one of them cannot be read, or the kernel cannot tell.
static inline int clinux_populate(void *start, size_t length) {
  return madvise(start, length, 22 /* MADV_POPULATE_READ */);
}

/// Address space for zeroes that cost memory only where they are touched, NULL if there is none.
static inline void *clinux_reserve(size_t length) {
  void *base = mmap(NULL, length, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return base == MAP_FAILED ? NULL : base;
}

/// Closes every descriptor from `first` on.
static inline void clinux_close_from(int first) { syscall(SYS_close_range, first, ~0u, 0u); }

/// A pipe that is closed on exec. Returns 0, or -1 with errno.
static inline int clinux_pipe(int *reading, int *writing) {
  int ends[2];
  if (syscall(SYS_pipe2, ends, O_CLOEXEC) != 0) return -1;
  *reading = ends[0];
  *writing = ends[1];
  return 0;
}

/// A queue of changes to files, which never blocks and is closed on exec. -1 with errno.
static inline int clinux_file_watch(void) { return inotify_init1(IN_NONBLOCK | IN_CLOEXEC); }

/// Reports to the queue when the file at `path` is removed, replaced or moved, or gets other rights; of a directory, when it
/// is removed or moved. -1 with errno.
static inline int clinux_watch_file(int watch, const char *path, bool is_directory) {
  uint32_t changes = IN_DELETE_SELF | IN_MOVE_SELF;
  return inotify_add_watch(watch, path, is_directory ? changes : changes | IN_ATTRIB | IN_DONT_FOLLOW);
}
