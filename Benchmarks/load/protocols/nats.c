// NATS over loopback. `nats` is its core, publish and subscribe; `nats-kv` a bucket of its key-value store in memory, which
// core subscribers follow, with a direct get and an acknowledged set.
#include "../load.h"

#define BUCKET "$KV.b."

static const struct protocol *bucket;

static const char *front(const struct connection *connection) {
  return connection->protocol == bucket ? BUCKET : "";
}

static size_t with_value(uint8_t *out, size_t length, uint64_t value) {
  put_value(out + length, value);
  memcpy(out + length + VALUE_LENGTH, "\r\n", 2);
  return length + VALUE_LENGTH + 2;
}

static size_t publish(struct connection *connection, uint8_t *out, const char *key, uint64_t value) {
  return with_value(out, sprintf((char *)out, "PUB %s%s %d\r\n", front(connection), key, VALUE_LENGTH), value);
}

static size_t set(struct connection *connection, uint8_t *out, const char *key, uint64_t value) {
  size_t length = sprintf(
      (char *)out, "PUB " BUCKET "%s _INBOX.%d.%d %d\r\n", key, getpid(), connection->descriptor, VALUE_LENGTH);
  return with_value(out, length, value);
}

static size_t get(struct connection *connection, uint8_t *out, const char *key) {
  return sprintf(
      (char *)out, "PUB $JS.API.DIRECT.GET.KV_b." BUCKET "%s _INBOX.%d.%d 0\r\n\r\n", key, getpid(),
      connection->descriptor);
}

static int ask(struct connection *connection, const char *text) {
  if (send_all(connection->descriptor, text, strlen(text)) != 0) return -1;
  return await_replies(connection, connection->replies + 1);
}

static int dial(struct connection *connection, const char *address) {
  char text[300];
  connection->descriptor = connect_to(address);
  if (connection->descriptor < 0) return -1;
  snprintf(
      text, sizeof text,
      "CONNECT {\"verbose\":false,\"pedantic\":false,\"headers\":true,\"no_responders\":true,\"name\":\"b\","
      "\"lang\":\"c\",\"version\":\"1\",\"protocol\":1}\r\nSUB _INBOX.%d.%d 9\r\nPING\r\n",
      getpid(), connection->descriptor);
  return ask(connection, text);
}

static int subscribe(struct connection *connection, const char *key) {
  char text[128];
  snprintf(text, sizeof text, "SUB %s%s 1\r\nPING\r\n", front(connection), key);
  return ask(connection, text);
}

/// A message: its subject is the second word of its first line, its length the last.
static int take(struct connection *connection, const uint8_t *line, size_t head, const uint8_t *body, size_t length) {
  const uint8_t *subject = memchr(line, ' ', head);
  if (memcmp(subject + 1, "_INBOX", 6) != 0) {
    got_value(connection, body, length);
    return 0;
  }
  if (memmem(body, length, "\"error\"", 7) || memmem(body, length, "NATS/1.0 4", 10)
      || memmem(body, length, "NATS/1.0 5", 10)) {
    fprintf(stderr, "load: nats answered: %.*s\n", (int)length, body);
    return -1;
  }
  got_reply(connection);
  return 0;
}

static ssize_t parse(struct connection *connection, const uint8_t *bytes, size_t count) {
  size_t used = 0;
  while (used < count) {
    const uint8_t *line = bytes + used, *end = memchr(line, '\n', count - used);
    if (!end) break;
    size_t head = end - line + 1;
    if (*line == 'M' || *line == 'H') {
      const uint8_t *word = end - 1;
      while (word > line && word[-1] != ' ') word--;
      size_t length = strtoul((const char *)word, NULL, 10);
      if (count - used < head + length + 2) break;
      if (take(connection, line, head, line + head, length) != 0) return -1;
      used += head + length + 2;
      continue;
    }
    if (*line == '-') {
      fprintf(stderr, "load: nats answered: %.*s\n", (int)head, line);
      return -1;
    }
    if (memcmp(line, "PONG", 4) == 0) got_reply(connection);
    used += head;
  }
  return used;
}

/// Makes the bucket: one value per key, in memory.
static pid_t make_bucket(const char *address, const char *key) {
  static const char stream[] =
      "{\"name\":\"KV_b\",\"subjects\":[\"" BUCKET ">\"],\"retention\":\"limits\",\"max_consumers\":-1,"
      "\"max_msgs_per_subject\":1,\"max_msgs\":-1,\"max_bytes\":-1,\"max_age\":0,\"storage\":\"memory\","
      "\"discard\":\"new\",\"num_replicas\":1,\"allow_rollup_hdrs\":true,\"deny_delete\":true,\"allow_direct\":true}";
  struct connection connection;
  char text[700];
  (void)key;
  open_connection(&connection);
  if (dial(&connection, address) != 0) fail("no connection to nats");
  snprintf(
      text, sizeof text, "PUB $JS.API.STREAM.CREATE.KV_b _INBOX.%d.%d %zu\r\n%s\r\n", getpid(), connection.descriptor,
      strlen(stream), stream);
  if (ask(&connection, text) != 0) fail("no bucket in nats");
  close_connection(&connection);
  return 0;
}

const struct protocol nats = {"nats", dial, subscribe, publish, NULL, NULL, parse, NULL};
const struct protocol nats_kv = {"nats-kv", dial, subscribe, publish, get, set, parse, make_bucket};
static const struct protocol *bucket = &nats_kv;
