// Holds a thousand watching connections and a few writers at a hub while a command is run again and again, and checks
// every event's version and value and every acknowledged write. It changes nothing but its own stores, load.0 and so on.
//
//   load [--watchers N] [--writers N] [--rounds N] [--interval MS] [--may-reconnect [--may-forget]] [--title T]
//        SOCKET [COMMAND...]
//
// A round: writes flow, the command runs, writes go on behind it; then they pause until every watcher has seen the last
// one. With --may-reconnect connections may end: they are made anew, watches resume from their bookmarks, and what was
// acknowledged must still be there, unless --may-forget says that the hub keeps nothing; without it an ended connection,
// a gap and a duplicate are problems. The pause of a watcher is the longest time between two of its events in a round.
#define _GNU_SOURCE
#include "../wire/frames.h"
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { MOST_WRITERS = 16, INPUT = 16384, WARM = 8, AFTER = 8, PATIENCE = 60, SHOWN = 20 };

struct peer {
  int fd;                            // -1: not connected
  int writer;                        // the number of its store; -1: a watcher
  bool opened, synced, resuming;
  uint64_t number[MOST_WRITERS], version[MOST_WRITERS];  // of the stores it knows
  int64_t value[MOST_WRITERS];
  struct bookmark bookmark;
  double last_event, pause;
  // A writer's: the value whose acknowledgement it waits for (0: none), what was acknowledged, and how often in this phase.
  int64_t pending, acknowledged;
  uint64_t acknowledged_version;
  int writes;
  size_t used;
  uint8_t input[INPUT];
};

static const char *path, *title = "load", **command;
static int watchers = 1000, writers = 4, rounds = 1, interval = 10;
static bool may_reconnect, may_forget;
static struct peer *peers;
static int count, poller;
static uint64_t problems, writes, events, connections, skipped, repeats;
static bool writing;

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * 1e3 + t.tv_nsec / 1e6;
}

__attribute__((format(printf, 2, 3))) static void problem(const struct peer *peer, const char *format, ...) {
  if (problems++ >= SHOWN) return;
  if (peer) printf("%s: %s %d: ", title, peer->writer < 0 ? "watcher" : "writer", (int)(peer - peers));
  else printf("%s: ", title);
  va_list arguments;
  va_start(arguments, format);
  vprintf(format, arguments);
  va_end(arguments);
  printf("\n");
}

__attribute__((format(printf, 1, 2))) static void die(const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  vfprintf(stderr, format, arguments);
  va_end(arguments);
  fprintf(stderr, "\n");
  exit(2);
}

static const char *store_name(int writer) {
  static char name[32];
  snprintf(name, sizeof name, "load.%d", writer);
  return name;
}

// ---- connections

static void lose(struct peer *peer, const char *how) {
  if (!may_reconnect) problem(peer, "the connection has ended: %s", how);
  close(peer->fd);
  peer->fd = -1;
  peer->used = 0;
  peer->synced = peer->opened = false;
}

static void say(struct peer *peer, const uint8_t *bytes, size_t length) {
  if (peer->fd >= 0 && send(peer->fd, bytes, length, MSG_NOSIGNAL) != (ssize_t)length) lose(peer, strerror(errno));
}

// Says hello, and at once what the peer is there for.
static void dial(struct peer *peer) {
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  strcpy(address.sun_path, path);
  peer->fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (peer->fd < 0) die("socket: %s", strerror(errno));
  if (connect(peer->fd, (struct sockaddr *)&address, sizeof address) < 0) {
    bool later = errno == EAGAIN || (may_reconnect && connections >= (uint64_t)count);
    if (!later) problem(peer, "cannot connect: %s", strerror(errno));
    close(peer->fd);
    peer->fd = -1;
    return;
  }
  struct epoll_event event = {.events = EPOLLIN, .data.ptr = peer};
  if (epoll_ctl(poller, EPOLL_CTL_ADD, peer->fd, &event) < 0) die("epoll_ctl: %s", strerror(errno));
  connections++;
  uint8_t out[256];
  size_t length = put_hello(out);
  peer->resuming = peer->writer < 0 && peer->bookmark.revision > 0;
  length += peer->writer < 0 ? put_watch(out + length, "load.*", EVERY, peer->resuming ? &peer->bookmark : NULL)
                             : put_get(out + length, store_name(peer->writer));
  say(peer, out, length);
}

// ---- what comes from the hub

static void write_next(struct peer *peer) {
  uint8_t out[128];
  peer->pending = peer->value[peer->writer] + 1;
  say(peer, out, put_set(out, store_name(peer->writer), peer->pending));
}

static void acknowledge(struct peer *peer, const struct frame *frame) {
  if (!peer->pending) return problem(peer, "an acknowledgement that nobody waits for");
  if (!(frame->flags & CHANGED)) problem(peer, "setting %ld has changed nothing", (long)peer->pending);
  if (peer->acknowledged_version && frame->version != peer->acknowledged_version + 1)
    problem(peer, "its write got version %lu behind %lu", frame->version, peer->acknowledged_version);
  peer->acknowledged_version = frame->version;
  peer->acknowledged = peer->value[peer->writer] = peer->pending;
  peer->pending = 0;
  peer->writes++;
  writes++;
}

// What a writer finds when it comes (back): what was acknowledged, or the write whose outcome is unknown.
static void find(struct peer *peer, const struct frame *frame) {
  int64_t outcome = peer->pending ? peer->pending : peer->acknowledged;
  if (peer->acknowledged && frame->value != peer->acknowledged && frame->value != outcome && !may_forget)
    problem(peer, "LOST: %ld was acknowledged, the hub has %ld", (long)peer->acknowledged, (long)frame->value);
  peer->value[peer->writer] = peer->acknowledged = frame->value;
  peer->acknowledged_version = frame->version;
  peer->pending = 0;
  peer->synced = true;
}

// The hub has begun anew: what this peer knows of it is void.
static void forget(struct peer *peer) {
  if (!may_forget) problem(peer, "the hub has another epoch, or cannot resume");
  peer->bookmark.revision = 0;
  memset(peer->number, 0, sizeof peer->number);
  memset(peer->version, 0, sizeof peer->version);
}

static int store_of(struct peer *peer, const struct frame *frame) {
  if (frame->kind != CHANGE) {
    for (int store = 0; store < writers; store++)
      if (strlen(store_name(store)) == frame->name_length && !memcmp(store_name(store), frame->name, frame->name_length)) {
        peer->number[store] = frame->store;
        return store;
      }
    return -1;
  }
  for (int store = 0; store < writers; store++)
    if (peer->number[store] == frame->store) return store;
  return -1;
}

static void follow(struct peer *peer, const struct frame *frame) {
  int store = store_of(peer, frame);
  if (store < 0) return problem(peer, "an event about an unknown store, number %lu", frame->store);
  events++;
  double time = now();
  if (peer->last_event && time - peer->last_event > peer->pause) peer->pause = time - peer->last_event;
  peer->last_event = time;
  if (peer->synced && frame->revision - 1 > peer->bookmark.revision) peer->bookmark.revision = frame->revision - 1;
  uint64_t known = peer->version[store];
  if (frame->version <= known) {
    if (may_reconnect && connections > (uint64_t)count) repeats++;
    else problem(peer, "DUPLICATE: %s has version %lu behind %lu", store_name(store), frame->version, known);
    return;
  }
  if (known && frame->version != known + 1) {
    if (may_reconnect) skipped += frame->version - known - 1;
    else problem(peer, "GAP: %s has version %lu behind %lu", store_name(store), frame->version, known);
  }
  if (known && frame->value - peer->value[store] != (int64_t)(frame->version - known))
    problem(peer, "WRONG: %s is %ld at version %lu, behind %ld at %lu", store_name(store), (long)frame->value,
            frame->version, (long)peer->value[store], known);
  peer->version[store] = frame->version;
  peer->value[store] = frame->value;
}

static void take_frame(struct peer *peer, const uint8_t *bytes) {
  struct frame frame = read_frame(bytes);
  switch (frame.kind) {
  case WELCOME:
    if (peer->bookmark.revision && memcmp(frame.epoch, peer->bookmark.epoch, 16)) forget(peer);
    memcpy(peer->bookmark.epoch, frame.epoch, 16);
    peer->opened = true;
    break;
  case CHANGE: case CREATED: case CURRENT: follow(peer, &frame); break;
  case SYNCED:
    peer->synced = true;
    if (frame.revision > peer->bookmark.revision) peer->bookmark.revision = frame.revision;
    break;
  case FORGET: forget(peer); break;
  case WATCHING: case RESUMED: break;
  case WRITTEN: acknowledge(peer, &frame); break;
  case VALUE: find(peer, &frame); break;
  case ERROR:
    if (frame.code == NO_SUCH_STORE && (!peer->acknowledged || may_forget)) find(peer, &(struct frame){0});
    else problem(peer, "an error of code %d", frame.code);
    break;
  case ENDED:
    if (!may_reconnect) problem(peer, "ended: %.*s", (int)frame.name_length, (const char *)frame.name);
    break;
  default: problem(peer, "a frame of kind 0x%02x", frame.kind);
  }
}

static void receive(struct peer *peer) {
  ssize_t n = recv(peer->fd, peer->input + peer->used, INPUT - peer->used, 0);
  if (n < 0 && (errno == EAGAIN || errno == EINTR)) return;
  if (n <= 0) return lose(peer, n ? strerror(errno) : "end of stream");
  peer->used += n;
  size_t at = 0;
  uint32_t length;
  while (peer->used - at >= HEADER) {
    memcpy(&length, peer->input + at, 4);
    if (length > INPUT - HEADER) die("a frame of %u bytes", length);
    if (peer->used - at < HEADER + length) break;
    take_frame(peer, peer->input + at);
    at += HEADER + length;
  }
  memmove(peer->input, peer->input + at, peer->used -= at);
}

// ---- time

// One step: what has arrived, and when its time has come the next writer's write and the lost connections.
static void step(void) {
  static double due;
  static int turn;
  struct epoll_event ready[256];
  double time = now();
  int wait = due > time ? (int)(due - time) + 1 : 0;
  int n = epoll_wait(poller, ready, 256, wait);
  for (int i = 0; i < n; i++) {
    struct peer *peer = ready[i].data.ptr;
    if (peer->fd >= 0) receive(peer);
  }
  if (now() < due) return;
  due = now() + (double)interval / writers;
  for (int i = 0; i < count; i++)
    if (peers[i].fd < 0 && (may_reconnect || connections < (uint64_t)count)) dial(&peers[i]);
  if (!writing) return;
  struct peer *writer = &peers[watchers + turn++ % writers];
  if (writer->fd >= 0 && writer->synced && !writer->pending) write_next(writer);
}

static bool all_synced(void) {
  for (int i = 0; i < count; i++)
    if (!peers[i].synced) return false;
  return true;
}

static bool have_written(int n) {
  for (int i = watchers; i < count; i++)
    if (peers[i].writes < n) return false;
  return true;
}

static bool have_seen_all(void) {
  for (int w = 0; w < writers; w++) {
    struct peer *writer = &peers[watchers + w];
    if (writer->pending || !writer->synced) return false;
    for (int i = 0; i < watchers; i++)
      if (!peers[i].synced || peers[i].version[w] != writer->acknowledged_version) return false;
  }
  return true;
}

static void count_anew(void) {
  for (int i = watchers; i < count; i++) peers[i].writes = 0;
}

static pid_t child;
static bool has_ended(void) {
  int status;
  if (!child) return true;
  if (waitpid(child, &status, WNOHANG) != child) return false;
  if (status) problem(NULL, "the command failed, with status %d", WIFEXITED(status) ? WEXITSTATUS(status) : -1);
  child = 0;
  return true;
}

#define AWAIT(what, condition)                                                                              \
  for (double give_up = now() + PATIENCE * 1e3; !problems && !(condition); step())                          \
    if (now() > give_up) { problem(NULL, "round %d: %s was waited for in vain", round, what); return false; }

static bool run_round(int round) {
  writing = true;
  count_anew();
  AWAIT("a flow of writes", have_written(WARM));
  for (int i = 0; i < watchers; i++) peers[i].pause = 0;
  if (command) {
    fflush(stdout);
    child = fork();
    if (child == 0) {
      execvp(command[0], (char **)command);
      _exit(127);
    }
  }
  AWAIT("the command's end", has_ended());
  // Behind a command that only sends a signal the hub may still be the old one for a moment: whoever was
  // connected writes on only when it is connected again.
  count_anew();
  AWAIT("writes behind the command", have_written(AFTER) && all_synced());
  writing = false;
  AWAIT("the last write, at every watcher,", have_seen_all());
  return problems == 0;
}

// ---- the whole

static int by_size(const void *a, const void *b) {
  return (*(const float *)a > *(const float *)b) - (*(const float *)a < *(const float *)b);
}

static void report(float *pauses, size_t n, int done) {
  qsort(pauses, n, sizeof *pauses, by_size);
  printf("%s: %d rounds, %d watchers, %d writers, %lu writes, %lu events, %lu connections", title, done, watchers,
         writers, writes, events, connections);
  if (may_reconnect) printf(", %lu skipped, %lu repeated", skipped, repeats);
  if (n) printf("; pause p50 %.0f p99 %.0f max %.0f ms", pauses[n / 2], pauses[n * 99 / 100], pauses[n - 1]);
  printf("; %lu problems\n", problems);
}

static void read_arguments(char **word) {
  for (; *word && **word == '-'; word++) {
    if (!strcmp(*word, "--may-reconnect")) { may_reconnect = true; continue; }
    if (!strcmp(*word, "--may-forget")) { may_forget = true; continue; }
    if (!word[1]) die("%s needs a value", *word);
    if (!strcmp(*word, "--watchers")) watchers = atoi(*++word);
    else if (!strcmp(*word, "--writers")) writers = atoi(*++word);
    else if (!strcmp(*word, "--rounds")) rounds = atoi(*++word);
    else if (!strcmp(*word, "--interval")) interval = atoi(*++word);
    else if (!strcmp(*word, "--title")) title = *++word;
    else die("unknown option %s", *word);
  }
  path = *word++;
  if (!path || strlen(path) > 107 || writers < 1 || writers > MOST_WRITERS) die("usage: see the head of load.c");
  if (*word) command = (const char **)word;
}

int main(int argc, char **argv) {
  read_arguments(argv + (argc > 0));
  struct rlimit limit;
  getrlimit(RLIMIT_NOFILE, &limit);
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
  count = watchers + writers;
  peers = calloc(count, sizeof *peers);
  poller = epoll_create1(EPOLL_CLOEXEC);
  float *pauses = malloc(sizeof *pauses * watchers * rounds + 1);
  if (!peers || !pauses || poller < 0) die("no memory");
  for (int i = 0; i < count; i++) peers[i] = (struct peer){.fd = -1, .writer = i < watchers ? -1 : i - watchers};

  int round = 0;
  double give_up = now() + PATIENCE * 1e3;
  while (!all_synced() && now() < give_up && !problems) step();
  if (!all_synced()) problem(NULL, "not all connections came up");
  size_t n = 0;
  while (!problems && round < rounds && run_round(round)) {
    for (int i = 0; i < watchers; i++) pauses[n++] = peers[i].pause;
    round++;
  }
  report(pauses, n, round);
  return problems ? 1 : 0;
}
