// MQTT 3.1.1. An update is a retained message without acknowledgement, a set one with; a get is a subscription, answered by
// the retained message.
#include "../load.h"

#include <stdatomic.h>
#include <sys/syscall.h>

enum { CONNACK = 2, PUBLISH = 3, PUBACK = 4, SUBACK = 9, RETAINED = 1 };

static uint8_t *text(uint8_t *out, const char *words) {
  size_t length = strlen(words);
  out[0] = length >> 8;
  out[1] = length;
  memcpy(out + 2, words, length);
  return out + 2 + length;
}

static uint8_t *serial(struct connection *connection, uint8_t *out) {
  if ((++connection->serial & 0xFFFF) == 0) connection->serial++;
  out[0] = connection->serial >> 8;
  out[1] = connection->serial;
  return out + 2;
}

static size_t message(struct connection *connection, uint8_t *out, const char *key, uint64_t value, int quality) {
  out[0] = PUBLISH << 4 | quality << 1 | RETAINED;
  uint8_t *next = text(out + 2, key);
  if (quality > 0) next = serial(connection, next);
  put_value(next, value);
  out[1] = next + VALUE_LENGTH - (out + 2);
  return 2 + out[1];
}

static size_t publish(struct connection *connection, uint8_t *out, const char *key, uint64_t value) {
  return message(connection, out, key, value, 0);
}

static size_t set(struct connection *connection, uint8_t *out, const char *key, uint64_t value) {
  return message(connection, out, key, value, 1);
}

static size_t subscription(struct connection *connection, uint8_t *out, const char *key) {
  out[0] = 0x82;
  uint8_t *next = text(serial(connection, out + 2), key);
  *next++ = 0;
  out[1] = next - (out + 2);
  return 2 + out[1];
}

static size_t get(struct connection *connection, uint8_t *out, const char *key) {
  connection->counts_values_as_replies = true;
  return subscription(connection, out, key);
}

static int dial(struct connection *connection, const char *address) {
  static _Atomic int number;
  char client[32];
  snprintf(client, sizeof client, "b%ld-%d", syscall(SYS_gettid), atomic_fetch_add(&number, 1));
  uint8_t out[64] = {0x10, 10 + 2 + strlen(client), 0, 4, 'M', 'Q', 'T', 'T', 4, 2, 0, 0};
  uint8_t *end = text(out + 12, client);
  connection->descriptor = connect_to(address);
  if (connection->descriptor < 0 || send_all(connection->descriptor, out, end - out) != 0) return -1;
  return await_replies(connection, connection->replies + 1);
}

static int subscribe(struct connection *connection, const char *key) {
  uint8_t out[300];
  size_t length = subscription(connection, out, key);
  if (send_all(connection->descriptor, out, length) != 0) return -1;
  return await_replies(connection, connection->replies + 1);
}

static void take(struct connection *connection, uint8_t head, const uint8_t *body, size_t length) {
  size_t front = 2 + (body[0] << 8 | body[1]) + (head & 6 ? 2 : 0);
  switch (head >> 4) {
  case SUBACK:
    if (!connection->counts_values_as_replies) got_reply(connection);
    break;
  case CONNACK: case PUBACK: got_reply(connection); break;
  case PUBLISH:
    if (!connection->counts_values_as_replies) got_value(connection, body + front, length - front);
    else if (head & RETAINED) got_reply(connection);
  }
}

static ssize_t parse(struct connection *connection, const uint8_t *bytes, size_t count) {
  size_t used = 0;
  while (count - used >= 2) {
    const uint8_t *next = bytes + used;
    size_t length = 0, head = 1;
    bool whole = false;
    for (int shift = 0; used + head < count && head < 5 && !whole; shift += 7, head++) {
      length |= (size_t)(next[head] & 127) << shift;
      whole = !(next[head] & 128);
    }
    if (!whole || count - used < head + length) break;
    take(connection, next[0], next + head, length);
    used += head + length;
  }
  return used;
}

const struct protocol mqtt = {"mqtt", dial, subscribe, publish, get, set, parse, NULL};
