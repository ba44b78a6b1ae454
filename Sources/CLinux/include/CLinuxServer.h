// What the hub's server needs: accepting and naming peers, epoll, signals and timers as descriptors, record locks.
#pragma once
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

/// bind(2) to the Unix socket path of `length` bytes, at most 107.
static inline int clinux_bind_unix(int descriptor, const void *path, size_t length) {
  struct sockaddr_un address;
  if (length >= sizeof address.sun_path) {
    errno = ENAMETOOLONG;
    return -1;
  }
  memset(&address, 0, sizeof address);
  address.sun_family = AF_UNIX;
  memcpy(address.sun_path, path, length);
  return bind(descriptor, (const struct sockaddr *)&address,
              (socklen_t)(offsetof(struct sockaddr_un, sun_path) + length + 1));
}

/// A Unix stream socket that never blocks and is closed on exec.
static inline int clinux_unix_stream_nonblocking(void) {
  return socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
}

/// accept4(2): the connection never blocks, and lives on across exec.
static inline int clinux_accept(int listener) {
  return (int)syscall(SYS_accept4, listener, NULL, NULL, SOCK_NONBLOCK);
}

/// SO_PEERCRED.
static inline int clinux_peer_credentials(int descriptor, uint32_t *pid, uint32_t *uid, uint32_t *gid) {
  struct { uint32_t pid, uid, gid; } credentials;
  socklen_t length = sizeof credentials;
  int result = getsockopt(descriptor, SOL_SOCKET, SO_PEERCRED, &credentials, &length);
  if (result == 0) {
    *pid = credentials.pid;
    *uid = credentials.uid;
    *gid = credentials.gid;
  }
  return result;
}

/// recv(2) that also tells whether control data ended the read: then there may be more, although not all room was used.
/// There is no room for control data: the kernel closes descriptors that came with the bytes.
static inline ssize_t clinux_receive(int descriptor, void *bytes, size_t length, bool *is_cut) {
  struct iovec vector = {bytes, length};
  struct msghdr message = {0};
  message.msg_iov = &vector;
  message.msg_iovlen = 1;
  ssize_t count = recvmsg(descriptor, &message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
  *is_cut = (message.msg_flags & MSG_CTRUNC) != 0;
  return count;
}

static inline ssize_t clinux_send(int descriptor, const void *bytes, size_t length) {
  return send(descriptor, bytes, length, MSG_DONTWAIT | MSG_NOSIGNAL);
}

/// EPOLL_CTL_ADD or EPOLL_CTL_MOD, edge-triggered, with the descriptor as the event's data.
static inline int clinux_epoll_control(int epoll, int operation, int descriptor, uint32_t events) {
  struct epoll_event event;
  event.events = events;
  event.data.u64 = (uint32_t)descriptor;
  return epoll_ctl(epoll, operation, descriptor, &event);
}

static inline int clinux_event_descriptor(const struct epoll_event *event) {
  return (int)(uint32_t)event->data.u64;
}

static inline uint32_t clinux_event_flags(const struct epoll_event *event) { return event->events; }

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

/// A descriptor that reads `signals`, which have to be blocked.
static inline int clinux_signal_descriptor(const int *signals, size_t count) {
  sigset_t set = clinux_signal_set(signals, count);
  return signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

/// The number of a signal that is waiting, 0 if there is none.
static inline int clinux_next_signal(int descriptor) {
  struct signalfd_siginfo info;
  return read(descriptor, &info, sizeof info) == (ssize_t)sizeof info ? (int)info.ssi_signo : 0;
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

/// Address space for zeroes that cost memory only where they are touched, NULL if there is none.
static inline void *clinux_reserve(size_t length) {
  void *base = mmap(NULL, length, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return base == MAP_FAILED ? NULL : base;
}
