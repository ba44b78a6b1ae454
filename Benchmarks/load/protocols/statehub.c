// statehub: the frames of docs/protocol.md.
#include "../../../Tools/wire/frames.h"
#include "../load.h"

enum { STRING = 4 };

static int dial(struct connection *connection, const char *address) {
  connection->descriptor = connect_to(address);
  if (connection->descriptor < 0 || send_all(connection->descriptor, hello, sizeof hello) != 0) return -1;
  return await_replies(connection, 1);
}

/// It is live once `synced` has come.
static int watch(struct connection *connection, const char *pattern, uint8_t flags) {
  uint8_t frame[HEADER + 300];
  size_t length = put_watch(frame, pattern, flags, NULL);
  connection->awaits_snapshot = true;
  if (send_all(connection->descriptor, frame, length) != 0) return -1;
  return await_replies(connection, connection->replies + 2);
}

static int watch_latest(struct connection *connection, const char *pattern) { return watch(connection, pattern, 0); }
static int watch_every(struct connection *connection, const char *pattern) {
  return watch(connection, pattern, EVERY);
}

static size_t get(struct connection *connection, uint8_t *out, const char *key) {
  (void)connection;
  return put_get(out, key);
}

/// A string of the length that the options say.
static size_t set(struct connection *connection, uint8_t *out, const char *key, uint64_t value) {
  (void)connection;
  uint8_t *next = put_text(out + HEADER, key);
  uint32_t size = options.size;
  *next = STRING;
  memcpy(next + 1, &size, 4);
  return finish(out, put_padded(next + 5, value), SET, 0, 3);
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
      if (frame[4] >= WELCOME) got_reply(connection);
    }
    used += HEADER + length;
  }
  return used;
}

const struct protocol statehub = {"statehub", dial, watch_latest, set, get, set, parse, NULL};
const struct protocol statehub_every = {"statehub-every", dial, watch_every, set, get, set, parse, NULL};
