// The floor: what a broker costs that does nothing but move bytes. One key, one epoll loop, no names, no queues beyond the
// sockets' own; it is no program that one would use.
//
//   broker PATH raw    one send per subscriber and update
//   broker PATH batch  all updates of one read go to each subscriber in one send
//   broker PATH uring  as raw, but one system call of io_uring for up to 256 subscribers
//   broker PATH lossy  as raw, but every hundredth update is forgotten: shows that the load generator would notice
#define _GNU_SOURCE
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "uring.h"

enum { DESCRIPTORS = 65536, FRAME = 18, ROOM = 1 << 16, EVENTS = 256, LONGEST_REST = 64 };

static bool batches, is_lossy, has_ring;
static struct uring ring;
static uint8_t value[FRAME] = {'v', FRAME - 2, [2 ... FRAME - 1] = '0'};
static int subscribers[DESCRIPTORS], subscriber_count;
/// Where a descriptor stands among the subscribers, -1: it is none.
static int places[DESCRIPTORS];
/// The part of a frame that has come.
static uint8_t rests[DESCRIPTORS][LONGEST_REST];
static size_t rest_lengths[DESCRIPTORS];
static uint8_t batch[1 << 17];
static size_t batched;

static void send_all(int descriptor, const uint8_t *bytes, size_t count) {
  while (count > 0) {
    ssize_t sent = send(descriptor, bytes, count, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent > 0) {
      bytes += sent;
      count -= sent;
    } else if (errno != EAGAIN) {
      return;
    } else {
      poll(&(struct pollfd){.fd = descriptor, .events = POLLOUT}, 1, 1000);
    }
  }
}

static void fan_out(const uint8_t *bytes, size_t count) {
  static unsigned long updates;
  if (is_lossy && ++updates % 100 == 0) return;
  if (has_ring) return uring_send(&ring, subscribers, subscriber_count, bytes, count, send_all);
  for (int index = 0; index < subscriber_count; index++) send_all(subscribers[index], bytes, count);
}

static void flush_batch(void) {
  if (batched > 0) fan_out(batch, batched);
  batched = 0;
}

static void update(const uint8_t *digits) {
  memcpy(value + 2, digits, FRAME - 2);
  if (!batches) {
    if (subscriber_count > 0) fan_out(value, FRAME);
    return;
  }
  memcpy(batch + batched, value, FRAME);
  batched += FRAME;
  if (batched > sizeof batch - FRAME) flush_batch();
}

static void subscribe(int descriptor) {
  if (places[descriptor] >= 0) return;
  places[descriptor] = subscriber_count;
  subscribers[subscriber_count++] = descriptor;
}

/// Carries out whole frames (operation, length, payload) and returns how many bytes they took.
static size_t serve(int descriptor, const uint8_t *bytes, size_t count) {
  static uint8_t replies[1 << 17];
  size_t used = 0, length = 0;
  while (count - used >= 2 && count - used >= 2u + bytes[used + 1]) {
    const uint8_t *frame = bytes + used;
    if (frame[0] == 'W' || frame[0] == 'S') {
      memcpy(replies + length, "R\0", 2);
      length += 2;
    }
    if (frame[0] == 'W' || frame[0] == 'G') {
      memcpy(replies + length, value, FRAME);
      if (frame[0] == 'G') replies[length] = 'V';
      length += FRAME;
    }
    if (frame[0] == 'W') subscribe(descriptor);
    if (frame[0] == 'S' || frame[0] == 'P') update(frame + 2);
    used += 2 + frame[1];
    if (length > sizeof replies - 2 * FRAME) {
      send_all(descriptor, replies, length);
      length = 0;
    }
  }
  if (length > 0) send_all(descriptor, replies, length);
  return used;
}

static void drop(int descriptor) {
  if (places[descriptor] >= 0) {
    int last = subscribers[--subscriber_count];
    subscribers[places[descriptor]] = last;
    places[last] = places[descriptor];
    places[descriptor] = -1;
  }
  rest_lengths[descriptor] = 0;
  close(descriptor);
}

static void receive(int descriptor) {
  static uint8_t room[ROOM];
  size_t rest = rest_lengths[descriptor];
  memcpy(room, rests[descriptor], rest);
  ssize_t received = recv(descriptor, room + rest, sizeof room - rest, MSG_DONTWAIT);
  if (received < 0 && errno == EAGAIN) return;
  if (received <= 0) return drop(descriptor);
  size_t count = rest + received, used = serve(descriptor, room, count);
  if (count - used > LONGEST_REST) return drop(descriptor);
  memcpy(rests[descriptor], room + used, count - used);
  rest_lengths[descriptor] = count - used;
}

static void accept_all(int epoll, int listener) {
  for (int descriptor; (descriptor = accept4(listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC)) >= 0;) {
    struct epoll_event event = {.events = EPOLLIN, .data.fd = descriptor};
    if (descriptor >= DESCRIPTORS || epoll_ctl(epoll, EPOLL_CTL_ADD, descriptor, &event) != 0) close(descriptor);
  }
}

static int listen_at(const char *path) {
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  if (strlen(path) >= sizeof address.sun_path) return -1;
  memcpy(address.sun_path, path, strlen(path));
  int listener = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  unlink(path);
  if (bind(listener, (void *)&address, sizeof address) != 0 || listen(listener, 4096) != 0) return -1;
  return listener;
}

int main(int count, char **words) {
  if (count != 3) return 2;
  batches = strcmp(words[2], "batch") == 0;
  is_lossy = strcmp(words[2], "lossy") == 0;
  has_ring = strcmp(words[2], "uring") == 0;
  if (has_ring && !uring_open(&ring)) {
    perror("broker: io_uring");
    return 1;
  }
  signal(SIGPIPE, SIG_IGN);
  for (int index = 0; index < DESCRIPTORS; index++) places[index] = -1;
  struct rlimit limit;
  getrlimit(RLIMIT_NOFILE, &limit);
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
  int listener = listen_at(words[1]), epoll = epoll_create1(EPOLL_CLOEXEC);
  if (listener < 0) {
    perror("broker");
    return 1;
  }
  struct epoll_event events[EVENTS] = {{.events = EPOLLIN, .data.fd = listener}};
  epoll_ctl(epoll, EPOLL_CTL_ADD, listener, events);
  for (;;) {
    int ready = epoll_wait(epoll, events, EVENTS, -1);
    for (int index = 0; index < ready; index++) {
      if (events[index].data.fd == listener) accept_all(epoll, listener); else receive(events[index].data.fd);
    }
    flush_batch();
  }
}
