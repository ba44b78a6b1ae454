// The C client, as bare.c: prints the processor time from the first change to the last, in nanoseconds per change.
//
//   client SOCKET COUNT
#include "../../Clients/c/statehub.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static int64_t last, value, sum, began;

static int64_t processor_time(void) {
  struct timespec time;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return time.tv_sec * 1000000000ll + time.tv_nsec;
}

static void shown(void *context, const statehub_event *event) {
  (void)context;
  if (event->kind != STATEHUB_EVENT_CHANGED) return;
  value = event->value->integer;
  sum += value;
  if (value == 1) began = processor_time();
}

int main(int count, char **words) {
  if (count != 3) return 2;
  last = atoll(words[2]);
  statehub *hub = statehub_open(words[1], "bench");
  const char *pattern = "audio.volume";
  statehub_watch_open(hub, &pattern, 1, STATEHUB_EVERY, shown, NULL);
  while (value < last) statehub_wait(hub, -1);
  printf("%.1f\n", (double)(processor_time() - began) / (last - 1));
  statehub_close(hub);
  return sum != last * (last + 1) / 2;
}
