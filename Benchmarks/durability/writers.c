// A number of connections that write one after the other, each waiting for its reply, for some seconds: what a hub or a Redis
// acknowledges per second, and the longest wait. It measures, and starts nothing.
//
//   writers statehub|redis SOCKET CONNECTIONS SECONDS [set|get [STORES]]
//
// Each connection writes to a store of its own, or to its share of STORES in turn.
// Prints `acknowledged seconds p50_us p99_us max_us`.
#define _GNU_SOURCE
#include "../../Tools/wire/frames.h"
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

enum { MOST = 1024, SAMPLES = 1 << 20 };

struct connection { int socket, store; uint64_t value; double since; size_t have; unsigned char reply[512]; };

static struct connection connections[MOST];
static float waits[SAMPLES];
static int is_redis, is_get, number, stores;

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec + time.tv_nsec * 1e-9;
}

static void die(const char *what) {
  fprintf(stderr, "writers: %s: %s\n", what, strerror(errno));
  exit(1);
}

static void send_all(int socket, const void *bytes, size_t length) {
  if (send(socket, bytes, length, MSG_NOSIGNAL) != (ssize_t)length) die("send");
}

/// Sends the next write of connection `index`, to the next of its stores.
static void ask(int index) {
  struct connection *one = &connections[index];
  unsigned char bytes[256];
  char name[16];
  int length = snprintf(name, sizeof name, "bench.%d", one->store);
  one->store += number;
  if (one->store >= stores) one->store = index;
  one->value++;
  one->since = now();
  one->have = 0;
  if (is_redis) {
    char text[32];
    int digits = snprintf(text, sizeof text, "%llu", (unsigned long long)one->value);
    int total = is_get ? snprintf((char *)bytes, sizeof bytes, "*2\r\n$3\r\nGET\r\n$%d\r\n%s\r\n", length, name)
                       : snprintf((char *)bytes, sizeof bytes, "*3\r\n$3\r\nSET\r\n$%d\r\n%s\r\n$%d\r\n%s\r\n", length, name, digits, text);
    send_all(one->socket, bytes, (size_t)total);
  } else {
    send_all(one->socket, bytes, is_get ? put_get(bytes, name) : put_set(bytes, name, (int64_t)one->value));
  }
}

/// Whether the whole reply is there.
static int is_answered(struct connection *one) {
  if (!is_redis) {
    if (one->have < HEADER) return 0;
    size_t length = HEADER + (one->reply[0] | (size_t)one->reply[1] << 8);
    if (one->reply[4] == ERROR) {
      fprintf(stderr, "writers: refused: %.*s\n", (int)(one->have - 26), one->reply + 26);
      exit(1);
    }
    return one->have >= length;
  }
  if (one->have < 3 || one->reply[one->have - 1] != '\n') return 0;
  if (one->reply[0] == '-') die((char *)one->reply);
  if (one->reply[0] != '$' || one->reply[1] == '-') return 1;
  int lines = 0;
  for (size_t index = 0; index < one->have; index++) lines += one->reply[index] == '\n';
  return lines == 2;
}

static void connect_to(const char *path, int index) {
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  snprintf(address.sun_path, sizeof address.sun_path, "%s", path);
  connections[index].socket = socket(AF_UNIX, SOCK_STREAM, 0);
  if (connect(connections[index].socket, (struct sockaddr *)&address, sizeof address) != 0) die(path);
  if (is_redis) return;
  unsigned char reply[512];
  send_all(connections[index].socket, hello, sizeof hello);
  if (recv(connections[index].socket, reply, sizeof reply, 0) < HEADER || reply[4] != WELCOME) die("no welcome");
}

static int by_size(const void *a, const void *b) {
  float one = *(const float *)a, other = *(const float *)b;
  return (one > other) - (one < other);
}

int main(int count, char **words) {
  if (count < 5) return fprintf(stderr, "usage: writers statehub|redis SOCKET CONNECTIONS SECONDS [set|get [STORES]]\n"), 2;
  is_redis = strcmp(words[1], "redis") == 0;
  is_get = count > 5 && strcmp(words[5], "get") == 0;
  number = atoi(words[3]);
  stores = count > 6 ? atoi(words[6]) : number;
  double seconds = atof(words[4]);
  if (number < 1 || number > MOST || stores < number) return 2;
  int epoll = epoll_create1(0);
  for (int index = 0; index < number; index++) {
    connect_to(words[2], index);
    connections[index].store = index;
    connections[index].value = (uint64_t)time(NULL) << 24;
    struct epoll_event event = {.events = EPOLLIN, .data.u32 = (uint32_t)index};
    epoll_ctl(epoll, EPOLL_CTL_ADD, connections[index].socket, &event);
  }
  double start = now(), end = start + seconds, time = start;
  long done = 0;
  for (int index = 0; index < number; index++) ask(index);
  while (time < end) {
    struct epoll_event events[64];
    int ready = epoll_wait(epoll, events, 64, 1000);
    for (int place = 0; place < ready; place++) {
      struct connection *one = &connections[events[place].data.u32];
      ssize_t got = recv(one->socket, one->reply + one->have, sizeof one->reply - one->have, MSG_DONTWAIT);
      if (got == 0) die("the connection was closed");
      if (got < 0) continue;
      one->have += (size_t)got;
      if (!is_answered(one)) continue;
      waits[done % SAMPLES] = (float)((now() - one->since) * 1e6);
      done++;
      ask((int)events[place].data.u32);
    }
    time = now();
  }
  size_t samples = done < SAMPLES ? (size_t)done : SAMPLES;
  if (samples == 0) return fprintf(stderr, "writers: nothing was acknowledged\n"), 1;
  qsort(waits, samples, sizeof *waits, by_size);
  printf("%ld %.3f %.1f %.1f %.1f\n", done, time - start, waits[samples / 2], waits[samples * 99 / 100], waits[samples - 1]);
  return 0;
}
