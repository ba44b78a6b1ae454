// What the Swift client is compared with: a blocking reader and a blocking requester in C, and a setter that both are fed
// by. It knows one integer store.
#include "../../../../../Tools/wire/frames.h"
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

static uint64_t now_ns(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (uint64_t)t.tv_sec * 1000000000u + t.tv_nsec;
}

static double cpu_us(void) {
  struct rusage u;
  getrusage(RUSAGE_SELF, &u);
  return u.ru_utime.tv_sec * 1e6 + u.ru_utime.tv_usec + u.ru_stime.tv_sec * 1e6 + u.ru_stime.tv_usec;
}

static void die(const char *what) {
  fprintf(stderr, "cpeer: %s: %s\n", what, strerror(errno));
  exit(1);
}

static uint8_t buffer[1 << 16];
static size_t have;

// The next frame, valid until the call after; its whole length in *length.
static uint8_t *next_frame(int fd, size_t *length) {
  static size_t used;
  memmove(buffer, buffer + used, have -= used);
  used = 0;
  for (;;) {
    uint32_t body;
    memcpy(&body, buffer, 4);
    if (have >= HEADER && have >= HEADER + (size_t)body) {
      *length = used = HEADER + body;
      return buffer;
    }
    ssize_t n = read(fd, buffer + have, sizeof buffer - have);
    if (n <= 0) die("read");
    have += n;
  }
}

static void await(int fd, enum kind kind) {
  size_t length;
  while (next_frame(fd, &length)[4] != kind) {}
}

static int dial(const char *path) {
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  strncpy(address.sun_path, path, sizeof address.sun_path - 1);
  int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (connect(fd, (struct sockaddr *)&address, sizeof address)) die("connect");
  if (write(fd, hello, sizeof hello) != sizeof hello) die("write");
  await(fd, WELCOME);
  return fd;
}

static int by_size(const void *a, const void *b) {
  uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
  return x < y ? -1 : x > y;
}

static void report(uint64_t *samples, size_t count, double cpu) {
  qsort(samples, count, 8, by_size);
  printf("{\"count\": %zu, \"p50_us\": %.2f, \"p99_us\": %.2f, \"cpu_us\": %.3f}\n", count,
         samples[count / 2] / 1e3, samples[count * 99 / 100] / 1e3, cpu / count);
}

// Sets the time of now, `gap` to 2 x `gap` microseconds apart.
static void set(int fd, const char *name, size_t count, useconds_t gap) {
  uint8_t out[300];
  srand(1);
  for (size_t i = 0; i < count; i++) {
    if (gap) usleep(gap + rand() % gap);
    size_t n = put_set(out, name, now_ns());
    if (write(fd, out, n) != (ssize_t)n) die("write");
    await(fd, WRITTEN);
  }
}

// Follows the store with blocking reads, and takes the age of every value.
static void follow(int fd, const char *name, size_t count) {
  uint8_t out[300];
  size_t asked = put_watch(out, name, 0, NULL);
  if (write(fd, out, asked) != (ssize_t)asked) die("write");
  await(fd, SYNCED);
  uint64_t *samples = malloc(count * 8), value;
  printf("ready\n");
  fflush(stdout);
  double cpu = cpu_us();
  for (size_t i = 0; i < count;) {
    size_t length;
    uint8_t *f = next_frame(fd, &length);
    if (f[4] != CHANGE && f[4] != CREATED && f[4] != CURRENT) continue;
    memcpy(&value, f + length - 8, 8);
    samples[i++] = now_ns() - value;
  }
  report(samples, count, cpu_us() - cpu);
}

static void request(int fd, const char *name, size_t count, int sets) {
  uint8_t out[300];
  uint64_t *samples = malloc(count * 8);
  double cpu = cpu_us();
  for (size_t i = 0; i < count; i++) {
    size_t n = sets ? put_set(out, name, i) : put_get(out, name), length;
    uint64_t start = now_ns();
    if (write(fd, out, n) != (ssize_t)n) die("write");
    next_frame(fd, &length);
    samples[i] = now_ns() - start;
  }
  if (getenv("CLIENTBENCH_COUNTED")) puts("{}");
  else report(samples, count, cpu_us() - cpu);
}

int main(int argc, char **argv) {
  if (argc < 5) {
    fprintf(stderr, "usage: cpeer set|follow|get|put SOCKET STORE COUNT [GAP-US]\n");
    return 2;
  }
  int fd = dial(argv[2]);
  size_t count = strtoul(argv[4], NULL, 10);
  if (!strcmp(argv[1], "set")) set(fd, argv[3], count, argc > 5 ? atoi(argv[5]) : 0);
  else if (!strcmp(argv[1], "follow")) follow(fd, argv[3], count);
  else request(fd, argv[3], count, !strcmp(argv[1], "put"));
  return 0;
}
