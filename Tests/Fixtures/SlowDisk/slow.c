// Preloaded into a process: its fdatasync waits as long as a test holds the disk, and is counted. The test and the process share the
// file $SLOW_DISK: whether the disk is held, and how many calls have begun and ended.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

static struct { _Atomic int held, begun, ended; } *disk;

__attribute__((constructor)) static void open_disk(void) {
  const char *path = getenv("SLOW_DISK");
  int file = path ? open(path, O_RDWR | O_CLOEXEC) : -1;
  if (file < 0) return;
  void *found = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (found != MAP_FAILED) disk = found;
  close(file);
}

int fdatasync(int file) {
  static int (*real)(int);
  if (!real) real = (int (*)(int))dlsym(RTLD_NEXT, "fdatasync");
  if (disk) atomic_fetch_add(&disk->begun, 1);
  while (disk && atomic_load(&disk->held)) nanosleep(&(struct timespec){0, 1000000}, NULL);
  int result = real(file);
  if (disk) atomic_fetch_add(&disk->ended, 1);
  return result;
}
