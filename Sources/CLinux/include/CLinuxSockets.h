// Unix sockets: addresses, connecting and listening, peers, bytes and descriptors in messages.
#pragma once
#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

/// Makes the address of `length` bytes: a path, which ends with a zero, or with a leading '@' an abstract name if
/// `allows_abstract`. Returns how long the address is, or 0 with errno.
static inline socklen_t clinux_unix_address(struct sockaddr_un *address, const void *name, size_t length,
                                            bool allows_abstract) {
  if (length >= sizeof address->sun_path) {
    errno = ENAMETOOLONG;
    return 0;
  }
  memset(address, 0, sizeof *address);
  address->sun_family = AF_UNIX;
  memcpy(address->sun_path, name, length);
  bool is_abstract = allows_abstract && address->sun_path[0] == '@';
  if (is_abstract) address->sun_path[0] = 0;
  return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + length + !is_abstract);
}

/// connect(2) to the Unix socket at `path`, which is `length` bytes long and at most 107. -1 with errno.
static inline int clinux_connect_unix(int descriptor, const void *path, size_t length) {
  struct sockaddr_un address;
  socklen_t size = clinux_unix_address(&address, path, length, false);
  return size == 0 ? -1 : connect(descriptor, (const struct sockaddr *)&address, size);
}

/// bind(2) to the Unix socket path of `length` bytes, at most 107. -1 with errno.
static inline int clinux_bind_unix(int descriptor, const void *path, size_t length) {
  struct sockaddr_un address;
  socklen_t size = clinux_unix_address(&address, path, length, false);
  return size == 0 ? -1 : bind(descriptor, (const struct sockaddr *)&address, size);
}

/// A datagram socket connected to a Unix address of `length` bytes: a path, or with a leading '@' an abstract name.
/// -1 with errno.
static inline int clinux_datagrams_to(const void *name, size_t length) {
  struct sockaddr_un address;
  socklen_t size = clinux_unix_address(&address, name, length, true);
  if (size == 0) return -1;
  int descriptor = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (descriptor < 0 || connect(descriptor, (const struct sockaddr *)&address, size) == 0) return descriptor;
  int problem = errno;
  close(descriptor);
  errno = problem;
  return -1;
}

/// A Unix stream socket that is closed on exec.
static inline int clinux_unix_stream(void) { return socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0); }

/// A Unix stream socket that never blocks and is closed on exec.
static inline int clinux_unix_stream_nonblocking(void) {
  return socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
}

/// Two connected sockets, closed on exec, for a stream or for messages that are kept apart. Returns 0, or -1 with errno.
static inline int clinux_socket_pair(int *one, int *other, bool keeps_messages) {
  int ends[2];
  if (socketpair(AF_UNIX, (keeps_messages ? SOCK_SEQPACKET : SOCK_STREAM) | SOCK_CLOEXEC, 0, ends) != 0) return -1;
  *one = ends[0];
  *other = ends[1];
  return 0;
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

#ifndef SO_PEERPIDFD
#define SO_PEERPIDFD 77
#endif

/// SO_PEERPIDFD (Linux 6.5): the peer's process, whatever becomes of its number. -1 with errno, also if it is gone.
static inline int clinux_peer_process(int descriptor) {
  int process = -1;
  socklen_t length = sizeof process;
  return getsockopt(descriptor, SOL_SOCKET, SO_PEERPIDFD, &process, &length) == 0 ? process : -1;
}

/// recv(2) without waiting.
static inline ssize_t clinux_receive_plain(int descriptor, void *bytes, size_t length) {
  for (;;) {
    ssize_t count = syscall(SYS_recvfrom, descriptor, bytes, length, MSG_DONTWAIT, NULL, NULL);
    if (count >= 0 || errno != EINTR) return count;
  }
}

/// The same, which also tells whether control data ended the read: then there may be more, although not all room was used.
/// There is no room for control data: the kernel closes descriptors that came with the bytes.
static inline ssize_t clinux_receive(int descriptor, void *bytes, size_t length, bool *is_cut) {
  struct iovec vector = {bytes, length};
  struct msghdr message = {0};
  message.msg_iov = &vector;
  message.msg_iovlen = 1;
  for (;;) {
    ssize_t count = syscall(SYS_recvmsg, descriptor, &message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
    *is_cut = (message.msg_flags & MSG_CTRUNC) != 0;
    if (count >= 0 || errno != EINTR) return count;
  }
}

/// send(2) without waiting and without SIGPIPE.
static inline ssize_t clinux_send(int descriptor, const void *bytes, size_t length) {
  // Not send(): in a process with threads it is a cancellation point, which costs it 50 instructions. This never waits.
  return syscall(SYS_sendto, descriptor, bytes, length, MSG_DONTWAIT | MSG_NOSIGNAL, NULL, 0);
}

/// SCM_MAX_FD: the kernel takes no more descriptors in one message.
enum { clinux_descriptors_per_message = 253 };

/// Sends bytes, and with them up to 253 descriptors. Flags are those of sendmsg(2).
static inline ssize_t clinux_send_descriptors(int socket, const void *bytes, size_t length, const int *descriptors,
                                              size_t count, int flags) {
  union {
    struct cmsghdr header;
    char space[CMSG_SPACE(clinux_descriptors_per_message * sizeof(int))];
  } control;
  struct iovec vector = {(void *)bytes, length};
  struct msghdr message;
  memset(&message, 0, sizeof message);
  message.msg_iov = &vector;
  message.msg_iovlen = 1;
  if (count > clinux_descriptors_per_message) {
    errno = EINVAL;
    return -1;
  }
  if (count > 0) {
    message.msg_control = &control;
    message.msg_controllen = CMSG_SPACE(count * sizeof(int));
    memset(&control, 0, message.msg_controllen);
    control.header.cmsg_level = SOL_SOCKET;
    control.header.cmsg_type = SCM_RIGHTS;
    control.header.cmsg_len = CMSG_LEN(count * sizeof(int));
    memcpy(CMSG_DATA(&control.header), descriptors, count * sizeof(int));
  }
  return sendmsg(socket, &message, flags | MSG_NOSIGNAL);
}

/// Receives one message and the descriptors in it, which live on across exec. `descriptors` has room for 253.
static inline ssize_t clinux_receive_descriptors(int socket, void *bytes, size_t length, int *descriptors,
                                                 size_t *count, int flags) {
  union {
    struct cmsghdr header;
    char space[CMSG_SPACE(clinux_descriptors_per_message * sizeof(int))];
  } control;
  struct iovec vector = {bytes, length};
  struct msghdr message;
  memset(&message, 0, sizeof message);
  message.msg_iov = &vector;
  message.msg_iovlen = 1;
  message.msg_control = &control;
  message.msg_controllen = sizeof control;
  *count = 0;
  ssize_t received = recvmsg(socket, &message, flags);
  if (received < 0) return received;
  for (struct cmsghdr *header = CMSG_FIRSTHDR(&message); header; header = CMSG_NXTHDR(&message, header)) {
    if (header->cmsg_level != SOL_SOCKET || header->cmsg_type != SCM_RIGHTS) continue;
    size_t more = (header->cmsg_len - CMSG_LEN(0)) / sizeof(int);
    memcpy(descriptors + *count, CMSG_DATA(header), more * sizeof(int));
    *count += more;
  }
  return received;
}

/// Whether a descriptor is a Unix stream socket that listens: 1, or 0 with errno 0, or -1 with errno if it is none at all.
static inline int clinux_is_listening_unix_stream(int descriptor) {
  int domain = 0, type = 0, listens = 0;
  socklen_t length = sizeof(int);
  errno = 0;
  if (getsockopt(descriptor, SOL_SOCKET, SO_DOMAIN, &domain, &length) != 0) return errno == ENOTSOCK ? (errno = 0) : -1;
  length = sizeof(int);
  if (getsockopt(descriptor, SOL_SOCKET, SO_TYPE, &type, &length) != 0) return -1;
  length = sizeof(int);
  if (getsockopt(descriptor, SOL_SOCKET, SO_ACCEPTCONN, &listens, &length) != 0) return -1;
  return domain == AF_UNIX && type == SOCK_STREAM && listens;
}

/// The path that a Unix socket is bound to: its length, 0 if it has none. `path` has room for 108 bytes.
static inline size_t clinux_bound_path(int descriptor, char *path) {
  struct sockaddr_un address;
  socklen_t length = sizeof address;
  memset(&address, 0, sizeof address);
  if (getsockname(descriptor, (struct sockaddr *)&address, &length) != 0 || address.sun_family != AF_UNIX) return 0;
  size_t count = strnlen(address.sun_path, sizeof address.sun_path);
  memcpy(path, address.sun_path, count);
  return count;
}

/// SO_PEERGROUPS: the supplementary groups that the peer had when it connected. `count` is how many there is room for, and
/// becomes how many there are. Returns 0, or -1 with errno; with ERANGE there is too little room.
static inline int clinux_peer_groups(int descriptor, uint32_t *groups, size_t *count) {
  socklen_t length = (socklen_t)(*count * sizeof *groups);
  int result = getsockopt(descriptor, SOL_SOCKET, SO_PEERGROUPS, groups, &length);
  *count = length / sizeof *groups;
  return result;
}
