// Redis (RESP2). An update is SET and PUBLISH in one write, because a subscription tells no value by itself.
#include "../load.h"

static size_t command(uint8_t *out, int words, const char *name, const char *key) {
  return sprintf((char *)out, "*%d\r\n$%zu\r\n%s\r\n$%zu\r\n%s\r\n", words, strlen(name), name, strlen(key), key);
}

static size_t command_with_value(uint8_t *out, const char *name, const char *key, uint64_t value) {
  size_t length = command(out, 3, name, key);
  length += sprintf((char *)out + length, "$%d\r\n", options.size);
  memcpy(put_padded(out + length, value), "\r\n", 2);
  return length + options.size + 2;
}

static size_t get(struct connection *connection, uint8_t *out, const char *key) {
  (void)connection;
  return command(out, 2, "GET", key);
}

static size_t set(struct connection *connection, uint8_t *out, const char *key, uint64_t value) {
  (void)connection;
  return command_with_value(out, "SET", key, value);
}

static size_t publish(struct connection *connection, uint8_t *out, const char *key, uint64_t value) {
  size_t length = set(connection, out, key, value);
  return length + command_with_value(out + length, "PUBLISH", key, value);
}

static int dial(struct connection *connection, const char *address) {
  connection->descriptor = connect_to(address);
  if (connection->descriptor < 0 || send_all(connection->descriptor, "PING\r\n", 6) != 0) return -1;
  return await_replies(connection, connection->replies + 1);
}

static int subscribe(struct connection *connection, const char *key) {
  uint8_t out[128];
  size_t length = command(out, 2, "SUBSCRIBE", key);
  if (send_all(connection->descriptor, out, length) != 0) return -1;
  return await_replies(connection, connection->replies + 1);
}

/// The length of a line with its end, 0 if it is not whole.
static size_t line(const uint8_t *bytes, size_t count) {
  const uint8_t *end = memchr(bytes, '\n', count);
  return end ? end - bytes + 1 : 0;
}

/// One element of an answer; its bytes, if it has any. Returns the length of all of it, 0 if it is not whole.
static size_t element(const uint8_t *bytes, size_t count, const uint8_t **content, long *length) {
  size_t head = line(bytes, count);
  *length = 0;
  if (head == 0 || bytes[0] != '$') return head;
  *length = atol((const char *)bytes + 1);
  if (*length < 0) return head;
  if (count < head + *length + 2) return 0;
  *content = bytes + head;
  return head + *length + 2;
}

/// `message`, channel, value: a delivery. Everything else in three parts confirms a subscription.
static size_t array(struct connection *connection, const uint8_t *bytes, size_t count) {
  size_t used = line(bytes, count);
  const uint8_t *content[3] = {NULL};
  long length[3];
  if (used == 0) return 0;
  for (int index = 0; index < 3; index++) {
    size_t part = element(bytes + used, count - used, &content[index], &length[index]);
    if (part == 0) return 0;
    used += part;
  }
  if (length[0] == 7) got_value(connection, content[2], length[2]); else got_reply(connection);
  return used;
}

static ssize_t parse(struct connection *connection, const uint8_t *bytes, size_t count) {
  size_t used = 0, part = 1;
  while (used < count && part > 0) {
    const uint8_t *next = bytes + used, *content;
    long length;
    if (*next == '-') {
      fprintf(stderr, "load: redis answered: %.60s\n", next);
      return -1;
    }
    if (*next == '*') {
      part = array(connection, next, count - used);
    } else {
      part = element(next, count - used, &content, &length);
      if (part > 0) got_reply(connection);
    }
    used += part;
  }
  return used;
}

const struct protocol redis = {"redis", dial, subscribe, publish, get, set, parse, NULL};
