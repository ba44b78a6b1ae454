// The same value in statehub, with the client in C.
//
//   hub follow SOCKET COUNT         prints `ready`, and after COUNT changes its processor time in nanoseconds per change
//   hub own SOCKET COUNT PAUSE      changes it COUNT times, one every PAUSE microseconds
#include "../../Clients/c/statehub.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static statehub *hub;
static int64_t last, value, began;

static int64_t processor_time(void) {
  struct timespec time;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return time.tv_sec * 1000000000ll + time.tv_nsec;
}

static void shown(void *context, const statehub_event *event) {
  (void)context;
  if (event->kind == STATEHUB_EVENT_SYNCED && began == 0) {
    puts("ready");
    fflush(stdout);
    began = -1;
  }
  if (event->kind != STATEHUB_EVENT_CHANGED && event->kind != STATEHUB_EVENT_INITIAL) return;
  value = event->value->integer;
  if (value == 1) began = processor_time();
}

static void follow(void) {
  const char *pattern = "bench.value";
  statehub_watch_open(hub, &pattern, 1, STATEHUB_EVERY, shown, NULL);
  while (value < last) statehub_wait(hub, -1);
  printf("%.1f\n", (double)(processor_time() - began) / (last - 1));
}

static void own(int pause) {
  puts("ready");
  fflush(stdout);
  if (getchar() == EOF) exit(1);
  while (value < last) {
    statehub_write write = {.kind = STATEHUB_WRITE_SET, .store = "bench.value", .value = statehub_integer(++value)};
    statehub_finish(hub, statehub_write_one(hub, &write, NULL, NULL));
    usleep(pause);
  }
}

int main(int count, char **words) {
  if (count < 4) return 2;
  last = atoll(words[3]);
  hub = statehub_open(words[2], "bench");
  if (strcmp(words[1], "own") == 0) own(count > 4 ? atoi(words[4]) : 0); else follow();
  statehub_close(hub);
  return 0;
}
