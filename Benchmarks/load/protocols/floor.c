// The floor's own frames (floor/broker.c): operation, length, payload. It knows one key.
#include "../load.h"

static size_t frame(uint8_t *out, char operation, const void *payload, size_t length) {
  out[0] = operation;
  out[1] = length;
  memcpy(out + 2, payload, length);
  return 2 + length;
}

static size_t value(uint8_t *out, char operation, uint64_t value) {
  out[0] = operation;
  out[1] = VALUE_LENGTH;
  put_value(out + 2, value);
  return 2 + VALUE_LENGTH;
}

static size_t publish(struct connection *connection, uint8_t *out, const char *key, uint64_t number) {
  (void)connection, (void)key;
  return value(out, 'P', number);
}

static size_t set(struct connection *connection, uint8_t *out, const char *key, uint64_t number) {
  (void)connection, (void)key;
  return value(out, 'S', number);
}

static size_t get(struct connection *connection, uint8_t *out, const char *key) {
  (void)connection;
  return frame(out, 'G', key, strlen(key));
}

static int ask(struct connection *connection, char operation) {
  uint8_t out[2 + 2];
  size_t length = frame(out, operation, "k1", 2);
  return send_all(connection->descriptor, out, length) != 0 || await_replies(connection, connection->replies + 1) != 0;
}

static int dial(struct connection *connection, const char *address) {
  connection->descriptor = connect_to(address);
  return connection->descriptor < 0 || ask(connection, 'G') != 0 ? -1 : 0;
}

static int subscribe(struct connection *connection, const char *key) {
  (void)key;
  return ask(connection, 'W') != 0 ? -1 : 0;
}

static ssize_t parse(struct connection *connection, const uint8_t *bytes, size_t count) {
  size_t used = 0;
  while (count - used >= 2 && count - used >= 2u + bytes[used + 1]) {
    if (bytes[used] == 'v') got_value(connection, bytes + used + 2, bytes[used + 1]); else got_reply(connection);
    used += 2 + bytes[used + 1];
  }
  return used;
}

const struct protocol floor_protocol = {"floor", dial, subscribe, publish, get, set, parse, NULL};
