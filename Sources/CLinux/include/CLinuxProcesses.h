// Processes: starting and watching them, their limits and users, and the path of this one's program.
#pragma once
#include <elf.h>
#include <pthread.h>
#include <spawn.h>
#include <stdint.h>
#include <sys/auxv.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/// The child keeps no descriptor from `first` on. Declared by glibc only for _GNU_SOURCE.
extern int posix_spawn_file_actions_addclosefrom_np(posix_spawn_file_actions_t *actions, int first);

/// A copy of this process, in which 0 is returned; -1 with errno. Only where there are no other threads.
static inline pid_t clinux_fork(void) { return fork(); }

/// Executes a program, which is searched for in `$PATH`, with other variables. Returns only with errno.
static inline int clinux_execute(char *const *words, char **variables) {
  extern char **environ;
  environ = variables;
  return execvp(words[0], words);
}

/// The words of this process's command line.
int clinux_argument_count(void);
char *clinux_argument(int index);

/// A descriptor that becomes readable when the process ends.
static inline int clinux_pidfd_open(pid_t pid) { return (int)syscall(SYS_pidfd_open, pid, 0); }

/// Makes this thread alone act as another user, or as root again. Returns 0, or -1 with errno.
static inline int clinux_set_thread_user(uid_t user) { return (int)syscall(SYS_setresuid, -1, user, -1); }

/// Makes this thread alone act for another group, with these supplementary ones. Returns 0, or -1 with errno.
static inline int clinux_set_thread_groups(gid_t group, const gid_t *groups, size_t count) {
  if (syscall(SYS_setgroups, count, groups) != 0) return -1;
  return (int)syscall(SYS_setresgid, -1, group, -1);
}

/// How long this thread may run before others get their turn, if it is scheduled like most; the kernel's least is 100,000 ns.
/// The shorter it is, the sooner the thread runs when it wakes. Returns 0, or -1 with errno.
static inline int clinux_set_thread_slice(uint64_t nanoseconds) {
  struct {
    uint32_t size, policy;
    uint64_t flags;
    int32_t nice;
    uint32_t priority;
    uint64_t runtime, deadline, period;
  } attributes = {.size = 48};
  if (syscall(SYS_sched_getattr, 0, &attributes, attributes.size, 0u) != 0) return -1;
  attributes.flags = 0;
  attributes.runtime = nanoseconds;
  return (int)syscall(SYS_sched_setattr, 0, &attributes, 0u);
}

/// Sets soft and hard descriptor limit of a process.
static inline int clinux_limit_descriptors(pid_t pid, uint64_t soft, uint64_t hard) {
  struct { uint64_t soft, hard; } limit = {soft, hard};
  return (int)syscall(SYS_prlimit64, pid, 7 /* RLIMIT_NOFILE */, &limit, NULL);
}

/// The path by which this program was started, as the kernel knows it; NULL if it does not tell.
static inline const char *clinux_program_path(void) { return (const char *)getauxval(AT_EXECFN); }

// glibc 2.31 and newer. Its header declares it only for GNU sources.
extern int pthread_clockjoin_np(pthread_t thread, void **result, clockid_t clock, const struct timespec *deadline);

/// Waits for the end of a thread until a time of CLOCK_MONOTONIC. Returns 0 if it has ended, else why not.
static inline int clinux_join_before(pthread_t thread, const struct timespec *deadline) {
  return pthread_clockjoin_np(thread, NULL, CLOCK_MONOTONIC, deadline);
}
