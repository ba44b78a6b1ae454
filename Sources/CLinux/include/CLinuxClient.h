// What the client library needs: connecting to a Unix socket, and waiting on descriptors.
#pragma once
#include <errno.h>
#include <stddef.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

/// connect(2) to the Unix stream socket at `path`, which is `length` bytes long and at most 107.
static inline int clinux_connect_unix(int descriptor, const void *path, size_t length) {
  struct sockaddr_un address;
  if (length >= sizeof address.sun_path) {
    errno = ENAMETOOLONG;
    return -1;
  }
  memset(&address, 0, sizeof address);
  address.sun_family = AF_UNIX;
  memcpy(address.sun_path, path, length);
  return connect(descriptor, (const struct sockaddr *)&address,
                 (socklen_t)(offsetof(struct sockaddr_un, sun_path) + length + 1));
}

/// A Unix stream socket that is closed on exec.
static inline int clinux_unix_stream(void) { return socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0); }

/// Asks the processor for `length` bytes that are about to be read and written. A hint: no address is wrong.
static inline void clinux_prefetch(const void *start, size_t length) {
  for (size_t offset = 0; offset < length; offset += 64) __builtin_prefetch((const char *)start + offset, 1);
}
