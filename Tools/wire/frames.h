// The frames of docs/protocol.md that the benchmarks and the system's tests speak. The kinds and `hello` are the code's own;
// the rest is written and read by hand: a second opinion on what the hub's encoders say. It owns no connection.
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* made from Sources/HubCore: kinds */
enum kind {
  HELLO = 0x01, PING = 0x02, GET = 0x03, SET = 0x04, ADD = 0x05, TOGGLE = 0x06, RESET = 0x07, REMOVE = 0x08,
  CREATE = 0x09, TRANSACTION = 0x0A, LIST = 0x0B, DESCRIBE = 0x0C, WATCH = 0x0D, UNWATCH = 0x0E, CLIENTS = 0x0F,
  STATS = 0x10, RELOAD = 0x11, ACCESS = 0x12, LOG = 0x13, MONITOR = 0x14, PROVIDE = 0x15, STANDING = 0x16,
  DECIDE = 0x17, RESTRICT = 0x18, CHANGE = 0x40, CREATED = 0x41, REMOVED = 0x42, CURRENT = 0x43, SYNCED = 0x44,
  RESUMED = 0x45, FORGET = 0x46, ENDED = 0x47, FORWARD = 0x48, WITHDRAW = 0x49, ASK = 0x4A, WELCOME = 0x80,
  PONG = 0x81, VALUE = 0x82, WRITTEN = 0x83, COMMITTED = 0x84, LISTED = 0x85, DESCRIBED = 0x86, WATCHING = 0x87,
  UNWATCHED = 0x88, CLIENT_LIST = 0x89, STATISTICS = 0x8A, RELOADED = 0x8B, EXPLAINED = 0x8C, LOGGED = 0x8D,
  MONITORED = 0x8E, PROVIDING = 0x8F, STOOD = 0x90, DECIDED = 0x91, RESTRICTED = 0x92, ERROR = 0xFF,
};
/* end of what is made */
enum { HEADER = 12, EVERY = 0x01, BOOKMARK = 0x02, CHANGED = 0x01, TTL = 0x20, EPHEMERAL = 0x40, NO_SUCH_STORE = 10 };

// A place in a history: an epoch, and a revision within it.
struct bookmark { uint8_t epoch[16]; uint64_t revision; };

// A frame from the hub: what its kind does not hold is 0.
struct frame {
  uint8_t kind, flags;
  uint32_t request;
  uint64_t store, revision, version;
  int64_t value;
  uint8_t epoch[16];
  uint16_t code;           // of an error, or the reason of `ended`
  const uint8_t *name;     // of a store, or the message of `ended`
  size_t name_length;
};

static inline uint64_t take(const uint8_t **p, int bytes) {
  uint64_t number = 0;
  memcpy(&number, *p, bytes);
  *p += bytes;
  return number;
}

static inline uint8_t *put(uint8_t *p, const void *bytes, size_t length) {
  memcpy(p, bytes, length);
  return p + length;
}

static inline uint8_t *put_text(uint8_t *p, const char *text) {
  *p++ = (uint8_t)strlen(text);
  return put(p, text, strlen(text));
}

// Writes the header over the first bytes of a frame whose payload ends at `end`, and returns its whole length.
static inline size_t finish(uint8_t *out, uint8_t *end, enum kind kind, uint8_t flags, uint32_t request) {
  uint32_t length = (uint32_t)(end - out - HEADER);
  memcpy(out, &length, 4);
  out[4] = kind;
  out[5] = flags;
  out[6] = out[7] = 0;
  memcpy(out + 8, &request, 4);
  return HEADER + length;
}

/* made from Sources/HubCore: hello */
static const uint8_t hello[] = {
  0x16, 0x00, 0x00, 0x00, 0x01, 0x00, 0x00, 0x00, 0x01, 0x00, 0x00, 0x00, 0x53, 0x48, 0x55, 0x42, 0x01, 0x00, 0x01,
  0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x05, 0x62, 0x65, 0x6E, 0x63, 0x68,
};
/* end of what is made */

static inline size_t put_hello(uint8_t *out) { return (size_t)(put(out, hello, sizeof hello) - out); }

static inline size_t put_get(uint8_t *out, const char *name) {
  return finish(out, put_text(out + HEADER, name), GET, 0, 2);
}

static inline size_t put_set(uint8_t *out, const char *name, int64_t value) {
  uint8_t *p = put(put_text(out + HEADER, name), "\1\10\0\0\0", 5);
  return finish(out, put(p, &value, 8), SET, 0, 3);
}

// - from: where to go on; NULL: from the start.
static inline size_t put_watch(uint8_t *out, const char *pattern, uint8_t flags, const struct bookmark *from) {
  uint8_t *p = out + HEADER;
  if (from) p = put(put(p, from->epoch, 16), &from->revision, 8);
  p = put_text(put(p, "\1\0", 2), pattern);
  return finish(out, p, WATCH, flags | (from ? BOOKMARK : 0), 4);
}

// The state of a store: who changed it, its number, revision, version, time.
static inline void take_state(const uint8_t **p, struct frame *frame) {
  take(p, 4);
  frame->store = take(p, 8);
  frame->revision = take(p, 8);
  frame->version = take(p, 8);
  take(p, 8);
}

static inline void take_name(const uint8_t **p, struct frame *frame) {
  frame->name_length = take(p, 1);
  frame->name = *p;
  *p += frame->name_length;
}

static inline void take_integer(const uint8_t **p, struct frame *frame) {
  if (take(p, 1) == 1 && take(p, 4) == 8) frame->value = (int64_t)take(p, 8);
}

// Reads a frame whose payload is whole.
static inline struct frame read_frame(const uint8_t *bytes) {
  struct frame frame = {.kind = bytes[4], .flags = bytes[5]};
  memcpy(&frame.request, bytes + 8, 4);
  const uint8_t *p = bytes + HEADER;
  switch (frame.kind) {
  case WELCOME: take(&p, 8), take(&p, 2), memcpy(frame.epoch, p, 16); break;
  case VALUE: case CHANGE: take_state(&p, &frame), take_integer(&p, &frame); break;
  case CURRENT: take_state(&p, &frame), take_name(&p, &frame), take_integer(&p, &frame); break;
  case REMOVED: take_state(&p, &frame), take_name(&p, &frame); break;
  case CREATED: {
    take_state(&p, &frame), take_name(&p, &frame);
    size_t schema = take(&p, 4);
    p += schema;
    take_integer(&p, &frame);
    break;
  }
  case WRITTEN: frame.store = take(&p, 8), frame.revision = take(&p, 8), frame.version = take(&p, 8); break;
  case SYNCED: case RESUMED: case WATCHING: frame.revision = take(&p, 8); break;
  case ERROR: frame.code = take(&p, 2); break;
  case ENDED:
    frame.code = take(&p, 2);
    frame.name_length = take(&p, 2), frame.name = p;
    break;
  }
  return frame;
}
