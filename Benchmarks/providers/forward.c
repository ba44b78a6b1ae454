/* What a write costs that a provider has to accept, next to a plain one: both in turn, on one connection, in one run. The
 * provider is a process that accepts at once. Prints p50 and p99 of each in microseconds, and the ratio of the p50s. */
#include "../../Tools/wire/frames.h"
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

static _Noreturn void fail(const char *what) {
  perror(what);
  exit(1);
}

static int dial(const char *path) {
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  snprintf(address.sun_path, sizeof address.sun_path, "%s", path);
  int hub = socket(AF_UNIX, SOCK_STREAM, 0);
  if (connect(hub, (struct sockaddr *)&address, sizeof address)) fail("connect");
  return hub;
}

static void send_all(int hub, const uint8_t *frame, size_t length) {
  if (send(hub, frame, length, MSG_NOSIGNAL) != (ssize_t)length) fail("send");
}

/* A frame of at most 200 bytes. */
static void say(int hub, enum kind kind, uint32_t request, const void *payload, size_t length) {
  uint8_t frame[256];
  send_all(hub, frame, finish(frame, put(frame + HEADER, payload, length), kind, 0, request));
}

static void receive(int hub, uint8_t *bytes, size_t count) {
  if (recv(hub, bytes, count, MSG_WAITALL) != (ssize_t)count) fail("recv");
}

/* The kind of the next frame; its payload is in `payload`. */
static uint8_t hear(int hub, uint8_t payload[65536]) {
  uint8_t header[12];
  receive(hub, header, 12);
  uint32_t length;
  memcpy(&length, header, 4);
  if (length > 65536) fail("a frame that is too long");
  if (length) receive(hub, payload, length);
  if (header[4] == ERROR) {
    fprintf(stderr, "the hub refuses a request with code %u\n", payload[0] | payload[1] << 8);
    exit(1);
  }
  return header[4];
}

static void greet(int hub) {
  static uint8_t payload[65536];
  send_all(hub, hello, sizeof hello);
  hear(hub, payload);
}

static void provide(const char *path, int ready) {
  static uint8_t payload[65536];
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  int hub = dial(path);
  greet(hub);
  const uint8_t offer[] = {3, 'd', 'e', 'v', 0x88, 0x13, 0, 0, 1, 0, 0, 0, 1, 0, 6, 'd', 'e', 'v', '.', '*', '*'};
  say(hub, PROVIDE, 2, offer, sizeof offer);
  hear(hub, payload);
  const uint8_t live[] = {3, 'd', 'e', 'v', 1, 0, 0};
  say(hub, STANDING, 3, live, sizeof live);
  hear(hub, payload);
  if (write(ready, "", 1) != 1) fail("write");
  for (;;) {
    if (hear(hub, payload) != FORWARD) continue;
    uint8_t decision[9];
    memcpy(decision, payload, 8);
    decision[8] = 1;
    say(hub, DECIDE, 4, decision, 9);
  }
}

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * 1e6 + time.tv_nsec / 1e3;
}

static double set(int hub, const char *name, int64_t value) {
  static uint8_t payload[65536];
  uint8_t frame[64];
  size_t length = put_set(frame, name, value);
  double start = now();
  send_all(hub, frame, length);
  while (hear(hub, payload) != WRITTEN) {}
  return now() - start;
}

static int ascending(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return x < y ? -1 : x > y;
}

int main(int count, char **arguments) {
  if (count != 3) return fprintf(stderr, "usage: forward SOCKET ROUNDS\n"), 2;
  int rounds = atoi(arguments[2]), ready[2];
  if (rounds < 1 || pipe(ready)) return 2;
  pid_t provider = fork();
  if (provider == 0) provide(arguments[1], ready[1]);
  char byte;
  if (read(ready[0], &byte, 1) != 1) fail("the provider");
  int hub = dial(arguments[1]);
  greet(hub);
  double *plain = malloc(sizeof(double) * rounds), *forwarded = malloc(sizeof(double) * rounds);
  for (int round = -rounds / 10; round < rounds; round++) {
    double one = set(hub, "plain.x", round), other = set(hub, "dev.x", round);
    if (round >= 0) plain[round] = one, forwarded[round] = other;
  }
  kill(provider, SIGKILL);
  waitpid(provider, NULL, 0);
  qsort(plain, rounds, sizeof *plain, ascending);
  qsort(forwarded, rounds, sizeof *forwarded, ascending);
  double p50 = plain[rounds / 2], other = forwarded[rounds / 2];
  printf("plain set: p50 %.1f us, p99 %.1f us\n", p50, plain[rounds * 99 / 100]);
  printf("forwarded set: p50 %.1f us, p99 %.1f us\n", other, forwarded[rounds * 99 / 100]);
  printf("ratio of the p50s: %.2f\n", other / p50);
}
