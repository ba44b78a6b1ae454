// A hub's side of a measurement: to every client it sends so many changes of one store, at once or one at a time.
//
//   source SOCKET COUNT PAUSE     PAUSE in microseconds between two; 0: as fast as the client reads
//
// It speaks enough of docs/protocol.md for one watch; with the first byte '*' it speaks enough of Redis' for SUBSCRIBE.
#define _GNU_SOURCE
#include "../../Tools/wire/frames.h"
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

static uint8_t out[1 << 20];
static size_t length;

static void add(const void *bytes, size_t count) {
  memcpy(out + length, bytes, count);
  length += count;
}

static void number(uint64_t value, size_t size) { add(&value, size); }

static void header(uint32_t count, uint8_t kind, uint32_t request) {
  number(count, 4);
  number(kind, 1);
  number(0, 3);
  number(request, 4);
}

static void state(uint64_t revision) {
  number(1000, 4);
  number(1, 8);
  number(revision, 8);
  number(revision, 8);
  number(0, 8);
}

static void integer(uint64_t value) {
  number(1, 1);
  number(8, 4);
  number(value, 8);
}

static void flush(int client) {
  for (size_t sent = 0; sent < length;) {
    ssize_t count = send(client, out + sent, length - sent, MSG_NOSIGNAL);
    if (count <= 0) exit(1);
    sent += count;
  }
  length = 0;
}

static void change(uint64_t at) {
  header(49, CHANGE, 0);
  state(1 + at);
  integer(at);
}

static void message(uint64_t at) {
  char text[32];
  int digits = snprintf(text, sizeof text, "%llu", (unsigned long long)at);
  length += sprintf((char *)out + length, "*3\r\n$7\r\nmessage\r\n$12\r\naudio.volume\r\n$%d\r\n%s\r\n", digits, text);
}

static void welcome(int client, const uint8_t *requests) {
  // hello is first; the watch follows in the same write or in the next.
  uint32_t hello, watch, first;
  memcpy(&first, requests, 4);
  memcpy(&hello, requests + 8, 4);
  memcpy(&watch, requests + 12 + first + 8, 4);
  header(48, WELCOME, hello);
  number(1, 2);
  number(0, 8);
  number(7, 8);
  number(7, 8);
  number(1, 8);
  number(1 << 20, 4);
  number(1, 4);
  add("\5bench", 6);
  header(8, WATCHING, watch);
  number(1, 8);
  header(36 + 13 + 13, CURRENT, 0);
  state(1);
  add("\14audio.volume", 13);
  integer(0);
  header(8, SYNCED, 0);
  number(1, 8);
  flush(client);
}

int main(int count, char **words) {
  if (count != 4) return 2;
  uint64_t changes = strtoull(words[2], NULL, 10);
  long pause = atol(words[3]);
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  snprintf(address.sun_path, sizeof address.sun_path, "%s", words[1]);
  int listener = socket(AF_UNIX, SOCK_STREAM, 0);
  if (bind(listener, (void *)&address, sizeof address) != 0 || listen(listener, 4) != 0) return 1;
  int client = accept(listener, NULL, NULL);
  uint8_t requests[4096];
  ssize_t got = read(client, requests, sizeof requests);
  int is_redis = requests[0] == '*';
  if (is_redis) {
    // CLIENT SETINFO, HELLO and what else comes before SUBSCRIBE gets +OK.
    while (memmem(requests, got, "SUBSCRIBE", 9) == NULL) {
      size_t commands = 0;
      for (ssize_t at = 0; at < got; at++) commands += requests[at] == '*';
      while (commands-- > 0) length += sprintf((char *)out + length, "+OK\r\n");
      flush(client);
      got = read(client, requests, sizeof requests);
      if (got <= 0) return 1;
    }
    length += sprintf((char *)out + length, "*3\r\n$9\r\nsubscribe\r\n$12\r\naudio.volume\r\n:1\r\n");
    flush(client);
  } else {
    uint32_t first;
    memcpy(&first, requests, 4);
    while (got < (ssize_t)(12 + first + 12)) got += read(client, requests + got, sizeof requests - got);
    welcome(client, requests);
  }
  for (uint64_t at = 1; at <= changes; at++) {
    if (is_redis) message(at);
    else change(at);
    if (pause > 0) {
      flush(client);
      struct timespec time = {0, pause * 1000};
      nanosleep(&time, NULL);
    } else if (length > sizeof out / 2) {
      flush(client);
    }
  }
  flush(client);
  while (read(client, requests, sizeof requests) > 0) {}
  return 0;
}
