// statehub: the frames of docs/protocol.md, written by hand.
#include "../load.h"

enum { HEADER = 12, HELLO = 0x01, GET = 0x03, SET = 0x04, WATCH = 0x0D };
enum { CHANGE = 0x40, CREATED = 0x41, REMOVED = 0x42, CURRENT = 0x43, SYNCED = 0x44, LAST_EVENT = 0x47, ERROR = 0xFF };
enum { EVERY_CHANGE = 1 };
enum { STRING = 4 };

/// Length of what follows, kind, flags, reserved, number of the request.
static uint8_t *header(uint8_t *out, uint8_t kind, uint8_t flags, uint32_t request, uint32_t length) {
  memcpy(out, &length, 4);
  memcpy(out + 4, (uint8_t[]){kind, flags, 0, 0}, 4);
  memcpy(out + 8, &request, 4);
  return out + HEADER;
}

static uint8_t *name(uint8_t *out, const char *key) {
  size_t length = strlen(key);
  *out = length;
  memcpy(out + 1, key, length);
  return out + 1 + length;
}

/// hello: magic, lowest and highest version, capabilities, name.
static int dial(struct connection *connection, const char *address) {
  static const uint8_t hello[22] = "SHUB\1\0\1\0\0\0\0\0\0\0\0\0\5bench";
  uint8_t frame[HEADER + sizeof hello];
  memcpy(header(frame, HELLO, 0, 1, sizeof hello), hello, sizeof hello);
  connection->descriptor = connect_to(address);
  if (connection->descriptor < 0 || send_all(connection->descriptor, frame, sizeof frame) != 0) return -1;
  return await_replies(connection, 1);
}

/// watch: number of patterns, each with its length. It is live once `synced` has come.
static int watch(struct connection *connection, const char *pattern, uint8_t flags) {
  uint8_t frame[HEADER + 300];
  uint8_t *body = header(frame, WATCH, flags, 2, 2 + 1 + strlen(pattern));
  memcpy(body, "\1\0", 2);
  uint8_t *end = name(body + 2, pattern);
  connection->awaits_snapshot = true;
  if (send_all(connection->descriptor, frame, end - frame) != 0) return -1;
  return await_replies(connection, connection->replies + 2);
}

static int watch_latest(struct connection *connection, const char *pattern) { return watch(connection, pattern, 0); }
static int watch_every(struct connection *connection, const char *pattern) {
  return watch(connection, pattern, EVERY_CHANGE);
}

/// get: the store's name.
static size_t get(struct connection *connection, uint8_t *out, const char *key) {
  (void)connection;
  return name(header(out, GET, 0, 3, 1 + strlen(key)), key) - out;
}

/// set: the store's name, then its value: type (4: string), length, bytes.
static size_t set(struct connection *connection, uint8_t *out, const char *key, uint64_t value) {
  (void)connection;
  uint8_t *next = name(header(out, SET, 0, 3, 1 + strlen(key) + 5 + options.size), key);
  uint32_t size = options.size;
  *next = STRING;
  memcpy(next + 1, &size, 4);
  return put_padded(next + 5, value) - out;
}

static ssize_t parse(struct connection *connection, const uint8_t *bytes, size_t count) {
  size_t used = 0;
  while (count - used >= HEADER) {
    const uint8_t *frame = bytes + used;
    uint32_t length;
    memcpy(&length, frame, 4);
    if (count - used < HEADER + (size_t)length) break;
    switch (frame[4]) {
    case CHANGE: case CREATED: case CURRENT:
      // A frame about a store ends with its value; `created` may name the store's owner behind it.
      for (size_t behind = 0; behind <= 4 && length >= options.size + 5 + behind; behind += 4) {
        const uint8_t *value = frame + HEADER + length - options.size - behind;
        uint32_t size = options.size;
        if (value[-5] != STRING || memcmp(value - 4, &size, 4)) continue;
        got_value(connection, value, size);
        break;
      }
      break;
    case SYNCED:
      if (connection->awaits_snapshot) got_reply(connection);
      connection->awaits_snapshot = false;
      break;
    case ERROR:
      fprintf(stderr, "load: statehub answered: %.*s\n", (int)length, frame + HEADER);
      return -1;
    default:
      if (frame[4] < REMOVED || frame[4] > LAST_EVENT) got_reply(connection);
    }
    used += HEADER + length;
  }
  return used;
}

const struct protocol statehub = {"statehub", dial, watch_latest, set, get, set, parse, NULL};
const struct protocol statehub_every = {"statehub-every", dial, watch_every, set, get, set, parse, NULL};
