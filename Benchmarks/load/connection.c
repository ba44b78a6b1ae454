// One connection: connecting, sending, reading what has come and counting it. It knows no protocol.
#include "load.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/un.h>

enum { ROOM = 256 << 10 };

void open_connection(struct connection *connection) {
  *connection = (struct connection){
      .protocol = options.protocol, .descriptor = -1, .newest = first_value, .stride = 1};
}

void close_connection(struct connection *connection) {
  if (connection->descriptor >= 0) close(connection->descriptor);
  free(connection->kept);
}

static int connect_unix(const char *path) {
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  if (strlen(path) >= sizeof address.sun_path) return -1;
  memcpy(address.sun_path, path, strlen(path));
  int descriptor = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (descriptor >= 0 && connect(descriptor, (void *)&address, sizeof address) == 0) return descriptor;
  if (descriptor >= 0) close(descriptor);
  return -1;
}

static int connect_loopback(int port) {
  struct sockaddr_in address = {
      .sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  int descriptor = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (descriptor >= 0 && connect(descriptor, (void *)&address, sizeof address) == 0) {
    setsockopt(descriptor, IPPROTO_TCP, TCP_NODELAY, &(int){1}, sizeof(int));
    return descriptor;
  }
  if (descriptor >= 0) close(descriptor);
  return -1;
}

/// `unix:PATH` or `tcp:PORT`.
int connect_to(const char *address) {
  if (strncmp(address, "unix:", 5) == 0) return connect_unix(address + 5);
  return connect_loopback(atoi(address + 4));
}

int send_all(int descriptor, const void *bytes, size_t count) {
  const char *next = bytes;
  while (count > 0) {
    ssize_t sent = send(descriptor, next, count, MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent < 0) return -1;
    next += sent;
    count -= sent;
  }
  return 0;
}

static void reserve(struct connection *connection, size_t capacity) {
  if (capacity <= connection->kept_capacity) return;
  connection->kept_capacity = 2 * capacity;
  connection->kept = realloc(connection->kept, connection->kept_capacity);
}

static void keep(struct connection *connection, const uint8_t *rest, size_t count) {
  reserve(connection, count);
  if (count > 0) memcpy(connection->kept, rest, count);
  connection->kept_count = count;
}

/// Messages that take many reads are put together where they are kept.
static ssize_t pump_large(struct connection *connection, int flags) {
  size_t count = connection->kept_count;
  reserve(connection, count + ROOM);
  ssize_t received = recv(connection->descriptor, connection->kept + count, ROOM, flags);
  if (received < 0) return errno == EAGAIN || errno == EINTR ? 0 : -1;
  if (received == 0) return -1;
  count += received;
  ssize_t used = connection->protocol->parse(connection, connection->kept, count);
  if (used < 0) return -1;
  connection->kept_count = count - used;
  if (used > 0) memmove(connection->kept, connection->kept + used, connection->kept_count);
  return received;
}

ssize_t pump(struct connection *connection, int flags) {
  if (options.size > ROOM / 16) return pump_large(connection, flags);
  static __thread uint8_t *room;
  if (!room) room = malloc(ROOM);
  size_t count = connection->kept_count;
  if (count > 0) memcpy(room, connection->kept, count);
  ssize_t received = recv(connection->descriptor, room + count, ROOM - count, flags);
  if (received < 0) return errno == EAGAIN || errno == EINTR ? 0 : -1;
  if (received == 0) return -1;
  count += received;
  ssize_t used = connection->protocol->parse(connection, room, count);
  if (used < 0) return -1;
  keep(connection, room + used, count - used);
  return received;
}

int await_replies(struct connection *connection, uint64_t replies) {
  double end = now() + 10e6;
  while (connection->replies < replies) {
    if (pump(connection, 0) < 0 || now() > end) return -1;
  }
  return 0;
}

void put_value(void *digits, uint64_t value) {
  char *text = digits;
  for (int index = VALUE_LENGTH - 1; index >= 0; index--, value /= 10) text[index] = '0' + value % 10;
}

uint8_t *put_padded(uint8_t *out, uint64_t value) {
  put_value(out, value);
  memset(out + VALUE_LENGTH, '.', options.size - VALUE_LENGTH);
  return out + options.size;
}

void got_value(struct connection *connection, const void *digits, size_t count) {
  const char *text = digits;
  uint64_t value = 0;
  if (count != (size_t)options.size) return;
  for (int index = 0; index < VALUE_LENGTH; index++) value = value * 10 + (text[index] - '0');
  // The value of before the run, with which most brokers greet a subscriber.
  if (value <= connection->newest) return;
  uint64_t step = (value - connection->newest) / connection->stride;
  connection->gaps += step - 1;
  connection->newest = value;
  connection->progress += step;
  connection->deliveries++;
}

void got_reply(struct connection *connection) { connection->replies++; }
