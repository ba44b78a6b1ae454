// What the parts of the load generator share: connections, protocols, progress, figures. It measures nothing itself.
#pragma once
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

struct protocol;

/// One connection to a broker. Every value begins with sixteen digits that only grow, so that whatever is lost, doubled or out
/// of date is seen; what a longer one has behind them is always the same.
struct connection {
  const struct protocol *protocol;
  int descriptor;
  /// Bytes of a message that is not whole yet.
  uint8_t *kept;
  size_t kept_count, kept_capacity;
  /// For the protocol's own use.
  uint32_t serial;
  bool awaits_snapshot, counts_values_as_replies;
  uint64_t replies;
  /// The newest value, how many were newer than the one before, and how many were passed over on the way.
  uint64_t newest, deliveries, gaps;
  /// By how much its next value is larger than the last, if none is passed over.
  uint64_t stride;
  /// Updates that became known since somebody last looked.
  uint64_t progress;
};

/// How a broker is spoken to. The functions that talk return 0, or -1 if it did not work; those that encode append bytes to
/// `out` and return how many.
struct protocol {
  const char *name;
  /// Connects and waits until the broker has answered.
  int (*dial)(struct connection *, const char *address);
  /// Returns once the subscription is active.
  int (*subscribe)(struct connection *, const char *key);
  /// One update.
  size_t (*publish)(struct connection *, uint8_t *out, const char *key, uint64_t value);
  /// One request each, answered by exactly one `got_reply`.
  size_t (*get)(struct connection *, uint8_t *out, const char *key);
  size_t (*set)(struct connection *, uint8_t *out, const char *key, uint64_t value);
  /// Takes whole messages, tells of each by `got_value` or `got_reply`, and returns how many bytes it used, -1: broken.
  ssize_t (*parse)(struct connection *, const uint8_t *bytes, size_t count);
  /// Optional: what get and set need beside the broker. Returns the pid of a process that serves them, or 0.
  pid_t (*prepare)(const char *address, const char *key);
};

extern const struct protocol *const protocols[];

// connection.c
void open_connection(struct connection *);
void close_connection(struct connection *);
int connect_to(const char *address);
int send_all(int descriptor, const void *bytes, size_t count);
/// Reads once and hands the bytes to the protocol. 0: there was nothing, -1: closed or broken.
ssize_t pump(struct connection *, int flags);
/// Reads until so many replies have come.
int await_replies(struct connection *, uint64_t replies);
void got_value(struct connection *, const void *digits, size_t count);
void got_reply(struct connection *);
enum { VALUE_LENGTH = 16 };
void put_value(void *digits, uint64_t value);
/// Writes a whole value, `options.size` bytes, and returns where it ends.
uint8_t *put_padded(uint8_t *out, uint64_t value);

// progress.c: what subscribers have got, counted in memory that all processes share.
struct progress {
  /// When the first and the last delivery of an update were seen, in microseconds.
  volatile double first, last;
};
extern struct progress *progress;
/// Starts to count the deliveries of an update: `before` were made before it, `target` will have been with it.
void expect_deliveries(uint64_t before, uint64_t target);
void note_deliveries(uint64_t count, double now);
/// Waits until `target` deliveries were made. False: they were not, in that time.
bool await_deliveries(uint64_t target, double microseconds);
uint64_t delivered(void);
void give_up_on(uint64_t target);

// subscribers.c: processes that hold subscriptions.
struct subscribers {
  int count, processes;
  /// Subscription number i follows the key number i modulo `keys`; update number i goes to the key number i modulo `keys`.
  int keys;
  /// What all of them subscribe to instead, or NULL.
  const char *pattern;
  bool threads, reading, pinned;
};
/// Returns 0 once all subscriptions are active.
int start_subscribers(struct subscribers);
double subscribers_cpu(void);
/// How many values they have got, and how many they have missed.
struct tally { uint64_t deliveries, gaps; } stop_subscribers(void);

// system.c
double now(void);
/// The processor time of a process so far, in microseconds. 0 if there is no such process.
double cpu_time(pid_t);
double own_cpu_time(void);
long resident_bytes(pid_t);
void pin(pid_t, int core);
void unpin(pid_t);
/// Keeps the cores awake, so that what a wake-up from their sleep costs is not measured. Ends with the process.
void keep_cores_awake(void);
void let_cores_sleep(void);
double percentile(double *values, size_t count, double part);
_Noreturn void fail(const char *format, ...) __attribute__((format(printf, 1, 2)));

/// The figures of this run, printed as one JSON object.
void figure(const char *name, double value);

// What is measured; each prints its figures.
struct options {
  const struct protocol *protocol;
  const char *address, *request, *pattern;
  pid_t broker;
  int subscribers, connections, depth, keys, window, processes, stopped, runs;
  /// The bytes of a value that is published or set. The protocols of redis, statehub and D-Bus take longer ones than sixteen.
  int size;
  uint64_t fill, count;
  double seconds;
  bool pinned, threads;
  char **command;
};
extern struct options options;
/// Values start with the time of day, so that those of an earlier run are out of date.
extern uint64_t first_value;
extern uint8_t *encoded;
enum { ENCODED_CAPACITY = 4 << 20 };
const char *key_name(int number);

void measure_latency(void);
void measure_throughput(void);
void measure_requests(void);
void measure_idle(void);
void measure_start(void);
void measure_command(void);
void wait_for_broker(void);
void serve(void);
