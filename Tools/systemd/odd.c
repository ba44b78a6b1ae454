// Clients in awkward states while a command is run: in the middle of a request, with replies unread, asleep, about to end.
// Each must find itself behind the command as if nothing had happened. It changes nothing but its own stores, odd.*.
//
//   odd ROUNDS SOCKET COMMAND...
#define _GNU_SOURCE
#include "../wire/frames.h"
#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

enum { BIG = 200000, GETS = 64, SLEPT = 20000, ADDS = 20000, PATIENCE = 60 };

static const char *path;
static char **command;

__attribute__((format(printf, 1, 2), noreturn)) static void fail(const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  vprintf(format, arguments);
  va_end(arguments);
  printf("\n");
  exit(1);
}

// ---- a blocking connection

struct client { int fd; size_t at, used; uint8_t input[BIG + 65536]; };

static struct client *dial(void) {
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  struct timeval patience = {.tv_sec = PATIENCE};
  strncpy(address.sun_path, path, sizeof address.sun_path - 1);
  struct client *client = calloc(1, sizeof *client);
  client->fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  setsockopt(client->fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
  setsockopt(client->fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
  if (connect(client->fd, (struct sockaddr *)&address, sizeof address) < 0) fail("cannot connect: %s", strerror(errno));
  return client;
}

static void hang_up(struct client *client) {
  close(client->fd);
  free(client);
}

static void say(struct client *client, const uint8_t *bytes, size_t length) {
  if (send(client->fd, bytes, length, MSG_NOSIGNAL) != (ssize_t)length) fail("cannot send: %s", strerror(errno));
}

// The next frame; kind 0 at the end of the stream.
static struct frame hear(struct client *client, const char *who) {
  for (;;) {
    uint32_t length = 0;
    size_t rest = client->used - client->at;
    if (rest >= HEADER) memcpy(&length, client->input + client->at, 4);
    if (rest >= HEADER && rest >= HEADER + length) {
      struct frame frame = read_frame(client->input + client->at);
      client->at += HEADER + length;
      return frame;
    }
    memmove(client->input, client->input + client->at, rest);
    client->at = 0;
    ssize_t n = recv(client->fd, client->input + rest, sizeof client->input - rest, 0);
    if (n < 0) fail("%s: cannot receive: %s", who, strerror(errno));
    client->used = rest + n;
    if (n == 0) return (struct frame){0};
  }
}

// The next frame, which has to be of that kind.
static struct frame expect(struct client *client, enum kind kind, const char *who) {
  struct frame frame = hear(client, who);
  if (frame.kind != kind) fail("%s: a frame of kind 0x%02x, code %d, instead of 0x%02x", who, frame.kind, frame.code, kind);
  return frame;
}

static struct client *greeted(void) {
  struct client *client = dial();
  say(client, hello, sizeof hello);
  expect(client, WELCOME, "hello");
  return client;
}

static size_t put_set_for(uint8_t *out, const char *name, int64_t value, uint8_t flags, uint64_t milliseconds) {
  size_t length = put_set(out, name, value);
  uint8_t *end = out + length;
  if (flags & TTL) end = put(end, &milliseconds, 8);
  return finish(out, end, SET, flags, 3);
}

static size_t put_add(uint8_t *out, const char *name, uint32_t request) {
  return finish(out, put(put_text(out + HEADER, name), "\1\10\0\0\0\1\0\0\0\0\0\0\0", 13), ADD, 0, request);
}

// The value of a store, or -1 if it is missing.
static int64_t value_of(const char *name) {
  struct client *client = greeted();
  uint8_t out[64];
  say(client, out, put_get(out, name));
  struct frame frame = hear(client, name);
  hang_up(client);
  return frame.kind == VALUE ? frame.value : -1;
}

static void await_value(const char *name, int64_t value) {
  for (int i = 0; i < PATIENCE * 100; i++, usleep(10000))
    if (value_of(name) == value) return;
  fail("%s is %ld instead of %ld", name, (long)value_of(name), (long)value);
}

// ---- the round

static pid_t start(void (*work)(void)) {
  fflush(stdout);
  pid_t pid = fork();
  if (pid) return pid;
  work();
  exit(0);
}

static void run_command(void) {
  execvp(command[0], command);
  _exit(127);
}

// Connects, asks and goes, again and again: nobody is refused.
static void come_and_go(void) {
  for (;;)
    if (value_of("odd.volatile") != 7) fail("a newcomer has found another value");
}

// One request upon the other, without waiting for an answer.
static void add_without_waiting(void) {
  struct client *client = greeted();
  uint8_t out[64];
  if (fork() == 0) {
    for (uint32_t i = 1; i <= ADDS; i++) say(client, out, put_add(out, "odd.sum", i));
    _exit(0);
  }
  for (uint32_t i = 1; i <= ADDS; i++) {
    struct frame frame = expect(client, WRITTEN, "adding");
    if (frame.request != i) fail("adding: reply %u instead of %u", frame.request, i);
  }
  wait(NULL);
}

static void run_round(void) {
  static uint8_t out[BIG + 1024];
  size_t length;

  // Where it all begins.
  struct client *writer = greeted();
  say(writer, out, put_set(out, "odd.volatile", 7));
  expect(writer, WRITTEN, "volatile");
  say(writer, out, put_set(out, "odd.sum", 0));
  expect(writer, WRITTEN, "sum");
  uint8_t *text = put(put_text(out + HEADER, "odd.big"), "\4", 1);
  text = put(text, &(uint32_t){BIG}, 4);
  memset(text, 'x', BIG);
  say(writer, out, finish(out, text + BIG, SET, 0, 3));
  expect(writer, WRITTEN, "big");

  struct client *half_hello = dial(), *silent = dial();
  say(half_hello, hello, 10);

  struct client *half = greeted();
  uint8_t request[64];
  size_t request_length = put_set(request, "odd.half", 5);
  say(half, request, 7);

  // Replies that nobody takes, far beyond what the socket holds; behind one of them the client has nothing more to say.
  struct client *unread[2] = {greeted(), greeted()};
  for (int i = 0; i < 2; i++)
    for (uint32_t n = 1; n <= GETS; n++) say(unread[i], out, finish(out, put_text(out + HEADER, "odd.big"), GET, 0, n));
  shutdown(unread[1]->fd, SHUT_WR);

  struct client *sleeper = greeted();
  say(sleeper, out, put_set(out, "odd.fast", 0));
  uint64_t version = expect(sleeper, WRITTEN, "sleeper").version;
  say(sleeper, out, put_watch(out, "odd.fast", EVERY, NULL));
  expect(sleeper, WATCHING, "sleeper");
  while (hear(sleeper, "sleeper").kind != SYNCED) {}
  for (int i = 1; i <= SLEPT; i++) {
    say(writer, out, put_set(out, "odd.fast", i));
    expect(writer, WRITTEN, "fast");
  }

  struct client *owner = greeted(), *leaver = greeted();
  say(owner, out, put_set_for(out, "odd.here", 1, EPHEMERAL, 0));
  expect(owner, WRITTEN, "owner");
  say(leaver, out, put_set_for(out, "odd.leaving", 1, EPHEMERAL, 0));
  expect(leaver, WRITTEN, "leaver");
  say(writer, out, put_set_for(out, "odd.short", 1, TTL, 1500));
  expect(writer, WRITTEN, "ttl");
  say(writer, out, put_set_for(out, "odd.long", 1, TTL, 3600000));
  expect(writer, WRITTEN, "ttl");

  pid_t visitors = start(come_and_go), adder = start(add_without_waiting), child = start(run_command);
  usleep(rand() % 30000);
  hang_up(leaver);
  int status;
  if (waitpid(child, &status, 0) != child || status) fail("the command failed");
  if (waitpid(visitors, &status, WNOHANG) != 0) fail("the visitors have come to grief");
  kill(visitors, SIGKILL);
  waitpid(visitors, &status, 0);
  if (waitpid(adder, &status, 0) != adder || status) fail("the adder has come to grief");

  // And where it ends.
  say(half_hello, hello + 10, sizeof hello - 10);
  expect(half_hello, WELCOME, "half a hello");
  say(silent, hello, sizeof hello);
  expect(silent, WELCOME, "silent");
  say(half, request + 7, request_length - 7);
  expect(half, WRITTEN, "half a request");
  for (int i = 0; i < 2; i++)
    for (uint32_t n = 1; n <= GETS; n++)
      if (expect(unread[i], VALUE, "unread").request != n) fail("unread: replies out of order at %u", n);
  expect(unread[1], 0, "end of stream");
  for (int seen = 0; seen < SLEPT;) {
    struct frame frame = hear(sleeper, "sleeper");
    if (frame.kind == SYNCED) continue;
    if (frame.kind != CHANGE) fail("sleeper: a frame of kind 0x%02x", frame.kind);
    if (frame.version != ++version) fail("sleeper: version %lu instead of %lu", frame.version, version);
    seen++;
    if (frame.value != seen) fail("sleeper: value %ld instead of %d", (long)frame.value, seen);
  }
  if (value_of("odd.sum") != ADDS) fail("the sum is %ld instead of %d", (long)value_of("odd.sum"), ADDS);
  if (value_of("odd.volatile") != 7) fail("a volatile value is gone");
  if (value_of("odd.half") != 5) fail("half a request has done something else");
  if (value_of("odd.long") != 1) fail("a value with an hour to live is gone");
  if (value_of("odd.here") != 1) fail("an ephemeral value is gone before its owner");
  hang_up(owner);
  await_value("odd.here", -1);
  await_value("odd.leaving", -1);
  await_value("odd.short", -1);
  length = put_set(out, "odd.volatile", 7);
  say(writer, out, length);
  if (expect(writer, WRITTEN, "writer").flags & CHANGED) fail("an equal value has changed something");
  struct client *all[] = {writer, half_hello, silent, half, unread[0], unread[1], sleeper};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) hang_up(all[i]);
}

int main(int argc, char **argv) {
  if (argc < 4) fail("usage: odd ROUNDS SOCKET COMMAND...");
  path = argv[2];
  command = argv + 3;
  for (int round = 0; round < atoi(argv[1]); round++) run_round();
  printf("%s rounds\n", argv[1]);
}
