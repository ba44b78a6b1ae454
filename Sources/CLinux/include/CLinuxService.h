// What talking to a service manager needs: datagrams to its socket, descriptors in messages, what a passed descriptor is.
#pragma once
#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

/// A datagram socket connected to a Unix address of `length` bytes: a path, or with a leading '@' an abstract name.
/// -1 with errno.
static inline int clinux_datagrams_to(const void *name, size_t length) {
  struct sockaddr_un address;
  if (length == 0 || length >= sizeof address.sun_path) {
    errno = ENAMETOOLONG;
    return -1;
  }
  memset(&address, 0, sizeof address);
  address.sun_family = AF_UNIX;
  memcpy(address.sun_path, name, length);
  int isAbstract = address.sun_path[0] == '@';
  if (isAbstract) address.sun_path[0] = 0;
  int descriptor = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (descriptor < 0) return -1;
  socklen_t size = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + length + !isAbstract);
  if (connect(descriptor, (const struct sockaddr *)&address, size) == 0) return descriptor;
  int problem = errno;
  close(descriptor);
  errno = problem;
  return -1;
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
