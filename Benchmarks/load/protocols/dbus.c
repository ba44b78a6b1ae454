// D-Bus. An update is the signal PropertiesChanged; get and set are Properties.Get and Set, routed to a service: a process of
// its own, as every value on a bus has an owner.
#include "../load.h"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>

#define PROPERTIES "org.freedesktop.DBus.Properties"
#define BUS "org.freedesktop.DBus"
#define SERVICE "bench.Service"
#define INTERFACE "bench.Store"

enum { CALL = 1, ANSWER = 2, ERROR = 3, SIGNAL = 4, NO_ANSWER = 1 };

struct message {
  uint8_t *bytes;
  size_t count;
};

static void align(struct message *message, int to) {
  while (message->count % to) message->bytes[message->count++] = 0;
}

static void word(struct message *message, uint32_t value) {
  align(message, 4);
  memcpy(message->bytes + message->count, &value, 4);
  message->count += 4;
}

static void text(struct message *message, const char *words) {
  uint32_t length = strlen(words);
  word(message, length);
  memcpy(message->bytes + message->count, words, length + 1);
  message->count += length + 1;
}

static void signature(struct message *message, const char *types) {
  uint8_t length = strlen(types);
  message->bytes[message->count++] = length;
  memcpy(message->bytes + message->count, types, length + 1);
  message->count += length + 1;
}

static void field(struct message *message, int code, const char *type, const char *value) {
  if (!value) return;
  align(message, 8);
  message->bytes[message->count++] = code;
  signature(message, type);
  if (*type == 'g') signature(message, value); else text(message, value);
}

struct header {
  int type, flags;
  uint32_t serial, answers;
  const char *path, *interface, *member, *destination, *types;
};

/// Everything in front of the body. Returns where that starts.
static size_t begin(struct message *message, struct header header) {
  memcpy(message->bytes, (uint8_t[]){'l', header.type, header.flags, 1}, 4);
  message->count = 4;
  word(message, 0);
  word(message, header.serial);
  word(message, 0);
  field(message, 1, "o", header.path);
  field(message, 2, "s", header.interface);
  field(message, 3, "s", header.member);
  field(message, 6, "s", header.destination);
  field(message, 8, "g", header.types);
  if (header.answers) {
    align(message, 8);
    message->bytes[message->count++] = 5;
    signature(message, "u");
    word(message, header.answers);
  }
  uint32_t length = message->count - 16;
  memcpy(message->bytes + 12, &length, 4);
  align(message, 8);
  return message->count;
}

static size_t finish(struct message *message, size_t body) {
  uint32_t length = message->count - body;
  memcpy(message->bytes + 4, &length, 4);
  return message->count;
}

/// A variant that holds a text.
static void variant(struct message *message, const void *bytes, size_t length) {
  signature(message, "s");
  word(message, length);
  memcpy(message->bytes + message->count, bytes, length);
  message->count += length;
  message->bytes[message->count++] = 0;
}

static void padded_variant(struct message *message, uint64_t value) {
  signature(message, "s");
  word(message, options.size);
  message->count = put_padded(message->bytes + message->count, value) - message->bytes;
  message->bytes[message->count++] = 0;
}

static const char *path(const char *key) {
  static char text[64];
  snprintf(text, sizeof text, "/%s", key);
  return text;
}

static size_t publish(struct connection *connection, uint8_t *out, const char *key, uint64_t value) {
  struct message message = {out, 0};
  size_t body = begin(&message, (struct header){
      .type = SIGNAL, .flags = NO_ANSWER, .serial = ++connection->serial, .path = path(key), .interface = PROPERTIES,
      .member = "PropertiesChanged", .types = "sa{sv}as"});
  text(&message, INTERFACE);
  word(&message, 0);
  size_t length_at = message.count - 4;
  align(&message, 8);
  size_t entries = message.count;
  text(&message, "Value");
  padded_variant(&message, value);
  uint32_t length = message.count - entries;
  memcpy(out + length_at, &length, 4);
  word(&message, 0);
  return finish(&message, body);
}

static size_t call(struct connection *connection, uint8_t *out, const char *key, const char *member, const void *digits) {
  struct message message = {out, 0};
  size_t body = begin(&message, (struct header){
      .type = CALL, .serial = ++connection->serial, .path = path(key), .interface = PROPERTIES, .member = member,
      .destination = SERVICE, .types = digits ? "ssv" : "ss"});
  text(&message, INTERFACE);
  text(&message, "Value");
  if (digits) variant(&message, digits, VALUE_LENGTH);
  return finish(&message, body);
}

static size_t get(struct connection *connection, uint8_t *out, const char *key) {
  return call(connection, out, key, "Get", NULL);
}

static size_t set(struct connection *connection, uint8_t *out, const char *key, uint64_t value) {
  char digits[VALUE_LENGTH];
  put_value(digits, value);
  return call(connection, out, key, "Set", digits);
}

struct layout {
  size_t body, length;
  uint32_t body_length, fields_length;
};

/// Whether a whole message stands at the front.
static bool is_whole(const uint8_t *bytes, size_t count, struct layout *layout) {
  if (count < 16) return false;
  memcpy(&layout->body_length, bytes + 4, 4);
  memcpy(&layout->fields_length, bytes + 12, 4);
  layout->body = 16 + ((layout->fields_length + 7) & ~7u);
  layout->length = layout->body + layout->body_length;
  return count >= layout->length;
}

static ssize_t parse(struct connection *connection, const uint8_t *bytes, size_t count) {
  // The one value in the signal, behind the interface, the length of the array and the property's name.
  enum { VALUE_AT = 44 };
  size_t used = 0;
  struct layout layout;
  while (is_whole(bytes + used, count - used, &layout)) {
    const uint8_t *next = bytes + used, *body = next + layout.body;
    if (next[1] == ERROR) {
      fprintf(stderr, "load: D-Bus answered: %.*s\n", (int)layout.body_length - 4, body + 4);
      return -1;
    }
    if (next[1] == ANSWER) got_reply(connection);
    if (next[1] == SIGNAL && layout.body_length > VALUE_AT + (uint32_t)options.size
        && memcmp(body + 4, INTERFACE, sizeof INTERFACE) == 0)
      got_value(connection, body + VALUE_AT, options.size);
    used += layout.length;
  }
  return used;
}

static int ask_bus(struct connection *connection, const char *member, const char *argument, bool with_flags) {
  uint8_t out[600];
  struct message message = {out, 0};
  size_t body = begin(&message, (struct header){
      .type = CALL, .serial = ++connection->serial, .path = "/org/freedesktop/DBus", .interface = BUS,
      .member = member, .destination = BUS, .types = argument ? (with_flags ? "su" : "s") : NULL});
  if (argument) text(&message, argument);
  if (with_flags) word(&message, 4);
  size_t length = finish(&message, body);
  if (send_all(connection->descriptor, out, length) != 0) return -1;
  return await_replies(connection, connection->replies + 1);
}

static int dial(struct connection *connection, const char *address) {
  char user[16], line[128] = "", answer[128];
  connection->descriptor = connect_to(address);
  if (connection->descriptor < 0) return -1;
  snprintf(user, sizeof user, "%d", getuid());
  size_t length = sprintf(line + 1, "AUTH EXTERNAL ") + 1;
  for (const char *digit = user; *digit; digit++) length += sprintf(line + length, "%02x", *digit);
  length += sprintf(line + length, "\r\n");
  if (send_all(connection->descriptor, line, length) != 0) return -1;
  for (size_t count = 0; count == 0 || !memchr(answer, '\n', count);) {
    ssize_t received = recv(connection->descriptor, answer + count, sizeof answer - count, 0);
    if (received <= 0) return -1;
    count += received;
  }
  if (memcmp(answer, "OK", 2) != 0 || send_all(connection->descriptor, "BEGIN\r\n", 7) != 0) return -1;
  return ask_bus(connection, "Hello", NULL, false);
}

static int subscribe(struct connection *connection, const char *key) {
  char rule[256];
  snprintf(
      rule, sizeof rule, "type='signal',interface='" PROPERTIES "',member='PropertiesChanged',path='/%s'", key);
  return ask_bus(connection, "AddMatch", rule, false);
}

// The service.

static char held[VALUE_LENGTH + 1] = "0000000000000000";

/// The header's text field of that code, NULL if there is none.
static const char *find_field(const uint8_t *bytes, uint32_t fields_length, int wanted) {
  size_t at = 16;
  while (at < 16 + fields_length) {
    at = (at + 7) & ~7ul;
    int code = bytes[at], type = bytes[at + 2];
    size_t value = at + 4;
    if (type == 'g') {
      at = value + 1 + bytes[value] + 1;
      continue;
    }
    value = (value + 3) & ~3ul;
    if (code == wanted) return (const char *)bytes + value + 4;
    uint32_t length = 0;
    if (type != 'u') memcpy(&length, bytes + value, 4);
    at = type == 'u' ? value + 4 : value + 4 + length + 1;
  }
  return NULL;
}

static size_t answer(struct connection *connection, uint8_t *out, const uint8_t *request, const struct layout *layout) {
  const char *member = find_field(request, layout->fields_length, 3);
  bool is_get = strcmp(member, "Get") == 0;
  struct message message = {out, 0};
  uint32_t serial;
  memcpy(&serial, request + 8, 4);
  if (!is_get) memcpy(held, request + layout->length - VALUE_LENGTH - 1, VALUE_LENGTH);
  size_t body = begin(&message, (struct header){
      .type = ANSWER, .flags = NO_ANSWER, .serial = ++connection->serial, .answers = serial,
      .destination = find_field(request, layout->fields_length, 7), .types = is_get ? "v" : NULL});
  if (is_get) variant(&message, held, VALUE_LENGTH);
  return finish(&message, body);
}

static ssize_t answer_calls(struct connection *connection, const uint8_t *bytes, size_t count) {
  static uint8_t out[1 << 18];
  size_t used = 0, length = 0;
  struct layout layout;
  while (is_whole(bytes + used, count - used, &layout)) {
    const uint8_t *next = bytes + used;
    if (next[1] == ANSWER) got_reply(connection);
    if (next[1] == CALL) length += answer(connection, out + length, next, &layout);
    if (length > sizeof out - 1024) {
      send_all(connection->descriptor, out, length);
      length = 0;
    }
    used += layout.length;
  }
  if (length > 0) send_all(connection->descriptor, out, length);
  return used;
}

static const struct protocol service = {"service", dial, NULL, NULL, NULL, NULL, answer_calls, NULL};

static pid_t serve_property(const char *address, const char *key) {
  int ready[2];
  char byte;
  (void)key;
  if (pipe(ready) != 0) fail("no pipe");
  pid_t process = fork();
  if (process == 0) {
    struct connection connection;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    open_connection(&connection);
    connection.protocol = &service;
    if (dial(&connection, address) != 0 || ask_bus(&connection, "RequestName", SERVICE, true) != 0) _exit(1);
    if (write(ready[1], "r", 1) != 1) _exit(1);
    while (pump(&connection, 0) >= 0) {}
    _exit(0);
  }
  close(ready[1]);
  if (read(ready[0], &byte, 1) != 1) fail("the D-Bus service did not start");
  close(ready[0]);
  return process;
}

const struct protocol dbus = {"dbus", dial, subscribe, publish, get, set, parse, serve_property};
