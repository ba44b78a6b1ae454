// What the Swift client is compared with: a blocking reader and a blocking requester in C, and a setter that both are fed
// by. It speaks docs/protocol.md by hand and knows one integer store.
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

static uint8_t *header(uint8_t *out, uint8_t kind, uint32_t request, uint32_t length) {
  memcpy(out, &length, 4);
  out[4] = kind;
  out[5] = out[6] = out[7] = 0;
  memcpy(out + 8, &request, 4);
  return out + 12;
}

static uint8_t buffer[1 << 16];
static size_t have;

// The next frame, valid until the call after; its whole length in *length.
static uint8_t *frame(int fd, size_t *length) {
  static size_t used;
  memmove(buffer, buffer + used, have -= used);
  used = 0;
  for (;;) {
    uint32_t body;
    memcpy(&body, buffer, 4);
    if (have >= 12 && have >= 12 + (size_t)body) {
      *length = used = 12 + body;
      return buffer;
    }
    ssize_t n = read(fd, buffer + have, sizeof buffer - have);
    if (n <= 0) die("read");
    have += n;
  }
}

static void await(int fd, uint8_t kind) {
  size_t length;
  while (frame(fd, &length)[4] != kind) {}
}

static int dial(const char *path) {
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  strncpy(address.sun_path, path, sizeof address.sun_path - 1);
  int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (connect(fd, (struct sockaddr *)&address, sizeof address)) die("connect");
  uint8_t hello[64], *p = header(hello, 0x01, 1, 22);
  memcpy(p, "SHUB\1\0\1\0\0\0\0\0\0\0\0\0\5bench", 22);
  if (write(fd, hello, 34) != 34) die("write");
  await(fd, 0x80);
  return fd;
}

static size_t set_frame(uint8_t *out, const char *name, uint64_t value) {
  uint32_t n = strlen(name), eight = 8;
  uint8_t *p = header(out, 0x04, 3, 1 + n + 5 + 8);
  *p++ = n;
  memcpy(p, name, n);
  p += n;
  *p++ = 1;
  memcpy(p, &eight, 4);
  memcpy(p + 4, &value, 8);
  return 12 + 1 + n + 5 + 8;
}

static size_t get_frame(uint8_t *out, const char *name) {
  uint32_t n = strlen(name);
  uint8_t *p = header(out, 0x03, 4, 1 + n);
  *p++ = n;
  memcpy(p, name, n);
  return 13 + n;
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
    size_t n = set_frame(out, name, now_ns());
    if (write(fd, out, n) != (ssize_t)n) die("write");
    await(fd, 0x83);
  }
}

// Follows the store with blocking reads, and takes the age of every value.
static void follow(int fd, const char *name, size_t count) {
  uint8_t out[300], *p = header(out, 0x0D, 2, 3 + strlen(name));
  p[0] = 1;
  p[1] = 0;
  p[2] = strlen(name);
  memcpy(p + 3, name, p[2]);
  if (write(fd, out, 15 + p[2]) != 15 + p[2]) die("write");
  await(fd, 0x44);
  uint64_t *samples = malloc(count * 8), value;
  printf("ready\n");
  fflush(stdout);
  double cpu = cpu_us();
  for (size_t i = 0; i < count;) {
    size_t length;
    uint8_t *f = frame(fd, &length);
    if (f[4] != 0x40 && f[4] != 0x41 && f[4] != 0x43) continue;
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
    size_t n = sets ? set_frame(out, name, i) : get_frame(out, name), length;
    uint64_t start = now_ns();
    if (write(fd, out, n) != (ssize_t)n) die("write");
    frame(fd, &length);
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
