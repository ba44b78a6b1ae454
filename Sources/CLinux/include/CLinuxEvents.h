// Waiting for descriptors: epoll, and signals, timers and other threads as descriptors; the clocks.
#pragma once
#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

/// What a read can report, edge-triggered: more bytes, urgent data, an end.
static inline uint32_t clinux_poller_flags(bool is_edge, bool is_writing) {
  return (is_edge ? EPOLLIN | EPOLLPRI | EPOLLRDHUP | EPOLLET : EPOLLIN) | (is_writing ? EPOLLOUT : 0u);
}

static inline int clinux_poller_control(int epoll, int operation, int descriptor, uint32_t flags) {
  struct epoll_event event;
  event.events = flags;
  event.data.u64 = (uint32_t)descriptor;
  return epoll_ctl(epoll, operation, descriptor, &event);
}

/// Watches a descriptor, which is the event's data. Returns 0, or -1 with errno.
static inline int clinux_poller_add(int epoll, int descriptor, bool is_edge) {
  return clinux_poller_control(epoll, EPOLL_CTL_ADD, descriptor, clinux_poller_flags(is_edge, false));
}

/// Watches a watched descriptor for writability too, or no longer.
static inline int clinux_poller_set_writing(int epoll, int descriptor, bool is_edge, bool is_writing) {
  return clinux_poller_control(epoll, EPOLL_CTL_MOD, descriptor, clinux_poller_flags(is_edge, is_writing));
}

static inline int clinux_poller_wait(int epoll, struct epoll_event *events, int capacity, int milliseconds) {
  // Not epoll_wait(), as with send.
  return (int)syscall(SYS_epoll_pwait, epoll, events, capacity, milliseconds, NULL, 0);
}

static inline int clinux_event_descriptor(const struct epoll_event *event) {
  return (int)(uint32_t)event->data.u64;
}

static inline uint32_t clinux_event_flags(const struct epoll_event *event) { return event->events; }

/// Its input ends, permanently or at urgent data.
static inline bool clinux_ends_reads(uint32_t flags) {
  return (flags & (EPOLLRDHUP | EPOLLHUP | EPOLLERR | EPOLLPRI)) != 0;
}

/// It can be read, or a read will report that it has ended.
static inline bool clinux_is_readable(uint32_t flags) {
  return (flags & (EPOLLIN | EPOLLRDHUP | EPOLLHUP | EPOLLERR | EPOLLPRI)) != 0;
}

/// It can be written, or a write will report that it has ended.
static inline bool clinux_is_writable(uint32_t flags) { return (flags & (EPOLLOUT | EPOLLHUP | EPOLLERR)) != 0; }

static inline sigset_t clinux_signal_set(const int *signals, size_t count) {
  sigset_t set;
  sigemptyset(&set);
  for (size_t index = 0; index < count; index++) sigaddset(&set, signals[index]);
  return set;
}

/// Blocks or unblocks `signals` for this thread. The mask lives on across exec, and so do signals that wait.
static inline void clinux_set_blocked(int isBlocked, const int *signals, size_t count) {
  sigset_t set = clinux_signal_set(signals, count);
  pthread_sigmask(isBlocked ? SIG_BLOCK : SIG_UNBLOCK, &set, NULL);
}

/// Gives a signal its default effect, also one that glibc keeps for itself.
static inline void clinux_restore_signal(int signal) {
  unsigned char action[64] = {0};
  syscall(SYS_rt_sigaction, signal, action, NULL, 8);
}

/// Whether the process ignores a signal.
static inline int clinux_is_ignored(int signal) {
  struct sigaction action;
  return sigaction(signal, NULL, &action) == 0 && action.sa_handler == SIG_IGN;
}

/// A descriptor that reads `signals`, which have to be blocked.
static inline int clinux_signal_descriptor(const int *signals, size_t count) {
  sigset_t set = clinux_signal_set(signals, count);
  return signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

/// The number of a signal that is waiting, 0 if there is none; and whether the kernel itself has sent it, as a terminal does for
/// a key.
static inline int clinux_next_signal(int descriptor, bool *is_from_kernel) {
  struct signalfd_siginfo info;
  if (read(descriptor, &info, sizeof info) != (ssize_t)sizeof info) return 0;
  *is_from_kernel = info.ssi_code == SI_KERNEL;
  return (int)info.ssi_signo;
}

static inline int clinux_boottime_timer(void) {
  return timerfd_create(CLOCK_BOOTTIME, TFD_CLOEXEC | TFD_NONBLOCK);
}

/// Sets the timer to an absolute time in nanoseconds; 0 stops it.
static inline int clinux_set_timer(int timer, uint64_t nanoseconds) {
  struct itimerspec setting;
  memset(&setting, 0, sizeof setting);
  setting.it_value.tv_sec = (time_t)(nanoseconds / 1000000000);
  setting.it_value.tv_nsec = (long)(nanoseconds % 1000000000);
  return timerfd_settime(timer, TFD_TIMER_ABSTIME, &setting, NULL);
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

static inline uint64_t clinux_nanoseconds(clockid_t clock) {
  struct timespec time;
  clock_gettime(clock, &time);
  return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

static inline uint64_t clinux_real_time(void) { return clinux_nanoseconds(CLOCK_REALTIME); }
static inline uint64_t clinux_boot_time(void) { return clinux_nanoseconds(CLOCK_BOOTTIME); }
static inline uint64_t clinux_monotonic_time(void) { return clinux_nanoseconds(CLOCK_MONOTONIC); }
