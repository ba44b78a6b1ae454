// The floor of a reader in C: a loop that polls a socket, reads, and finds the values in the frames. It checks nothing.
//
//   bare SOCKET COUNT     prints the processor time from the first change to the last, in nanoseconds per change
#include "../../Tools/wire/frames.h"
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

static int64_t processor_time(void) {
  struct timespec time;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return time.tv_sec * 1000000000ll + time.tv_nsec;
}

int main(int count, char **words) {
  if (count != 3) return 2;
  uint8_t requests[128];
  size_t asked = put_hello(requests);
  asked += put_watch(requests + asked, "audio.volume", EVERY, NULL);
  int64_t last = atoll(words[2]), sum = 0, value = 0, began = 0;
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  snprintf(address.sun_path, sizeof address.sun_path, "%s", words[1]);
  int hub = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0);
  if (connect(hub, (void *)&address, sizeof address) != 0) return 1;
  if (write(hub, requests, asked) < 0) return 1;
  static uint8_t input[2 << 16];
  size_t length = 0;
  while (value < last) {
    struct pollfd entry = {hub, POLLIN, 0};
    poll(&entry, 1, -1);
    ssize_t got = recv(hub, input + length, 1 << 16, 0);
    if (got <= 0) return 1;
    length += got;
    size_t at = 0;
    while (length - at >= 12) {
      uint32_t size;
      memcpy(&size, input + at, 4);
      if (length - at < 12 + size) break;
      if (input[at + 4] == CHANGE) {
        memcpy(&value, input + at + 12 + 36 + 5, 8);
        sum += value;
        if (value == 1) began = processor_time();
      }
      at += 12 + size;
    }
    memmove(input, input + at, length - at);
    length -= at;
  }
  printf("%.1f\n", (double)(processor_time() - began) / (last - 1));
  return sum != last * (last + 1) / 2;
}
