/* The C client of statehub. statehub.h says what it does, docs/protocol.md how.
 *
 * Sections: memory, maps, bytes, names, values, schemas, the view of a watch, events, requests on their way, ephemeral
 * values, replies, the connection's states, the socket, the public functions. All but the last two take bytes and time and
 * touch no descriptor and no clock. */
#if !defined(_GNU_SOURCE)
#define _GNU_SOURCE
#endif
#include "statehub.h"

#include <errno.h>
#include <math.h>
#include <poll.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

/* Where the fields are that each event of a store begins with. */
enum { STATE_UID = 0, STATE_STORE = 4, STATE_REVISION = 12, STATE_VERSION = 20, STATE_TIME = 28, STATE = 36 };
enum { HEADER = 12, LONGEST_NAME = 255, DEFAULT_FRAME = 1 << 20, ALLOWANCE = 64 << 10, CHUNK = 1 << 16 };
/* Every hub takes frames of 64 KiB, and none longer ones than 1 GiB; a hub's connection keeps at most so much of what the
 * socket has not taken. */
enum { LEAST_FRAME = 1 << 16, LONGEST_FRAME = 1 << 30, MOST_UNSENT = 64 << 20 };
enum { GREETING_TIMEOUT = 5000, STEADINESS = 1000, REFUSALS = 3, TIMEOUT = 5000, GRACE = 50 };
static const int64_t FOREVER = INT64_MAX;
static const int64_t NOT_SENT = -1;

/* ---- Memory ------------------------------------------------------------------------------------------------------- */

static void *allocated(void *memory) {
  if (memory == NULL) {
    fputs("statehub: out of memory\n", stderr);
    abort();
  }
  return memory;
}

#define NEW(type) ((type *)allocated(calloc(1, sizeof(type))))

static char *copy_text(const char *text, size_t length) {
  char *copy = (char *)allocated(malloc(length + 1));
  if (length > 0) memcpy(copy, text, length);
  copy[length] = '\0';
  return copy;
}

/* What printf would write, allocated. */
static __attribute__((format(printf, 1, 2))) char *text_of(const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  char *text = NULL;
  int length = vasprintf(&text, format, arguments);
  va_end(arguments);
  return (char *)allocated(length < 0 ? NULL : text);
}

/* Makes room for one more element of an array whose capacity is a power of two. */
static void *grown(void *array, size_t count, size_t size) {
  if ((count & (count - 1)) != 0) return array;
  return allocated(realloc(array, (count == 0 ? 1 : count * 2) * size));
}

/* ---- Maps: from a number to a pointer, open addressing, no removal of single slots but by back-shifting ---------------- */

struct slot {
  uint64_t key;
  void *value;
};

struct map {
  struct slot *slots;
  size_t capacity, count;
};

static size_t map_home(const struct map *map, uint64_t key) {
  return (size_t)((key * 0x9E3779B97F4A7C15ull) >> 17) & (map->capacity - 1);
}

static void *map_get(const struct map *map, uint64_t key) {
  if (map->count == 0) return NULL;
  for (size_t at = map_home(map, key);; at = (at + 1) & (map->capacity - 1)) {
    if (map->slots[at].value == NULL) return NULL;
    if (map->slots[at].key == key) return map->slots[at].value;
  }
}

static void map_put(struct map *map, uint64_t key, void *value) {
  if (2 * (map->count + 1) > map->capacity) {
    struct map larger = {NULL, map->capacity == 0 ? 4 : map->capacity * 2, 0};
    larger.slots = (struct slot *)allocated(calloc(larger.capacity, sizeof(struct slot)));
    for (size_t at = 0; at < map->capacity; at++) {
      if (map->slots[at].value != NULL) map_put(&larger, map->slots[at].key, map->slots[at].value);
    }
    free(map->slots);
    *map = larger;
  }
  size_t at = map_home(map, key);
  while (map->slots[at].value != NULL && map->slots[at].key != key) at = (at + 1) & (map->capacity - 1);
  if (map->slots[at].value == NULL) map->count++;
  map->slots[at].key = key;
  map->slots[at].value = value;
}

static void map_remove(struct map *map, uint64_t key) {
  if (map->count == 0) return;
  size_t at = map_home(map, key);
  while (map->slots[at].value != NULL && map->slots[at].key != key) at = (at + 1) & (map->capacity - 1);
  if (map->slots[at].value == NULL) return;
  map->count--;
  for (size_t next = at;;) {
    map->slots[at].value = NULL;
    for (;;) {
      next = (next + 1) & (map->capacity - 1);
      if (map->slots[next].value == NULL) return;
      size_t home = map_home(map, map->slots[next].key);
      bool stays = at <= next ? at < home && home <= next : at < home || home <= next;
      if (!stays) break;
    }
    map->slots[at] = map->slots[next];
    at = next;
  }
}

static void map_clear(struct map *map) {
  free(map->slots);
  memset(map, 0, sizeof *map);
}

/* ---- Kinds of frames -------------------------------------------------------------------------------------------- */

/* made from Sources/HubCore: kinds */
enum {
  FRAME_HELLO = 0x01, FRAME_PING = 0x02, FRAME_GET = 0x03, FRAME_SET = 0x04, FRAME_ADD = 0x05, FRAME_TOGGLE = 0x06,
  FRAME_RESET = 0x07, FRAME_REMOVE = 0x08, FRAME_CREATE = 0x09, FRAME_TRANSACTION = 0x0A, FRAME_LIST = 0x0B,
  FRAME_DESCRIBE = 0x0C, FRAME_WATCH = 0x0D, FRAME_UNWATCH = 0x0E, FRAME_CLIENTS = 0x0F, FRAME_STATS = 0x10,
  FRAME_RELOAD = 0x11, FRAME_ACCESS = 0x12, FRAME_LOG = 0x13, FRAME_MONITOR = 0x14, FRAME_PROVIDE = 0x15,
  FRAME_STANDING = 0x16, FRAME_DECIDE = 0x17, FRAME_RESTRICT = 0x18, FRAME_CHANGE = 0x40, FRAME_CREATED = 0x41,
  FRAME_REMOVED = 0x42, FRAME_CURRENT = 0x43, FRAME_SYNCED = 0x44, FRAME_RESUMED = 0x45, FRAME_FORGET = 0x46,
  FRAME_ENDED = 0x47, FRAME_FORWARD = 0x48, FRAME_WITHDRAW = 0x49, FRAME_ASK = 0x4A, FRAME_WELCOME = 0x80,
  FRAME_PONG = 0x81, FRAME_VALUE = 0x82, FRAME_WRITTEN = 0x83, FRAME_COMMITTED = 0x84, FRAME_LISTED = 0x85,
  FRAME_DESCRIBED = 0x86, FRAME_WATCHING = 0x87, FRAME_UNWATCHED = 0x88, FRAME_CLIENT_LIST = 0x89,
  FRAME_STATISTICS = 0x8A, FRAME_RELOADED = 0x8B, FRAME_EXPLAINED = 0x8C, FRAME_LOGGED = 0x8D, FRAME_MONITORED = 0x8E,
  FRAME_PROVIDING = 0x8F, FRAME_STOOD = 0x90, FRAME_DECIDED = 0x91, FRAME_RESTRICTED = 0x92, FRAME_ERROR = 0xFF,
};
/* end of what is made */

/* ---- Bytes: a growing buffer that is emptied at the front, and a reader of fields ----------------------------------- */

struct buffer {
  uint8_t *bytes;
  size_t start, end, capacity;
};

static uint8_t *buffer_room(struct buffer *buffer, size_t count) {
  if (buffer->capacity - buffer->end >= count) return buffer->bytes + buffer->end;
  size_t length = buffer->end - buffer->start;
  if (buffer->start > 0) {
    memmove(buffer->bytes, buffer->bytes + buffer->start, length);
    buffer->start = 0;
    buffer->end = length;
  }
  if (buffer->capacity - length < count) {
    size_t capacity = buffer->capacity < 512 ? 512 : buffer->capacity;
    while (capacity - length < count) capacity *= 2;
    buffer->bytes = (uint8_t *)allocated(realloc(buffer->bytes, capacity));
    buffer->capacity = capacity;
  }
  return buffer->bytes + buffer->end;
}

static void put(struct buffer *buffer, const void *bytes, size_t count) {
  if (count == 0) return;
  memcpy(buffer_room(buffer, count), bytes, count);
  buffer->end += count;
}

/* Numbers are little-endian, whatever the machine is. */
static void put_number(struct buffer *buffer, uint64_t number, size_t size) {
  uint8_t bytes[8];
  for (size_t at = 0; at < size; at++) bytes[at] = (uint8_t)(number >> (8 * at));
  put(buffer, bytes, size);
}

static inline uint64_t number_at(const uint8_t *bytes, size_t size) {
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
  uint64_t number = 0;
  memcpy(&number, bytes, size);
  return number;
#else
  uint64_t number = 0;
  for (size_t at = 0; at < size; at++) number |= (uint64_t)bytes[at] << (8 * at);
  return number;
#endif
}

static void put_short(struct buffer *buffer, const char *text, size_t length) {
  put_number(buffer, length, 1);
  put(buffer, text, length);
}

static void buffer_clear(struct buffer *buffer) { buffer->start = buffer->end = 0; }

static void buffer_free(struct buffer *buffer) {
  free(buffer->bytes);
  memset(buffer, 0, sizeof *buffer);
}

/* What is too short or impossible sets `failed`; every field behind it is 0. */
struct reader {
  const uint8_t *at, *end;
  bool failed;
};

static inline const uint8_t *take(struct reader *reader, size_t count) {
  static const uint8_t nothing[STATE] = {0};
  if (reader->failed || (size_t)(reader->end - reader->at) < count) {
    reader->failed = true;
    return nothing;
  }
  const uint8_t *bytes = reader->at;
  reader->at += count;
  return bytes;
}

static inline uint64_t take_number(struct reader *reader, size_t size) { return number_at(take(reader, size), size); }

static statehub_epoch take_epoch(struct reader *reader) {
  statehub_epoch epoch;
  epoch.high = take_number(reader, 8);
  epoch.low = take_number(reader, 8);
  return epoch;
}

static bool same_epoch(statehub_epoch one, statehub_epoch other) {
  return one.high == other.high && one.low == other.low;
}

struct text {
  const char *bytes;
  size_t length;
};

static struct text take_text(struct reader *reader, size_t size_of_length) {
  struct text text;
  text.length = (size_t)take_number(reader, size_of_length);
  text.bytes = (const char *)take(reader, text.length);
  if (reader->failed) text.length = 0;
  return text;
}

/* ---- Names and patterns ------------------------------------------------------------------------------------------- */

static bool is_component_byte(char byte) {
  return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') || (byte >= '0' && byte <= '9') || byte == '_'
         || byte == '-';
}

static bool is_dotted(const char *text, size_t length, bool with_stars) {
  if (length == 0 || length > LONGEST_NAME) return false;
  size_t start = 0;
  for (size_t at = 0; at <= length; at++) {
    if (at < length && text[at] != '.') continue;
    size_t count = at - start;
    bool stars = with_stars && (count == 1 || count == 2) && text[start] == '*' && text[at - 1] == '*';
    if (count == 0) return false;
    for (size_t byte = start; byte < at && !stars; byte++) {
      if (!is_component_byte(text[byte])) return false;
    }
    start = at + 1;
  }
  return true;
}

bool statehub_is_name(const char *text, size_t length) { return is_dotted(text, length, false); }
bool statehub_is_pattern(const char *text, size_t length) { return is_dotted(text, length, true); }

static size_t component(const char *text) { return strcspn(text, "."); }

static const char *behind(const char *text) {
  size_t length = component(text);
  return text + length + (text[length] == '.');
}

/* Remembers the last ** instead of trying every split. */
bool statehub_matches(const char *pattern, const char *name) {
  const char *last_pattern = NULL, *last_name = NULL;
  while (*name != '\0') {
    size_t part = component(pattern), piece = component(name);
    if (part == 2 && memcmp(pattern, "**", 2) == 0) {
      last_pattern = pattern = behind(pattern);
      last_name = name;
      continue;
    }
    if (*pattern != '\0' && ((part == 1 && *pattern == '*') || (part == piece && memcmp(pattern, name, part) == 0))) {
      pattern = behind(pattern);
      name = behind(name);
    } else if (last_pattern != NULL) {
      pattern = last_pattern;
      name = last_name = behind(last_name);
    } else {
      return false;
    }
  }
  while (*pattern != '\0') {
    if (component(pattern) != 2 || memcmp(pattern, "**", 2) != 0) return false;
    pattern = behind(pattern);
  }
  return true;
}

/* ---- Values ------------------------------------------------------------------------------------------------------- */

static statehub_value value_of_type(statehub_type type) {
  statehub_value value;
  memset(&value, 0, sizeof value);
  value.type = type;
  return value;
}

statehub_value statehub_integer(int64_t number) {
  statehub_value value = value_of_type(STATEHUB_INTEGER);
  value.integer = number;
  return value;
}

statehub_value statehub_double(double number) {
  statehub_value value = value_of_type(STATEHUB_DOUBLE);
  value.real = number;
  return value;
}

statehub_value statehub_boolean(bool truth) {
  statehub_value value = value_of_type(STATEHUB_BOOLEAN);
  value.boolean = truth;
  return value;
}

statehub_value statehub_bytes(statehub_type type, const void *bytes, size_t length) {
  statehub_value value = value_of_type(type);
  value.bytes = (const char *)bytes;
  value.length = length;
  return value;
}

statehub_value statehub_string(const char *text) { return statehub_bytes(STATEHUB_STRING, text, strlen(text)); }

static void put_value(struct buffer *buffer, const statehub_value *value) {
  uint64_t bits = 0;
  put_number(buffer, (uint64_t)value->type, 1);
  switch (value->type) {
  case STATEHUB_INTEGER:
    put_number(buffer, 8, 4);
    put_number(buffer, (uint64_t)value->integer, 8);
    break;
  case STATEHUB_DOUBLE:
    memcpy(&bits, &value->real, sizeof bits);
    put_number(buffer, 8, 4);
    put_number(buffer, bits, 8);
    break;
  case STATEHUB_BOOLEAN:
    put_number(buffer, 1, 4);
    put_number(buffer, value->boolean, 1);
    break;
  case STATEHUB_STRING: case STATEHUB_DATA: case STATEHUB_JSON:
    put_number(buffer, value->length, 4);
    put(buffer, value->bytes, value->length);
    break;
  }
}

static bool is_type(unsigned type) { return type >= STATEHUB_INTEGER && type <= STATEHUB_JSON; }

/* Fills in what it is told to: a returned copy of what was just written would cost more than all else here. */
static void read_value(struct reader *reader, statehub_value *value) {
  const uint8_t *prefix = take(reader, 5);
  unsigned type = *prefix;
  size_t length = (size_t)number_at(prefix + 1, 4);
  const uint8_t *bytes = take(reader, length);
  if (reader->failed || !is_type(type)) {
    reader->failed = true;
    *value = value_of_type(STATEHUB_BOOLEAN);
    return;
  }
  *value = value_of_type((statehub_type)type);
  switch (value->type) {
  case STATEHUB_INTEGER:
    if (length != 8) reader->failed = true;
    else value->integer = (int64_t)number_at(bytes, 8);
    break;
  case STATEHUB_DOUBLE:
    if (length != 8) {
      reader->failed = true;
    } else {
      uint64_t bits = number_at(bytes, 8);
      memcpy(&value->real, &bits, sizeof bits);
      if (!isfinite(value->real)) reader->failed = true;
    }
    break;
  case STATEHUB_BOOLEAN:
    if (length != 1 || *bytes > 1) reader->failed = true;
    else value->boolean = *bytes == 1;
    break;
  case STATEHUB_STRING: case STATEHUB_DATA: case STATEHUB_JSON:
    value->bytes = (const char *)bytes;
    value->length = length;
    break;
  }
}

static statehub_value take_value(struct reader *reader) {
  statehub_value value;
  read_value(reader, &value);
  return value;
}

bool statehub_equal(const statehub_value *one, const statehub_value *other) {
  if (one->type != other->type) return false;
  switch (one->type) {
  case STATEHUB_INTEGER: return one->integer == other->integer;
  case STATEHUB_DOUBLE: return memcmp(&one->real, &other->real, sizeof one->real) == 0;
  case STATEHUB_BOOLEAN: return one->boolean == other->boolean;
  case STATEHUB_STRING: case STATEHUB_DATA: case STATEHUB_JSON: break;
  }
  return one->length == other->length && (one->length == 0 || memcmp(one->bytes, other->bytes, one->length) == 0);
}

/* ---- Schemas ------------------------------------------------------------------------------------------------------ */

/* What a reply points to while its callback runs. */
struct arena {
  void **blocks;
  size_t count;
};

static void *arena_take(struct arena *arena, size_t size) {
  arena->blocks = (void **)grown(arena->blocks, arena->count, sizeof(void *));
  return arena->blocks[arena->count++] = allocated(calloc(1, size == 0 ? 1 : size));
}

static char *arena_text(struct arena *arena, struct text text) {
  char *copy = (char *)arena_take(arena, text.length + 1);
  if (text.length > 0) memcpy(copy, text.bytes, text.length);
  return copy;
}

static void arena_free(struct arena *arena) {
  for (size_t at = 0; at < arena->count; at++) free(arena->blocks[at]);
  free(arena->blocks);
  memset(arena, 0, sizeof *arena);
}

static void put_schema(struct buffer *buffer, const statehub_schema *schema) {
  struct buffer fields = {NULL, 0, 0, 0};
  const statehub_value *values[3] = {schema->minimum, schema->maximum, schema->initial};
  unsigned flags = 0;
  for (unsigned at = 0; at < 3; at++) {
    if (values[at] == NULL) continue;
    flags |= 1u << at;
    put_value(&fields, values[at]);
  }
  if (schema->choice_count > 0) {
    flags |= 0x08;
    put_number(&fields, schema->choice_count, 2);
    for (size_t at = 0; at < schema->choice_count; at++) put_value(&fields, &schema->choices[at]);
  }
  if (schema->max_bytes > 0) {
    flags |= 0x10;
    put_number(&fields, schema->max_bytes, 4);
  }
  if (schema->durability != 0) {
    flags |= 0x20;
    put_number(&fields, (uint64_t)schema->durability, 1);
  }
  if (schema->description != NULL) {
    size_t length = strlen(schema->description);
    flags |= 0x40;
    put_number(&fields, length, 2);
    put(&fields, schema->description, length);
  }
  put_number(buffer, 2 + (fields.end - fields.start), 4);
  put_number(buffer, (uint64_t)schema->type, 1);
  put_number(buffer, flags, 1);
  put(buffer, fields.bytes, fields.end);
  buffer_free(&fields);
}

static int take_durability(struct reader *reader) {
  int durability = (int)take_number(reader, 1);
  if (durability < STATEHUB_VOLATILE || durability > STATEHUB_SYNCED) reader->failed = true;
  return durability;
}

static statehub_schema take_schema(struct reader *reader, struct arena *arena) {
  statehub_schema schema;
  memset(&schema, 0, sizeof schema);
  size_t length = (size_t)take_number(reader, 4);
  const uint8_t *bytes = take(reader, length);
  if (reader->failed) return schema;
  struct reader fields = {bytes, bytes + length, false};
  unsigned type = (unsigned)take_number(&fields, 1), flags = (unsigned)take_number(&fields, 1);
  if (!is_type(type)) fields.failed = true;
  else schema.type = (statehub_type)type;
  const statehub_value **values[3] = {&schema.minimum, &schema.maximum, &schema.initial};
  for (unsigned at = 0; at < 3; at++) {
    if ((flags & 1u << at) == 0) continue;
    statehub_value *value = (statehub_value *)arena_take(arena, sizeof *value);
    *value = take_value(&fields);
    *values[at] = value;
  }
  if (flags & 0x08) {
    size_t count = (size_t)take_number(&fields, 2);
    statehub_value *choices = (statehub_value *)arena_take(arena, count * sizeof *choices);
    for (size_t at = 0; at < count && !fields.failed; at++) choices[at] = take_value(&fields);
    schema.choices = choices;
    schema.choice_count = count;
  }
  if (flags & 0x10) schema.max_bytes = (uint32_t)take_number(&fields, 4);
  if (flags & 0x20) schema.durability = take_durability(&fields);
  if (flags & 0x40) schema.description = arena_text(arena, take_text(&fields, 2));
  if (fields.failed) reader->failed = true;
  return schema;
}

/* ---- The view of a watch: what is new, and what was skipped ----------------------------------------------------------- */

/* The rules are those of docs/protocol-watching.md, "What a client does"; its scripts play them. */
enum phase { FIRST, AGAIN, FOLLOWING };

/* A store that a view knows of, by number. */
struct known {
  uint64_t number;
  char *name;         /* while it is shown */
  uint64_t version;   /* of what is shown */
  uint64_t revision;
  uint64_t before;    /* version that was shown before a forget of the same epoch; 0: none */
  uint64_t gone;      /* revision of its removal, if that is above the bookmark; 0: none */
  bool is_overdue;    /* as shown */
};

/* A name in a map by hash, with the number of its store. */
struct named {
  char *name;
  uint64_t number;
  struct named *next; /* of the same hash */
};

struct view {
  bool has_epoch, has_bookmark, is_synced, in_batch, has_shown;
  enum phase phase;
  statehub_epoch epoch;
  uint64_t bookmark, newest;
  struct map known;   /* number -> struct known */
  struct map names;   /* of the stores that are shown */
  struct map ended;   /* names whose store was removed within a snapshot: the next one is not part of it */
  size_t gone_count, shown_count;
};

static uint64_t name_hash(const char *name) {
  uint64_t hash = 0xcbf29ce484222325ull;
  for (; *name != '\0'; name++) hash = (hash ^ (uint8_t)*name) * 0x100000001b3ull;
  return hash;
}

static struct named *named_find(const struct map *names, const char *name) {
  if (names->count == 0) return NULL;
  struct named *named = (struct named *)map_get(names, name_hash(name));
  while (named != NULL && strcmp(named->name, name) != 0) named = named->next;
  return named;
}

/* A name that is not in the map yet. */
static void named_add(struct map *names, const char *name, uint64_t number) {
  uint64_t hash = name_hash(name);
  struct named *named = NEW(struct named);
  named->name = copy_text(name, strlen(name));
  named->number = number;
  named->next = (struct named *)map_get(names, hash);
  map_put(names, hash, named);
}

static void named_drop(struct map *names, const char *name) {
  uint64_t hash = name_hash(name);
  struct named *named = named_find(names, name), *first = (struct named *)map_get(names, hash);
  if (first == named) {
    if (named->next != NULL) map_put(names, hash, named->next);
    else map_remove(names, hash);
  } else {
    while (first->next != named) first = first->next;
    first->next = named->next;
  }
  free(named->name);
  free(named);
}

static void named_clear(struct map *names) {
  for (size_t at = 0; at < names->capacity; at++) {
    struct named *named = (struct named *)names->slots[at].value;
    while (named != NULL) {
      struct named *next = named->next;
      free(named->name);
      free(named);
      named = next;
    }
  }
  map_clear(names);
}

static struct known *view_store(struct view *view, uint64_t number, bool makes) {
  struct known *known = (struct known *)map_get(&view->known, number);
  if (known == NULL && makes) {
    known = NEW(struct known);
    known->number = number;
    map_put(&view->known, number, known);
  }
  return known;
}

static void view_drop_store(struct view *view, struct known *known) {
  if (known->name != NULL || known->before != 0 || known->gone != 0) return;
  map_remove(&view->known, known->number);
  free(known);
}

static void view_hide(struct view *view, struct known *known) {
  free(known->name);
  known->name = NULL;
  view->shown_count--;
}

static void view_clear_names(struct view *view) {
  named_clear(&view->names);
  named_clear(&view->ended);
}

/* Visits every store; `visit` may not add or remove any, but leaves those that are to be dropped empty. */
static void view_sweep(struct view *view, void (*visit)(struct view *, struct known *, uint64_t), uint64_t argument) {
  struct map kept = {NULL, 0, 0};
  for (size_t at = 0; at < view->known.capacity; at++) {
    struct known *known = (struct known *)view->known.slots[at].value;
    if (known == NULL) continue;
    visit(view, known, argument);
    if (known->name != NULL || known->before != 0 || known->gone != 0) map_put(&kept, known->number, known);
    else free(known);
  }
  map_clear(&view->known);
  view->known = kept;
}

static void visit_gone(struct view *view, struct known *known, uint64_t up_to) {
  if (known->gone != 0 && known->gone <= up_to) {
    known->gone = 0;
    view->gone_count--;
  }
}

static void visit_free(struct view *view, struct known *known, uint64_t unused) {
  (void)unused;
  if (known->name != NULL) view_hide(view, known);
  known->before = known->gone = 0;
}

/* Before a full snapshot: remembers what was shown, if `counts`. */
static void visit_forget(struct view *view, struct known *known, uint64_t counts) {
  uint64_t shown = known->name != NULL ? known->version : 0;
  if (counts == 0) known->before = 0;
  else if (view->phase != AGAIN || shown != 0) known->before = shown;
  known->gone = 0;
  if (known->name != NULL) view_hide(view, known);
}

static void view_free(struct view *view) {
  view_sweep(view, visit_free, 0);
  map_clear(&view->known);
  view_clear_names(view);
}

static void view_forget_gone(struct view *view, uint64_t revision) {
  if (view->gone_count > 0) view_sweep(view, visit_gone, revision);
}

/* Everything up to here was received. */
static void view_advance(struct view *view, uint64_t revision) {
  if (!view->is_synced || revision <= view->bookmark) return;
  view->bookmark = revision;
  view_forget_gone(view, revision);
}

static void view_note(struct view *view, uint64_t revision) {
  view->in_batch = true;
  if (revision > view->newest) view->newest = revision;
  if (revision > 0) view_advance(view, revision - 1);
}

/* Each of these returns whether there is something to show, and fills in what they know of it. */

static bool view_forget(struct view *view, statehub_epoch epoch, uint64_t revision, statehub_event *event) {
  bool is_news = view->has_shown || view->phase == FOLLOWING;
  bool is_other = view->has_epoch && !same_epoch(view->epoch, epoch);
  bool was_again = view->phase == AGAIN;
  view_sweep(view, visit_forget, !is_other && (is_news || was_again));
  if (is_other || is_news) view->phase = AGAIN;
  view_clear_names(view);
  view->epoch = epoch;
  view->has_epoch = true;
  view->has_bookmark = view->is_synced = view->has_shown = false;
  view->newest = view->bookmark = 0;
  view->gone_count = 0;
  event->kind = STATEHUB_EVENT_RESET;
  event->revision = revision;
  return is_news;
}

/* The hub has confirmed the watch on a new connection. */
static bool view_opened(struct view *view, statehub_epoch epoch, statehub_event *event) {
  view->is_synced = false;
  if (view->has_bookmark) return false;
  if (view->has_shown) return view_forget(view, epoch, 0, event);
  if (view->phase != AGAIN) view_sweep(view, visit_free, 0);
  else view_forget_gone(view, UINT64_MAX);
  view_clear_names(view);
  view->epoch = epoch;
  view->has_epoch = true;
  view->newest = 0;
  view->gone_count = 0;
  return false;
}

static bool view_appear(struct view *view, uint64_t number, const char *name, statehub_event *event) {
  struct known *known = view_store(view, number, false);
  uint64_t bookmark = view->has_bookmark ? view->bookmark : 0;
  if (name == NULL || event->revision <= bookmark || (known != NULL && known->gone != 0)) return false;
  struct named *named = named_find(&view->names, name);
  bool replaces = named != NULL;
  if (replaces) {
    struct known *replaced = view_store(view, named->number, false);
    view_hide(view, replaced);
    view_drop_store(view, replaced);
    named->number = number;
  } else {
    named_add(&view->names, name, number);
  }
  known = view_store(view, number, true);
  known->name = copy_text(name, strlen(name));
  known->version = event->version;
  known->revision = event->revision;
  known->is_overdue = event->is_overdue;
  view->shown_count++;
  view->has_shown = true;
  event->name = known->name;
  event->kind = STATEHUB_EVENT_INITIAL;
  event->skipped = STATEHUB_UNKNOWN;
  if (view->phase == FOLLOWING || named_find(&view->ended, name) != NULL) {
    event->kind = STATEHUB_EVENT_CHANGED;
    if (!replaces) event->skipped = (int64_t)(event->version - 1);
  } else if (view->phase == FIRST) {
    event->skipped = 0;
  } else if (known->before != 0) {
    event->skipped = event->version > known->before ? (int64_t)(event->version - known->before - 1) : 0;
  }
  return true;
}

/* `current`, `created`; `change`, where `name` is NULL. `is_marked`: the hub says whether a deadline was missed. */
static bool view_see(
    struct view *view, uint64_t number, const char *name, bool is_marked, statehub_event *event) {
  view_note(view, event->revision);
  struct known *known = (struct known *)map_get(&view->known, number);
  if (known == NULL || known->name == NULL) return view_appear(view, number, name, event);
  uint64_t last = known->version;
  event->kind = STATEHUB_EVENT_CHANGED;
  event->name = known->name;
  if (event->version <= last) {
    if (!is_marked || event->version < last || event->is_overdue == known->is_overdue) return false;
    known->is_overdue = event->is_overdue;
    event->skipped = 0;
    return true;
  }
  if (view->phase == AGAIN && known->before > last) last = known->before;
  known->version = event->version;
  known->revision = event->revision;
  known->is_overdue = event->is_overdue;
  event->skipped = event->version > last ? (int64_t)(event->version - last - 1) : 0;
  return true;
}

static bool view_removed(struct view *view, uint64_t number, const char *name, statehub_event *event) {
  view_note(view, event->revision);
  struct known *known = view_store(view, number, false);
  bool is_shown = known != NULL && known->name != NULL;
  uint64_t last = is_shown ? known->version : 0;
  if (event->version <= last) return false;
  if (is_shown) {
    named_drop(&view->names, known->name);
    view_hide(view, known);
  } else {
    uint64_t bookmark = view->has_bookmark ? view->bookmark : 0;
    if (view->phase != FOLLOWING || event->revision <= bookmark || (known != NULL && known->gone != 0)) return false;
    known = view_store(view, number, true);
  }
  if (view->phase != FOLLOWING && named_find(&view->ended, name) == NULL) named_add(&view->ended, name, number);
  known->gone = event->revision;
  view->gone_count++;
  event->kind = STATEHUB_EVENT_REMOVED;
  event->skipped = (int64_t)(event->version - last - 1);
  return true;
}

static bool view_synced(struct view *view, uint64_t revision, statehub_event *event) {
  if (revision < view->newest) return false;
  bool is_news = !view->is_synced || view->in_batch;
  view->is_synced = true;
  view->in_batch = false;
  view->phase = FOLLOWING;
  view->newest = revision;
  if (!view->has_bookmark || revision > view->bookmark) view->bookmark = revision;
  view->has_bookmark = true;
  view_forget_gone(view, revision);
  named_clear(&view->ended);
  event->kind = STATEHUB_EVENT_SYNCED;
  event->revision = revision;
  return is_news;
}

/* ---- What a hub's client consists of ---------------------------------------------------------------------------------- */

struct statehub_watch {
  statehub *hub;
  char **patterns;
  size_t count;
  bool is_every, is_open, has_ended;
  bool is_glob, is_listed;  /* among the followers, by pattern or by name */
  uint64_t opened;   /* in which order */
  int failure;       /* why it ends with the next step; 0: it does not */
  uint32_t number;   /* of the watch request on this connection; 0: none */
  struct view view;
  statehub_on_event *on_event;
  void *context;
  statehub_watch *next;
};

/* A watch, and (unless it has a pattern) one of the names that it follows. */
struct follower {
  statehub_watch *watch;
  const char *name;
  struct follower *next;
};

/* Which watches a store's events go to. */
struct route {
  uint64_t number, generation;
  char *name;
  statehub_watch **watches;
  size_t count;
};

/* Flags of a set, the first two also of a remove, and IF_ABSENT of a create. */
enum { IF_REVISION = 0x01, IF_EPOCH = 0x02, IF_VALUE = 0x04, IF_ABSENT = 0x08, EPHEMERAL = 0x40 };

/* What is kept of each write in a request. */
struct operation {
  uint8_t kind, flags;
  char *name;
  uint8_t *payload;
  size_t length, value_start, value_length;
  bool is_repeatable;
  /* Of an ephemeral value: the change of its store that this process made last. */
  uint64_t revision;
  statehub_epoch epoch;
};

struct wait {
  statehub_watch *watch;
  uint64_t store, revision;
};

/* A request on its way, and what becomes of it when the connection is lost. */
struct pending {
  uint32_t number;
  uint8_t kind, flags;
  uint8_t *payload;
  size_t length;
  struct operation *operations;
  size_t operation_count;
  int64_t deadline, start;    /* `start`: where its frame begins in this connection's output; NOT_SENT: nowhere */
  bool may_have_run, is_silent;  /* `is_silent`: a value is set again, or (describe) is to be; no caller waits for it */
  statehub_on_reply *on_reply;
  void *context;
  /* A write that is acknowledged, held until the watches have shown it: the reply's frame. */
  uint8_t *reply;
  statehub_epoch epoch;
  struct wait *waits;
  size_t wait_count;
  int64_t grace;      /* when it no longer waits for stores that may not be readable */
  /* Why it fails with the next step. */
  int failure;
  char *message;
  struct pending *next;
};

struct pending_list {
  struct pending *first, **last;
};

enum link { IDLE, WAITING, CONNECTING, GREETING, READY };

struct statehub {
  char *path, *name;
  int descriptor;
  int timeout;
  int depth;          /* callbacks are running, ... */
  const char *frame;  /* ... and have their frames below this one */
  bool is_closed, closes_later, was_forked;
  bool was_left;      /* by a callback's exception: input waits that is read already */
  statehub *next;     /* of this process's hubs */
  /* What a callback that runs was given: freed later if it is left by an exception or a longjmp. */
  struct pending *ending;
  struct arena arena;
  struct update *updating;  /* its callback runs */
  uint32_t awaited;   /* by statehub_finish, and its outcome */
  int outcome;

  enum link link;
  int64_t until;      /* of the link: when it is left */
  int64_t lost_at, ready_since;
  unsigned attempts, failures;
  uint64_t random;
  bool is_refused;
  int link_code;
  char *link_message, *failure_message;
  char *silence;      /* what to report of a hub that does not answer in time */

  struct buffer output, input;
  uint64_t sent;
  size_t input_limit, output_limit;
  uint32_t last_number, hello;
  uint32_t restricting;  /* the request that a new connection began with; 0: none */
  int restriction;       /* of every connection; 0: none */
  bool has_epoch;
  statehub_epoch epoch;

  struct pending_list pending, held, failed;
  struct operation *ephemerals;
  size_t ephemeral_count;
  size_t inquiries;   /* about their stores, on a new connection; everything else waits for the answers */
  bool is_early;      /* something is perhaps too long for the hub: it and all behind it wait for the welcome */

  statehub_watch *watches, **last_watch;
  struct buffer filter; /* as in a request; empty: nothing is left out */
  struct map numbers; /* of the watch requests on this connection -> statehub_watch */
  struct map followers;   /* hash of a name -> struct follower */
  struct follower *globs; /* those with a pattern, which have to be tried */
  bool has_ended_watches, has_failed_watches;
  uint64_t opened, generation, complete, synced;
  struct map routes;  /* number -> struct route */
  statehub_watch *last_confirmed;
};

static void pending_list_init(struct pending_list *list) {
  list->first = NULL;
  list->last = &list->first;
}

static void pending_list_append(struct pending_list *list, struct pending *pending) {
  pending->next = NULL;
  *list->last = pending;
  list->last = &pending->next;
}

/* Takes the request that `place` points to out of its list. */
static struct pending *pending_list_take(struct pending_list *list, struct pending **place) {
  struct pending *pending = *place;
  *place = pending->next;
  if (pending->next == NULL) list->last = place;
  pending->next = NULL;
  return pending;
}

static void operation_free(struct operation *operation) {
  free(operation->name);
  free(operation->payload);
}

static void pending_free(struct pending *pending) {
  for (size_t at = 0; at < pending->operation_count; at++) operation_free(&pending->operations[at]);
  free(pending->operations);
  free(pending->payload);
  free(pending->reply);
  free(pending->waits);
  free(pending->message);
  free(pending);
}

static bool is_read(const struct pending *pending) { return pending->kind < FRAME_SET || pending->kind > FRAME_TRANSACTION; }

static bool is_repeatable(const struct pending *pending) {
  for (size_t at = 0; at < pending->operation_count; at++) {
    if (!pending->operations[at].is_repeatable) return false;
  }
  return true;
}

static const char *pending_store(const struct pending *pending) {
  return pending->operation_count > 0 ? pending->operations[0].name : "";
}

static statehub_reply reply_to(const struct pending *pending, statehub_epoch epoch) {
  statehub_reply reply;
  memset(&reply, 0, sizeof reply);
  reply.request = pending->number;
  reply.epoch = epoch;
  return reply;
}

/* ---- Calling back ------------------------------------------------------------------------------------------------------ */

/* Callbacks run this much deeper on the stack than the call that runs them. So a call that comes from above the frame below
 * does not come from the callback: an exception or a longjmp has left that, and it does not run any more. */
enum { STEP_DOWN = 8192 };
#define CALL_BACK(hub, call) \
  do { \
    (hub)->frame = (const char *)__builtin_alloca(STEP_DOWN); \
    (hub)->depth++; \
    call; \
    (hub)->depth--; \
  } while (0)

static __attribute__((noinline)) void call_reply(statehub *hub, struct pending *pending, const statehub_reply *reply) {
  CALL_BACK(hub, pending->on_reply(pending->context, reply));
}

static __attribute__((noinline)) void call_event(statehub_watch *watch, const statehub_event *event) {
  CALL_BACK(watch->hub, watch->on_event(watch->context, event));
}

/* Calls back and frees the request, which is in no list. */
static void pending_end(statehub *hub, struct pending *pending, const statehub_reply *reply) {
  if (pending->number == hub->awaited) {
    hub->awaited = 0;
    hub->outcome = reply->error != NULL ? reply->error->code : 0;
  }
  if (pending->on_reply != NULL) {
    hub->ending = pending;
    call_reply(hub, pending, reply);
    hub->ending = NULL;
  }
  pending_free(pending);
}

static void pending_fail(statehub *hub, struct pending *pending, int code, const char *message) {
  statehub_error error = {code, pending_store(pending), message, 0, 0};
  statehub_reply reply = reply_to(pending, hub->epoch);
  reply.error = &error;
  pending_end(hub, pending, &reply);
}

static const char *const OUTCOME_UNKNOWN =
    "the connection was lost before the reply: the outcome of the write is unknown, read to find out";
static const char *const NO_PATTERN =
    "a pattern is a name in which whole components may be * or **, and a watch has from 1 to 65535 of them";
static const char *const TOO_LONG = "the patterns of this watch are longer than the hub takes: open several watches with fewer each";
static const char *const CLOSED = "this hub was closed";

/* ---- Ephemeral values: set again on the next connection --------------------------------------------------------------- */

static void ephemeral_forget(statehub *hub, const char *name) {
  for (size_t at = 0; at < hub->ephemeral_count; at++) {
    if (strcmp(hub->ephemerals[at].name, name) != 0) continue;
    operation_free(&hub->ephemerals[at]);
    memmove(&hub->ephemerals[at], &hub->ephemerals[at + 1], (--hub->ephemeral_count - at) * sizeof *hub->ephemerals);
    return;
  }
}

static struct operation operation_copy(const struct operation *operation) {
  struct operation copy = *operation;
  copy.name = copy_text(operation->name, strlen(operation->name));
  copy.payload = (uint8_t *)copy_text((const char *)operation->payload, operation->length);
  return copy;
}

/* What `add` and `toggle` have made of it takes the place of the value that was set. */
static void ephemeral_update(struct operation *operation, const statehub_value *value) {
  struct buffer payload = {NULL, 0, 0, 0};
  size_t behind_value = operation->value_start + operation->value_length;
  put(&payload, operation->payload, operation->value_start);
  put_value(&payload, value);
  size_t value_length = payload.end - operation->value_start;
  put(&payload, operation->payload + behind_value, operation->length - behind_value);
  free(operation->payload);
  operation->payload = payload.bytes;
  operation->length = payload.end;
  operation->value_length = value_length;
}

static struct operation *ephemeral_named(statehub *hub, const char *name) {
  for (size_t at = 0; at < hub->ephemeral_count; at++) {
    if (strcmp(hub->ephemerals[at].name, name) == 0) return &hub->ephemerals[at];
  }
  return NULL;
}

/* Takes note of a write that has succeeded: the last one decides. Under a revision it is not set again: that has passed. */
static void ephemeral_note(statehub *hub, const struct operation *operation, const statehub_result *result) {
  bool keeps = operation->kind == STATEHUB_WRITE_ADD || operation->kind == STATEHUB_WRITE_TOGGLE
               || operation->kind == STATEHUB_WRITE_CREATE;
  struct operation *owned = ephemeral_named(hub, operation->name);
  if (!keeps) {
    ephemeral_forget(hub, operation->name);
    if (operation->kind != STATEHUB_WRITE_SET || !(operation->flags & EPHEMERAL) || operation->flags & IF_REVISION) return;
    hub->ephemerals = (struct operation *)grown(hub->ephemerals, hub->ephemeral_count, sizeof *hub->ephemerals);
    owned = &hub->ephemerals[hub->ephemeral_count++];
    *owned = operation_copy(operation);
  }
  if (owned == NULL) return;
  if (keeps && result->has_value) ephemeral_update(owned, &result->value);
  owned->revision = result->revision;
  owned->epoch = hub->epoch;
}

/* The same write under one more condition. */
static struct operation operation_under(const struct operation *operation, unsigned flags, const struct buffer *condition) {
  struct operation copy = *operation;
  struct buffer payload = {NULL, 0, 0, 0};
  size_t behind_value = operation->value_start + operation->value_length;
  put(&payload, operation->payload, behind_value);
  put(&payload, condition->bytes, condition->end);
  put(&payload, operation->payload + behind_value, operation->length - behind_value);
  copy.name = copy_text(operation->name, strlen(operation->name));
  copy.flags = (uint8_t)(operation->flags | flags);
  copy.payload = payload.bytes;
  copy.length = payload.end;
  return copy;
}

/* ---- Watches and their events ------------------------------------------------------------------------------------------ */

static void show(statehub_watch *watch, statehub_event *event) {
  event->watch = watch;
  event->epoch = watch->view.epoch;
  if (event->name == NULL) event->name = "";
  if (!watch->has_ended && !watch->hub->is_closed && watch->on_event != NULL) call_event(watch, event);
}

static statehub_event no_event(void) {
  static statehub_event nothing;
  return nothing;
}

static bool watch_matches(const statehub_watch *watch, const char *name) {
  for (size_t at = 0; at < watch->count; at++) {
    if (statehub_matches(watch->patterns[at], name)) return true;
  }
  return false;
}

static void follow(statehub *hub, statehub_watch *watch) {
  watch->opened = ++hub->opened;
  watch->is_listed = true;
  for (size_t at = 0; at < watch->count; at++) {
    if (strchr(watch->patterns[at], '*') != NULL) watch->is_glob = true;
  }
  for (size_t at = 0; at < (watch->is_glob ? 1 : watch->count); at++) {
    struct follower *follower = NEW(struct follower);
    follower->watch = watch;
    follower->name = watch->patterns[at];
    uint64_t hash = name_hash(follower->name);
    follower->next = watch->is_glob ? hub->globs : (struct follower *)map_get(&hub->followers, hash);
    if (watch->is_glob) hub->globs = follower;
    else map_put(&hub->followers, hash, follower);
  }
}

/* The list without those of a watch. */
static struct follower *without(struct follower *first, const statehub_watch *watch) {
  for (struct follower **link = &first; *link != NULL;) {
    struct follower *follower = *link;
    if (follower->watch != watch) {
      link = &follower->next;
      continue;
    }
    *link = follower->next;
    free(follower);
  }
  return first;
}

static void unfollow(statehub *hub, statehub_watch *watch) {
  if (!watch->is_listed) return;
  watch->is_listed = false;
  if (watch->is_glob) hub->globs = without(hub->globs, watch);
  for (size_t at = 0; at < (watch->is_glob ? 0 : watch->count); at++) {
    uint64_t hash = name_hash(watch->patterns[at]);
    struct follower *first = without((struct follower *)map_get(&hub->followers, hash), watch);
    if (first != NULL) map_put(&hub->followers, hash, first);
    else map_remove(&hub->followers, hash);
  }
}

static int by_opening(const void *one, const void *other) {
  uint64_t first = (*(statehub_watch *const *)one)->opened, second = (*(statehub_watch *const *)other)->opened;
  return first < second ? -1 : first > second;
}

/* The watches that follow a store of that name, in the order in which they were opened; allocated, NULL if there are none. */
static statehub_watch **followers_of(const statehub *hub, const char *name, size_t *count) {
  statehub_watch **found = NULL;
  size_t all = 0;
  for (unsigned has_pattern = 0; has_pattern < 2; has_pattern++) {
    const struct follower *follower =
        has_pattern ? hub->globs : (const struct follower *)map_get(&hub->followers, name_hash(name));
    for (; follower != NULL; follower = follower->next) {
      if (has_pattern ? !watch_matches(follower->watch, name) : strcmp(follower->name, name) != 0) continue;
      found = (statehub_watch **)grown(found, all, sizeof *found);
      found[all++] = follower->watch;
    }
  }
  if (all > 1) qsort(found, all, sizeof *found, by_opening);
  *count = 0;
  for (size_t at = 0; at < all; at++) {
    /* One that names a store twice follows it once. */
    if (at == 0 || found[at] != found[at - 1]) found[(*count)++] = found[at];
  }
  return found;
}

static void held_check(statehub *hub, bool (*is_over)(const struct wait *, const void *), const void *argument);

static bool wait_is_synced(const struct wait *wait, const void *revision) {
  return wait->revision <= *(const uint64_t *)revision && wait->watch->is_open;
}
static bool wait_is_seen(const struct wait *wait, const void *seen) {
  const struct wait *event = (const struct wait *)seen;
  return wait->store == event->store && event->revision >= wait->revision && wait->watch->is_open;
}

/* No write waits for this watch any more. The next step answers those that wait for no other one. */
static void drop_waits(statehub *hub, const statehub_watch *watch) {
  for (struct pending *pending = hub->held.first; pending != NULL; pending = pending->next) {
    size_t kept = 0;
    for (size_t at = 0; at < pending->wait_count; at++) {
      if (pending->waits[at].watch != watch) pending->waits[kept++] = pending->waits[at];
    }
    pending->wait_count = kept;
    if (kept == 0) pending->deadline = 0;
  }
}

static void watch_stop(statehub_watch *watch) {
  statehub *hub = watch->hub;
  drop_waits(hub, watch);
  if (watch->number != 0) map_remove(&hub->numbers, watch->number);
  unfollow(hub, watch);
  watch->has_ended = true;
  watch->is_open = false;
  watch->number = 0;
  hub->has_ended_watches = true;
  hub->generation++;
  if (hub->last_confirmed == watch) hub->last_confirmed = NULL;
}

static void watch_end(statehub_watch *watch, int code, const char *message) {
  statehub_error error = {code, watch->count > 0 ? watch->patterns[0] : "", message, 0, 0};
  statehub_event event = no_event();
  event.kind = STATEHUB_EVENT_ENDED;
  event.error = &error;
  event.watch = watch;
  event.epoch = watch->view.epoch;
  event.name = "";
  watch_stop(watch);
  if (watch->on_event != NULL) call_event(watch, &event);
}

static void route_free(struct route *route) {
  free(route->name);
  free(route->watches);
  free(route);
}

static void routes_clear(statehub *hub) {
  for (size_t at = 0; at < hub->routes.capacity; at++) {
    if (hub->routes.slots[at].value != NULL) route_free((struct route *)hub->routes.slots[at].value);
  }
  map_clear(&hub->routes);
}

/* The route of a store's events. `name` NULL: it is that of an earlier event, if there is one. */
static struct route *route_of(statehub *hub, uint64_t number, const char *name) {
  struct route *route = (struct route *)map_get(&hub->routes, number);
  if (route != NULL && route->generation == hub->generation) return route;
  if (route == NULL) {
    if (name == NULL) return NULL;
    route = NEW(struct route);
    route->number = number;
    route->name = copy_text(name, strlen(name));
    map_put(&hub->routes, number, route);
  }
  route->generation = hub->generation;
  free(route->watches);
  route->watches = followers_of(hub, route->name, &route->count);
  if (route->count > 0) return route;
  map_remove(&hub->routes, number);
  route_free(route);
  return NULL;
}

/* An event of a store: `change`, `created`, `current` or `removed`. The fields of `told` are the frame's; see `view_see`. */
static void store_event(
    statehub *hub, uint64_t number, const char *name, bool is_removal, bool is_marked, statehub_event *told) {
  struct route *route = route_of(hub, number, name);
  if (route == NULL) return;
  uint64_t revision = told->revision;
  if (revision > hub->complete) hub->complete = revision - 1;
  for (size_t at = 0; at < route->count; at++) {
    statehub_watch *watch = route->watches[at];
    if (!watch->is_open) continue;
    /* What a watch fills in is not for the next one; the last one, most often the only one, gets no copy. */
    statehub_event copy, *event = told;
    if (at + 1 < route->count) {
      copy = *told;
      event = &copy;
    }
    bool is_news = is_removal ? view_removed(&watch->view, number, name, event)
                              : view_see(&watch->view, number, name, is_marked, event);
    if (is_news) show(watch, event);
  }
  if (hub->held.first != NULL) {
    struct wait seen = {NULL, number, revision};
    held_check(hub, wait_is_seen, &seen);
  }
  if (is_removal) {
    /* A callback may have ended a watch, but no route was looked up meanwhile. */
    map_remove(&hub->routes, number);
    route_free(route);
  }
}

static void synced_event(statehub *hub, uint64_t revision) {
  if (revision > hub->complete) hub->complete = revision;
  if (revision > hub->synced) hub->synced = revision;
  for (statehub_watch *watch = hub->watches; watch != NULL; watch = watch->next) {
    statehub_event event = no_event();
    if (watch->is_open && view_synced(&watch->view, revision, &event)) show(watch, &event);
  }
  if (hub->held.first != NULL) held_check(hub, wait_is_synced, &revision);
}

static void resumed_event(statehub *hub, uint64_t revision) {
  statehub_event event = no_event();
  event.kind = STATEHUB_EVENT_RESUMED;
  event.revision = revision;
  statehub_watch *watch = hub->last_confirmed;
  /* Once: the frame is handled again if the callback is left. */
  hub->last_confirmed = NULL;
  if (watch != NULL) show(watch, &event);
}

static void forget_event(statehub *hub, statehub_epoch epoch, uint64_t revision) {
  hub->complete = hub->synced = 0;
  for (statehub_watch *watch = hub->watches; watch != NULL; watch = watch->next) {
    if (!watch->is_open) continue;
    statehub_event event = no_event();
    drop_waits(hub, watch);
    if (view_forget(&watch->view, epoch, revision, &event)) show(watch, &event);
  }
}

/* Handles the answer to a watch. */
static void watch_confirmed(statehub *hub, statehub_watch *watch) {
  hub->last_confirmed = watch;
  watch->is_open = true;
  statehub_event event = no_event();
  if (view_opened(&watch->view, hub->epoch, &event)) {
    drop_waits(hub, watch);
    show(watch, &event);
  }
}

/* Frees the watches that have ended, once no callback runs. */
static void sweep_watches(statehub *hub) {
  if (!hub->has_ended_watches || hub->depth > 0) return;
  hub->has_ended_watches = false;
  for (statehub_watch **place = &hub->watches; *place != NULL;) {
    statehub_watch *watch = *place;
    if (!watch->has_ended) {
      place = &watch->next;
      continue;
    }
    *place = watch->next;
    if (*place == NULL) hub->last_watch = place;
    view_free(&watch->view);
    for (size_t at = 0; at < watch->count; at++) free(watch->patterns[at]);
    free(watch->patterns);
    free(watch);
  }
}

/* ---- Replies ----------------------------------------------------------------------------------------------------------- */

static statehub_state take_state(struct reader *reader) {
  statehub_state state;
  const uint8_t *bytes = take(reader, STATE);
  memset(&state, 0, sizeof state);
  state.uid = (uint32_t)number_at(bytes + STATE_UID, 4);
  state.store = number_at(bytes + STATE_STORE, 8);
  state.revision = number_at(bytes + STATE_REVISION, 8);
  state.version = number_at(bytes + STATE_VERSION, 8);
  state.time = (int64_t)number_at(bytes + STATE_TIME, 8);
  return state;
}

static statehub_result take_result(struct reader *reader, unsigned flags) {
  statehub_result result;
  memset(&result, 0, sizeof result);
  result.store = take_number(reader, 8);
  result.revision = take_number(reader, 8);
  result.version = take_number(reader, 8);
  result.durability = take_durability(reader);
  result.changed = flags & 1;
  result.has_value = flags & 2;
  if (result.has_value) result.value = take_value(reader);
  return result;
}

static void take_committed(struct reader *reader, struct arena *arena, statehub_reply *reply) {
  reply->revision = take_number(reader, 8);
  size_t most = (size_t)(reader->end - reader->at) / HEADER;
  statehub_result *results = (statehub_result *)arena_take(arena, most * sizeof *results);
  while (!reader->failed && reader->at < reader->end) {
    const uint8_t *header = take(reader, HEADER);
    if (reader->failed) return;
    size_t length = (size_t)number_at(header, 4);
    const uint8_t *bytes = take(reader, length);
    if (reader->failed || header[4] != FRAME_WRITTEN) {
      reader->failed = true;
      return;
    }
    struct reader inner = {bytes, bytes + length, false};
    results[reply->count++] = take_result(&inner, header[5]);
    if (inner.failed) reader->failed = true;
  }
  reply->results = results;
}

/* How many entries of at least so many bytes there can be: a count that promises more is malformed. */
static size_t take_count(struct reader *reader, size_t size_of_count, size_t least) {
  size_t count = (size_t)take_number(reader, size_of_count);
  if (count > (size_t)(reader->end - reader->at) / least) reader->failed = true;
  return reader->failed ? 0 : count;
}

static void take_listed(struct reader *reader, struct arena *arena, statehub_reply *reply) {
  size_t count = take_count(reader, 4, 38);
  statehub_summary *stores = (statehub_summary *)arena_take(arena, count * sizeof *stores);
  for (size_t at = 0; at < count && !reader->failed; at++) {
    statehub_summary *store = &stores[at];
    unsigned flags = (unsigned)take_number(reader, 1);
    store->name = arena_text(arena, take_text(reader, 1));
    unsigned type = (unsigned)take_number(reader, 1);
    if (!is_type(type)) {
      reader->failed = true;
      return;
    }
    store->type = (statehub_type)type;
    store->store = take_number(reader, 8);
    store->revision = take_number(reader, 8);
    store->version = take_number(reader, 8);
    store->time = (int64_t)take_number(reader, 8);
    store->length = (uint32_t)take_number(reader, 4);
    store->is_declared = flags & 1;
    store->has_value = flags & 2;
    if (store->has_value) store->value = take_value(reader);
  }
  reply->stores = stores;
  reply->count = count;
}

static void take_clients(struct reader *reader, struct arena *arena, statehub_reply *reply) {
  size_t count = take_count(reader, 4, 42);
  statehub_client *clients = (statehub_client *)arena_take(arena, count * sizeof *clients);
  for (size_t at = 0; at < count && !reader->failed; at++) {
    statehub_client *client = &clients[at];
    client->is_behind = take_number(reader, 1) & 1;
    client->connection = (int32_t)take_number(reader, 4);
    client->pid = (uint32_t)take_number(reader, 4);
    client->uid = (uint32_t)take_number(reader, 4);
    client->gid = (uint32_t)take_number(reader, 4);
    client->since = (int64_t)take_number(reader, 8);
    client->watches = (uint32_t)take_number(reader, 4);
    client->requests = take_number(reader, 8);
    client->unsent = (uint32_t)take_number(reader, 4);
    client->name = arena_text(arena, take_text(reader, 1));
    client->cost = client->held = client->catch_ups = 0;
    client->unit = client->user_unit = client->app = "";
  }
  for (size_t at = 0; at < count && reader->at < reader->end && !reader->failed; at++) {
    clients[at].cost = take_number(reader, 8);
    clients[at].held = take_number(reader, 8);
    clients[at].catch_ups = (uint32_t)take_number(reader, 4);
    clients[at].unit = arena_text(arena, take_text(reader, 1));
    clients[at].user_unit = arena_text(arena, take_text(reader, 1));
    clients[at].app = arena_text(arena, take_text(reader, 1));
  }
  reply->clients = clients;
  reply->count = count;
}

static void take_counters(struct reader *reader, struct arena *arena, statehub_reply *reply) {
  size_t count = take_count(reader, 2, 9);
  statehub_counter *counters = (statehub_counter *)arena_take(arena, count * sizeof *counters);
  for (size_t at = 0; at < count && !reader->failed; at++) {
    counters[at].name = arena_text(arena, take_text(reader, 1));
    counters[at].value = take_number(reader, 8);
  }
  reply->counters = counters;
  reply->count = count;
}

static void take_description(struct reader *reader, unsigned flags, struct arena *arena, statehub_reply *reply) {
  statehub_description *description = (statehub_description *)arena_take(arena, sizeof *description);
  description->name = arena_text(arena, take_text(reader, 1));
  description->state = take_state(reader);
  description->state.value = take_value(reader);
  description->schema = take_schema(reader, arena);
  description->durability = take_durability(reader);
  description->watchers = (uint32_t)take_number(reader, 4);
  description->is_declared = flags & 1;
  description->has_ttl = flags & 2;
  description->has_owner = flags & 4;
  if (description->has_ttl) description->ttl = take_number(reader, 8);
  if (description->has_owner) description->owner = (int32_t)take_number(reader, 4);
  reply->description = description;
}

/* Reads a reply of a kind that this version knows; false: it does not. */
static bool take_reply(
    unsigned kind, unsigned flags, struct reader *reader, struct arena *arena, statehub_reply *reply) {
  switch (kind) {
  case FRAME_PONG: case FRAME_WATCHING: reply->revision = take_number(reader, 8); break;
  case FRAME_VALUE: {
    statehub_state *state = (statehub_state *)arena_take(arena, sizeof *state);
    *state = take_state(reader);
    state->value = take_value(reader);
    reply->state = state;
    break;
  }
  case FRAME_WRITTEN: {
    statehub_result *result = (statehub_result *)arena_take(arena, sizeof *result);
    *result = take_result(reader, flags);
    reply->results = result;
    reply->revision = result->revision;
    reply->count = 1;
    break;
  }
  case FRAME_COMMITTED: take_committed(reader, arena, reply); break;
  case FRAME_LISTED: take_listed(reader, arena, reply); break;
  case FRAME_DESCRIBED: take_description(reader, flags, arena, reply); break;
  case FRAME_UNWATCHED: case FRAME_RELOADED: case FRAME_EXPLAINED: case FRAME_RESTRICTED: break;
  case FRAME_CLIENT_LIST: take_clients(reader, arena, reply); break;
  case FRAME_STATISTICS: take_counters(reader, arena, reply); break;
  case FRAME_ERROR: {
    statehub_error *error = (statehub_error *)arena_take(arena, sizeof *error);
    error->code = (int)take_number(reader, 2);
    error->operation = (unsigned)take_number(reader, 2);
    error->revision = take_number(reader, 8);
    error->store = arena_text(arena, take_text(reader, 1));
    error->message = arena_text(arena, take_text(reader, 2));
    reply->error = error;
    break;
  }
  default: return false;
  }
  reply->more = (kind == FRAME_LISTED || kind == FRAME_CLIENT_LIST) && (flags & 1);
  return true;
}

/* Which kind of reply a kind of request gets, unless it fails. */
static unsigned answer_of(unsigned request) {
  switch (request) {
  case FRAME_PING: return FRAME_PONG;
  case FRAME_GET: return FRAME_VALUE;
  case FRAME_TRANSACTION: return FRAME_COMMITTED;
  case FRAME_LIST: return FRAME_LISTED;
  case FRAME_DESCRIBE: return FRAME_DESCRIBED;
  case FRAME_CLIENTS: return FRAME_CLIENT_LIST;
  case FRAME_STATS: return FRAME_STATISTICS;
  case FRAME_RESTRICT: return FRAME_RESTRICTED;
  default: return FRAME_WRITTEN;
  }
}

/* ---- Writes that are acknowledged, but not shown yet ------------------------------------------------------------------- */

/* Answers a held write, which is in no list. */
static void held_release(statehub *hub, struct pending *pending) {
  statehub_reply reply = reply_to(pending, pending->epoch);
  size_t length = (size_t)number_at(pending->reply, 4);
  struct reader reader = {pending->reply + HEADER, pending->reply + HEADER + length, false};
  take_reply(pending->reply[4], pending->reply[5], &reader, &hub->arena, &reply);
  pending_end(hub, pending, &reply);
  arena_free(&hub->arena);
}

static void held_check(statehub *hub, bool (*is_over)(const struct wait *, const void *), const void *argument) {
  for (struct pending *pending = hub->held.first; pending != NULL; pending = pending->next) {
    size_t kept = 0;
    for (size_t at = 0; at < pending->wait_count; at++) {
      if (!is_over(&pending->waits[at], argument)) pending->waits[kept++] = pending->waits[at];
    }
    pending->wait_count = kept;
  }
  for (struct pending **place = &hub->held.first; *place != NULL;) {
    if ((*place)->wait_count > 0) {
      place = &(*place)->next;
      continue;
    }
    held_release(hub, pending_list_take(&hub->held, place));
    place = &hub->held.first;
  }
}

/* Whether the watch has yet to show what was written. One that has shown nothing yet will begin behind it. */
static bool lags(const statehub *hub, statehub_watch *watch, uint64_t store, uint64_t revision) {
  struct view *view = &watch->view;
  if (!watch->is_open && !view->is_synced && view->shown_count == 0) return false;
  if (watch->is_open && view->is_synced && hub->synced >= revision) return false;
  struct known *known = view_store(view, store, false);
  return known == NULL || known->name == NULL || known->revision < revision;
}

/* Not behind a filter: the hub may leave out what was written. */
static bool hold(statehub *hub, struct pending *pending, const uint8_t *frame, const statehub_reply *reply) {
  if (hub->filter.end > 0) return false;
  for (size_t at = 0; at < pending->operation_count && at < reply->count; at++) {
    const statehub_result *result = &reply->results[at];
    size_t count;
    statehub_watch **watches = followers_of(hub, pending->operations[at].name, &count);
    for (size_t next = 0; next < count; next++) {
      if (!lags(hub, watches[next], result->store, result->revision)) continue;
      pending->waits = (struct wait *)grown(pending->waits, pending->wait_count, sizeof *pending->waits);
      struct wait wait = {watches[next], result->store, result->revision};
      pending->waits[pending->wait_count++] = wait;
    }
    free(watches);
  }
  if (pending->wait_count == 0) return false;
  size_t length = HEADER + (size_t)number_at(frame, 4);
  pending->reply = (uint8_t *)copy_text((const char *)frame, length);
  pending->epoch = hub->epoch;
  pending->grace = FOREVER;
  pending_list_append(&hub->held, pending);
  return true;
}

/* ---- Requests on their way ---------------------------------------------------------------------------------------------- */

static uint64_t output_end(const statehub *hub) { return hub->sent + (hub->output.end - hub->output.start); }

static void put_frame(struct buffer *buffer, unsigned kind, unsigned flags, uint32_t number, const void *payload, size_t length) {
  put_number(buffer, length, 4);
  put_number(buffer, kind, 1);
  put_number(buffer, flags, 1);
  put_number(buffer, 0, 2);
  put_number(buffer, number, 4);
  put(buffer, payload, length);
}

static bool is_connected(const statehub *hub) { return hub->link == GREETING || hub->link == READY; }

/* Whether what is asked now goes out now. */
static bool is_sending(const statehub *hub) { return is_connected(hub) && hub->inquiries == 0 && !hub->is_early; }

/* What a hub takes is known from its welcome. */
static bool waits_for_welcome(statehub *hub, size_t length) {
  if (hub->link == GREETING && HEADER + length > LEAST_FRAME) hub->is_early = true;
  return hub->is_early;
}

static uint32_t new_number(statehub *hub) {
  for (;;) {
    uint32_t number = ++hub->last_number;
    /* Only after four billion requests can one still be in use. */
    if (number != 0 && map_get(&hub->numbers, number) == NULL) return number;
  }
}

/* Fails with the next step, so that no callback runs before its request's function returns. */
static void fail_later(statehub *hub, struct pending *pending, int code, const char *message) {
  pending->failure = code;
  pending->message = copy_text(message, strlen(message));
  pending_list_append(&hub->failed, pending);
}

/* Writes a request's frame to the output; false: it is longer than the hub accepts. */
static bool pending_write(statehub *hub, struct pending *pending) {
  if (HEADER + pending->length > hub->output_limit) return false;
  pending->start = (int64_t)output_end(hub);
  put_frame(&hub->output, pending->kind, pending->flags, pending->number, pending->payload, pending->length);
  return true;
}

static void too_long(statehub *hub, struct pending *pending) {
  char *message = text_of(
      "the request takes %zu bytes, but the hub accepts at most %zu", HEADER + pending->length, hub->output_limit);
  fail_later(hub, pending, STATEHUB_FRAME_TOO_LARGE, message);
  free(message);
}

static uint32_t send_request(statehub *hub, struct pending *pending) {
  pending->number = new_number(hub);
  pending->start = NOT_SENT;
  uint32_t number = pending->number;
  if (pending->failure != 0) {
    pending_list_append(&hub->failed, pending);
  } else if (hub->is_closed) {
    fail_later(hub, pending, STATEHUB_CLOSED, CLOSED);
  } else if (hub->output.end - hub->output.start > MOST_UNSENT) {
    fail_later(hub, pending, STATEHUB_QUOTA, "too many requests are queued because the hub does not read them: await replies first");
  } else if (is_sending(hub) && !waits_for_welcome(hub, pending->length) && !pending_write(hub, pending)) {
    too_long(hub, pending);
  } else {
    pending_list_append(&hub->pending, pending);
  }
  return number;
}

static void write_waiting(statehub *hub) {
  for (struct pending **place = &hub->pending.first; *place != NULL;) {
    if ((*place)->start == NOT_SENT && waits_for_welcome(hub, (*place)->length)) return;
    if ((*place)->start == NOT_SENT && !pending_write(hub, *place)) too_long(hub, pending_list_take(&hub->pending, place));
    else place = &(*place)->next;
  }
}

/* ---- Ephemeral values on a new connection ------------------------------------------------------------------------------- */

static void send_waiting(statehub *hub);

/* Sends what no caller waits for. */
static void send_silently(statehub *hub, struct operation operation, unsigned kind) {
  struct pending *pending = NEW(struct pending);
  struct buffer payload = {NULL, 0, 0, 0};
  pending->kind = (uint8_t)kind;
  pending->number = new_number(hub);
  pending->is_silent = true;
  pending->deadline = FOREVER;
  pending->operations = NEW(struct operation);
  pending->operations[0] = operation;
  pending->operation_count = 1;
  if (kind == STATEHUB_WRITE_SET) {
    pending->flags = operation.flags;
    put(&payload, operation.payload, operation.length);
  } else {
    put_short(&payload, operation.name, strlen(operation.name));
  }
  pending->payload = payload.bytes;
  pending->length = payload.end;
  if (pending_write(hub, pending)) {
    pending_list_append(&hub->pending, pending);
    if (kind != STATEHUB_WRITE_SET) hub->inquiries++;
  } else {
    pending_free(pending);
  }
}

/* The hub has described the store of a value without condition: it is set again if the store is absent, if its last change
 * is this client's own, or if it has returned to its initial value, as it does when the value ends. */
static void set_again(statehub *hub, const char *name, const statehub_reply *reply) {
  const struct operation *owned = ephemeral_named(hub, name);
  const statehub_description *store = reply->description;
  hub->inquiries--;
  if (owned != NULL && store == NULL) {
    struct buffer nothing = {NULL, 0, 0, 0};
    send_silently(hub, operation_under(owned, IF_ABSENT, &nothing), STATEHUB_WRITE_SET);
  } else if (owned != NULL) {
    bool is_own = store->state.revision == owned->revision && same_epoch(hub->epoch, owned->epoch);
    const statehub_value *initial = store->schema.initial;
    if (is_own || (initial != NULL && statehub_equal(&store->state.value, initial))) {
      struct buffer condition = {NULL, 0, 0, 0};
      put_number(&condition, store->state.revision, 8);
      put_number(&condition, hub->epoch.high, 8);
      put_number(&condition, hub->epoch.low, 8);
      send_silently(hub, operation_under(owned, IF_REVISION | IF_EPOCH, &condition), STATEHUB_WRITE_SET);
      buffer_free(&condition);
    } else {
      ephemeral_forget(hub, name);
    }
  }
  if (hub->inquiries == 0) send_waiting(hub);
}

static void complete_silently(statehub *hub, struct pending *pending, unsigned kind, const statehub_reply *reply) {
  const char *name = pending->operations[0].name;
  struct operation *owned = ephemeral_named(hub, name);
  if (pending->kind != STATEHUB_WRITE_SET) {
    set_again(hub, name, reply);
  } else if (reply->error != NULL) {
    ephemeral_forget(hub, name);
  } else if (owned != NULL && kind == FRAME_WRITTEN) {
    owned->revision = reply->results[0].revision;
    owned->epoch = hub->epoch;
  }
  pending_free(pending);
}

/* An answer has arrived; false: its frame is malformed. Answers to what nobody waits for any more are dropped. */
static bool complete(statehub *hub, uint32_t number, const uint8_t *frame, struct reader *reader) {
  struct pending **place = &hub->pending.first;
  while (*place != NULL && (*place)->number != number) place = &(*place)->next;
  struct pending none;
  memset(&none, 0, sizeof none);
  statehub_reply reply = reply_to(*place != NULL ? *place : &none, hub->epoch);
  bool is_known = take_reply(frame[4], frame[5], reader, &hub->arena, &reply);
  if (reader->failed || *place == NULL) {
    arena_free(&hub->arena);
    return !reader->failed;
  }
  struct pending *pending = pending_list_take(&hub->pending, place);
  if (pending->is_silent) {
    complete_silently(hub, pending, frame[4], &reply);
  } else if (reply.error != NULL) {
    /* It may be its own first attempt that it is in conflict with. */
    if (reply.error->code == STATEHUB_CONFLICT && pending->may_have_run) {
      pending_fail(hub, pending, STATEHUB_OUTCOME_UNKNOWN, OUTCOME_UNKNOWN);
    } else {
      pending_end(hub, pending, &reply);
    }
  } else if (!is_known || frame[4] != answer_of(pending->kind)) {
    pending_fail(hub, pending, STATEHUB_PROTOCOL_VIOLATION, "the hub sent a reply of another kind than requested");
  } else {
    for (size_t at = 0; at < pending->operation_count && at < reply.count; at++) {
      ephemeral_note(hub, &pending->operations[at], &reply.results[at]);
    }
    if (!hold(hub, pending, frame, &reply)) pending_end(hub, pending, &reply);
  }
  arena_free(&hub->arena);
  return true;
}

/* The connection is gone: what was not sent, and what can be repeated, waits for the next one. */
static void lose_pending(statehub *hub) {
  for (struct pending **place = &hub->pending.first; *place != NULL;) {
    struct pending *pending = *place;
    if (pending->start != NOT_SENT && pending->is_silent) {
      /* The values that are set again are set again by the next connection. */
      pending_free(pending_list_take(&hub->pending, place));
      continue;
    }
    if (pending->start == NOT_SENT || hub->is_refused || (uint64_t)pending->start >= hub->sent) {
      pending->start = NOT_SENT;
    } else if (is_read(pending) || is_repeatable(pending)) {
      pending->start = NOT_SENT;
      pending->may_have_run = true;
    } else {
      fail_later(hub, pending_list_take(&hub->pending, place), STATEHUB_OUTCOME_UNKNOWN, OUTCOME_UNKNOWN);
      continue;
    }
    place = &pending->next;
  }
}

/* Fails the requests whose time is up. */
static void expire(statehub *hub, int64_t now) {
  for (struct pending **place = &hub->pending.first; *place != NULL;) {
    if ((*place)->deadline > now) {
      place = &(*place)->next;
      continue;
    }
    struct pending *pending = pending_list_take(&hub->pending, place);
    bool has_no_link = !is_connected(hub) && hub->link_message != NULL;
    bool is_unsure = !is_read(pending) && (pending->may_have_run || pending->start != NOT_SENT);
    /* The request owns the message: its callback may be left by an exception. */
    pending->message = text_of(
        "%s%s", has_no_link ? hub->link_message : hub->silence,
        is_unsure ? "; the outcome of the write is unknown" : "");
    pending_fail(hub, pending, has_no_link ? hub->link_code : STATEHUB_TIMEOUT, pending->message);
    place = &hub->pending.first;
  }
}

/* Whether all that it waits for are stores that complete views do not show: new ones, or such that this program may not
 * read, whose events never come. */
static bool is_in_doubt(const struct pending *pending) {
  for (size_t at = 0; at < pending->wait_count; at++) {
    statehub_watch *watch = pending->waits[at].watch;
    const struct known *known = view_store(&watch->view, pending->waits[at].store, false);
    if (!watch->is_open || !watch->view.is_synced || (known != NULL && known->name != NULL)) return false;
  }
  return true;
}

/* Answers the held writes whose time is up: that their watches are late is not their failure. The grace begins and ends only
 * when all that has come was read. */
static void expire_held(statehub *hub, bool has_read_all, int64_t now) {
  for (struct pending **place = &hub->held.first; *place != NULL;) {
    struct pending *pending = *place;
    bool is_graced = has_read_all && is_in_doubt(pending);
    if (is_graced && pending->grace == FOREVER) pending->grace = now + GRACE;
    if (pending->deadline > now && !(is_graced && pending->grace <= now)) {
      place = &pending->next;
      continue;
    }
    held_release(hub, pending_list_take(&hub->held, place));
    place = &hub->held.first;
  }
}

/* Fails everything with the next step; the held writes, which were carried out, are answered as such. */
static void fail_all(statehub *hub, int code, const char *message) {
  while (hub->pending.first != NULL) {
    struct pending *pending = pending_list_take(&hub->pending, &hub->pending.first);
    if (pending->is_silent) pending_free(pending);
    else fail_later(hub, pending, code, message);
  }
  for (struct pending *pending = hub->held.first; pending != NULL; pending = pending->next) pending->deadline = 0;
  for (statehub_watch *watch = hub->watches; watch != NULL; watch = watch->next) {
    if (!watch->has_ended && watch->failure == 0) watch->failure = code;
  }
  hub->has_failed_watches = true;
  char *copy = copy_text(message, strlen(message));
  free(hub->failure_message);
  hub->failure_message = copy;
}

/* ---- The connection's states ---------------------------------------------------------------------------------------------
 *
 *  IDLE --(something is wanted)--> CONNECTING --(connected)--> GREETING --(welcome)--> READY
 *    ^                                |  failed                  |  lost                 |
 *    +--(nothing is wanted)-- WAITING <--------------------------+-----------------------+
 */

static bool is_wanted(const statehub *hub) {
  if (hub->is_closed) return false;
  if (hub->pending.first != NULL || hub->ephemeral_count > 0) return true;
  for (const statehub_watch *watch = hub->watches; watch != NULL; watch = watch->next) {
    if (!watch->has_ended && watch->failure == 0) return true;
  }
  return false;
}

/* One step of SplitMix64. */
static uint64_t next_random(statehub *hub) {
  hub->random += 0x9E3779B97F4A7C15ull;
  uint64_t word = hub->random;
  word = (word ^ (word >> 30)) * 0xBF58476D1CE4E5B9ull;
  word = (word ^ (word >> 27)) * 0x94D049BB133111EBull;
  return word ^ (word >> 31);
}

/* Jittered back-off: the first attempt comes within 100 ms of the loss, the others at most 1 s apart for the first
 * 10 s, then at most 5 s apart. Half of every delay is random, so a hub's clients do not all reconnect at once. */
static void wait_for_attempt(statehub *hub, int64_t now) {
  if (!is_wanted(hub)) {
    hub->link = IDLE;
    hub->until = FOREVER;
    return;
  }
  if (hub->attempts == 0) hub->lost_at = now;
  int64_t limit = now < hub->lost_at + 10000 ? 1000 : 5000;
  int64_t ceiling = (int64_t)100 << (hub->attempts < 6 ? hub->attempts : 6);
  if (ceiling > limit) ceiling = limit;
  int64_t least = hub->attempts == 0 ? 0 : ceiling / 2;
  hub->link = WAITING;
  hub->until = now + least + (int64_t)(next_random(hub) % (uint64_t)(ceiling - least + 1));
  hub->attempts++;
}

static void remember_link_error(statehub *hub, int code, const char *message) {
  char *copy = copy_text(message, strlen(message));
  free(hub->link_message);
  hub->link_message = copy;
  hub->link_code = code;
}

/* One that is longer than the hub takes ends with the next step. */
static void ask_watch(statehub *hub, statehub_watch *watch) {
  struct buffer payload = {NULL, 0, 0, 0};
  struct view *view = &watch->view;
  if (view->has_bookmark) {
    put_number(&payload, view->epoch.high, 8);
    put_number(&payload, view->epoch.low, 8);
    put_number(&payload, view->bookmark, 8);
  }
  put_number(&payload, watch->count, 2);
  for (size_t at = 0; at < watch->count; at++) put_short(&payload, watch->patterns[at], strlen(watch->patterns[at]));
  unsigned flags = view->has_bookmark ? 2u : 0u;
  flags |= hub->filter.end > 0 ? 8u : watch->is_every ? 1u : 0u;
  put(&payload, hub->filter.bytes, hub->filter.end);
  if (waits_for_welcome(hub, payload.end)) {
    buffer_free(&payload);
    return;
  }
  if (HEADER + payload.end > hub->output_limit) {
    watch->failure = STATEHUB_FRAME_TOO_LARGE;
    hub->has_failed_watches = true;
  } else {
    watch->number = new_number(hub);
    map_put(&hub->numbers, watch->number, watch);
    put_frame(&hub->output, FRAME_WATCH, flags, watch->number, payload.bytes, payload.end);
  }
  buffer_free(&payload);
}

static bool can_be_asked(const statehub_watch *watch) {
  return !watch->has_ended && watch->failure == 0 && watch->number == 0;
}

/* Those that resume first, the oldest bookmark at the front, so that the hub walks through the changes since then once
 * for all of them. */
static void ask_watches(statehub *hub) {
  uint64_t behind_bookmark = 0;
  bool is_first = true;
  for (;;) {
    uint64_t lowest = UINT64_MAX;
    bool is_found = false;
    for (statehub_watch *watch = hub->watches; watch != NULL; watch = watch->next) {
      if (!can_be_asked(watch) || !watch->view.has_bookmark) continue;
      uint64_t bookmark = watch->view.bookmark;
      if (!is_first && bookmark <= behind_bookmark) continue;
      if (bookmark <= lowest) lowest = bookmark;
      is_found = true;
    }
    if (!is_found) break;
    for (statehub_watch *watch = hub->watches; watch != NULL; watch = watch->next) {
      if (can_be_asked(watch) && watch->view.has_bookmark && watch->view.bookmark == lowest) ask_watch(hub, watch);
    }
    behind_bookmark = lowest;
    is_first = false;
  }
  for (statehub_watch *watch = hub->watches; watch != NULL; watch = watch->next) {
    if (can_be_asked(watch) && !watch->view.has_bookmark) ask_watch(hub, watch);
  }
}

static void put_hello(statehub *hub) {
  struct buffer payload = {NULL, 0, 0, 0};
  put_number(&payload, 0x42554853, 4);
  put_number(&payload, 1, 2);
  put_number(&payload, 1, 2);
  put_number(&payload, 0, 8);
  put_short(&payload, hub->name, strlen(hub->name));
  hub->hello = new_number(hub);
  put_frame(&hub->output, FRAME_HELLO, 0, hub->hello, payload.bytes, payload.end);
  buffer_free(&payload);
}

static void connected(statehub *hub, int64_t now) {
  hub->link = GREETING;
  hub->until = now + GREETING_TIMEOUT;
  hub->is_refused = hub->is_early = false;
  buffer_clear(&hub->output);
  buffer_clear(&hub->input);
  hub->sent = hub->complete = hub->synced = 0;
  hub->input_limit = DEFAULT_FRAME + ALLOWANCE;
  hub->output_limit = DEFAULT_FRAME;
  put_hello(hub);
  uint8_t restriction = (uint8_t)hub->restriction;
  hub->restricting = restriction != 0 ? new_number(hub) : 0;
  if (restriction != 0) put_frame(&hub->output, FRAME_RESTRICT, 0, hub->restricting, &restriction, 1);
  /* Ephemeral values come first, so that this process's own watches find them. */
  hub->inquiries = 0;
  for (size_t at = 0; at < hub->ephemeral_count; at++) {
    bool has_condition = hub->ephemerals[at].flags & (IF_VALUE | IF_ABSENT);
    send_silently(hub, operation_copy(&hub->ephemerals[at]), has_condition ? FRAME_SET : FRAME_DESCRIBE);
  }
  if (hub->inquiries == 0) send_waiting(hub);
}

/* Sends what a new connection has to begin with, unless it was sent. */
static void send_waiting(statehub *hub) {
  ask_watches(hub);
  write_waiting(hub);
}

/* `is_final`: another attempt would fail in the same way. */
static void connect_failed(statehub *hub, int code, const char *message, bool is_final, int64_t now) {
  remember_link_error(hub, code, message);
  hub->failures++;
  if (is_final || (code == STATEHUB_DENIED && hub->failures >= REFUSALS)) fail_all(hub, code, message);
  wait_for_attempt(hub, now);
}

/* The connection is gone. */
static void lost(statehub *hub, int code, const char *message, int64_t now) {
  /* A hub that immediately ends every connection counts as no hub. */
  if (hub->ready_since != FOREVER && hub->ready_since + STEADINESS <= now) hub->attempts = hub->failures = 0;
  else hub->failures++;
  hub->ready_since = FOREVER;
  remember_link_error(hub, code, message);
  hub->link = IDLE;
  hub->inquiries = 0;
  for (statehub_watch *watch = hub->watches; watch != NULL; watch = watch->next) {
    /* Of a watch that the hub has not confirmed here this connection says nothing. */
    if (watch->is_open) view_advance(&watch->view, hub->complete);
    watch->is_open = false;
    watch->number = 0;
  }
  map_clear(&hub->numbers);
  hub->last_confirmed = NULL;
  lose_pending(hub);
  buffer_clear(&hub->output);
  buffer_clear(&hub->input);
  wait_for_attempt(hub, now);
}

/* ---- What the hub sends --------------------------------------------------------------------------------------------------- */

/* Why a connection has to be given up: `code` 0 means that it goes on. */
struct verdict {
  int code;
  char message[320];
};

static void condemn(struct verdict *verdict, int code, const char *message, size_t length) {
  verdict->code = code;
  snprintf(verdict->message, sizeof verdict->message, "%.*s", length > 300 ? 300 : (int)length, message);
}

static void condemn_text(struct verdict *verdict, int code, const char *message) {
  condemn(verdict, code, message, strlen(message));
}

static void receive_ended(struct reader *reader, struct verdict *verdict) {
  unsigned reason = (unsigned)take_number(reader, 2);
  struct text message = take_text(reader, 2);
  if (reader->failed) return;
  int code = reason == 1   ? STATEHUB_SHUTTING_DOWN
             : reason == 2 ? STATEHUB_NOT_READING
             : reason == 3 ? STATEHUB_PROTOCOL_VIOLATION
             : reason == 4 ? STATEHUB_QUOTA
                           : STATEHUB_CONNECTION_LOST;
  condemn(verdict, code, message.bytes, message.length);
}

static void receive_event(statehub *hub, unsigned kind, unsigned flags, struct reader *reader, struct verdict *verdict) {
  if (kind >= FRAME_CHANGE && kind <= FRAME_CURRENT) {
    const uint8_t *state = take(reader, STATE);
    statehub_event event = no_event();
    statehub_value value;
    char name[LONGEST_NAME + 1];
    if (kind != FRAME_CHANGE) {
      struct text text = take_text(reader, 1);
      memcpy(name, text.bytes, text.length);
      name[text.length] = '\0';
    }
    if (kind == FRAME_CREATED) {
      struct arena arena = {NULL, 0};
      take_schema(reader, &arena);
      arena_free(&arena);
    }
    if (kind != FRAME_REMOVED) {
      read_value(reader, &value);
      event.value = &value;
    } else {
      event.name = name;
    }
    if (reader->failed) return;
    /* Written where the program reads it: each copy of what was just written costs more than its bytes. */
    event.uid = (uint32_t)number_at(state + STATE_UID, 4);
    event.revision = number_at(state + STATE_REVISION, 8);
    event.version = number_at(state + STATE_VERSION, 8);
    event.time = (int64_t)number_at(state + STATE_TIME, 8);
    bool is_marked = kind == FRAME_CURRENT && (flags & 0x30u) != 0;
    event.is_overdue = kind == FRAME_CURRENT && (flags & 0x10u) != 0;
    store_event(
        hub, number_at(state + STATE_STORE, 8), kind == FRAME_CHANGE ? NULL : name, kind == FRAME_REMOVED, is_marked, &event);
  } else if (kind == FRAME_SYNCED || kind == FRAME_RESUMED) {
    uint64_t revision = take_number(reader, 8);
    if (reader->failed) return;
    if (kind == FRAME_SYNCED) synced_event(hub, revision);
    else resumed_event(hub, revision);
  } else if (kind == FRAME_FORGET) {
    statehub_epoch epoch = take_epoch(reader);
    uint64_t revision = take_number(reader, 8);
    if (!reader->failed) forget_event(hub, epoch, revision);
  } else if (kind == FRAME_ENDED) {
    receive_ended(reader, verdict);
  }
}

static void receive_welcome(statehub *hub, struct reader *reader, int64_t now) {
  take_number(reader, 2);
  take_number(reader, 8);
  statehub_epoch epoch = take_epoch(reader);
  take_number(reader, 8);
  uint32_t longest = (uint32_t)take_number(reader, 4);
  take_number(reader, 4);
  take_text(reader, 1);
  if (reader->failed) return;
  /* Numbers of stores mean nothing in another epoch. */
  if (hub->has_epoch && !same_epoch(hub->epoch, epoch)) routes_clear(hub);
  hub->epoch = epoch;
  hub->has_epoch = true;
  hub->link = READY;
  hub->until = FOREVER;
  hub->ready_since = now;
  free(hub->link_message);
  hub->link_message = NULL;
  hub->output_limit = longest;
  hub->input_limit = (longest < (uint32_t)LONGEST_FRAME ? longest : (uint32_t)LONGEST_FRAME) + (size_t)ALLOWANCE;
  bool was_early = hub->is_early;
  hub->is_early = false;
  if (was_early && hub->inquiries == 0) send_waiting(hub);
}

static void receive_reply(
    statehub *hub, uint32_t number, const uint8_t *frame, struct reader *reader, int64_t now, struct verdict *verdict) {
  unsigned kind = frame[4];
  statehub_watch *watch = (statehub_watch *)map_get(&hub->numbers, number);
  bool is_about_link = number == 0 || number == hub->hello || number == hub->restricting;
  if (kind == FRAME_ERROR && (is_about_link || watch != NULL)) {
    struct pending none;
    memset(&none, 0, sizeof none);
    statehub_reply reply = reply_to(&none, hub->epoch);
    take_reply(kind, frame[5], reader, &hub->arena, &reply);
    if (!reader->failed && is_about_link) {
      /* The hub that refuses a connection carries out nothing. */
      hub->is_refused = hub->link != READY;
      condemn_text(verdict, reply.error->code, reply.error->message);
      if (verdict->code == 0) verdict->code = STATEHUB_PROTOCOL_VIOLATION;
      if (verdict->code == STATEHUB_UNSUPPORTED_VERSION) fail_all(hub, verdict->code, verdict->message);
    } else if (!reader->failed) {
      watch_end(watch, reply.error->code, reply.error->message);
    }
    arena_free(&hub->arena);
  } else if (number == hub->hello) {
    if (kind == FRAME_WELCOME) receive_welcome(hub, reader, now);
    else condemn_text(verdict, STATEHUB_PROTOCOL_VIOLATION, "the hub did not answer hello with welcome");
  } else if (hub->link != READY) {
    condemn_text(verdict, STATEHUB_PROTOCOL_VIOLATION, "the hub answered a request before hello");
  } else if (watch != NULL) {
    if (kind != FRAME_WATCHING) {
      condemn_text(verdict, STATEHUB_PROTOCOL_VIOLATION, "the hub sent an unexpected reply to a watch");
    } else {
      take_number(reader, 8);
      if (!reader->failed) watch_confirmed(hub, watch);
    }
  } else {
    complete(hub, number, frame, reader);
  }
}

/* Handles every whole frame of the input, unless a callback closes the hub or forks. */
static void receive(statehub *hub, int64_t now, struct verdict *verdict) {
  struct buffer *input = &hub->input;
  while (verdict->code == 0 && !hub->closes_later && input->end - input->start >= HEADER) {
    const uint8_t *frame = input->bytes + input->start;
    size_t length = (size_t)number_at(frame, 4);
    unsigned kind = frame[4];
    if (length + HEADER > hub->input_limit) {
      condemn_text(verdict, STATEHUB_PROTOCOL_VIOLATION, "the hub sent a frame that is longer than the limit");
      return;
    }
    if (input->end - input->start < HEADER + length) return;
    struct reader reader = {frame + HEADER, frame + HEADER + length, false};
    if (kind >= FRAME_WELCOME) {
      receive_reply(hub, (uint32_t)number_at(frame + 8, 4), frame, &reader, now, verdict);
    } else if (kind >= FRAME_CHANGE) {
      receive_event(hub, kind, frame[5], &reader, verdict);
    } else {
      reader.failed = true;
    }
    if (reader.failed && verdict->code == 0) {
      char message[64];
      snprintf(message, sizeof message, "the hub sent a malformed frame of kind 0x%02x", kind);
      condemn_text(verdict, STATEHUB_PROTOCOL_VIOLATION, message);
    }
    /* In the child of a fork the input is the parent's, and a request of the callback has emptied it. */
    if (hub->was_forked || !is_connected(hub)) return;
    /* Only now: a frame whose callback was left by an exception or a longjmp is handled again. What it has shown already is
     * not shown twice. */
    input->start += HEADER + length;
  }
}

/* ---- Where the hub is, and what to do if none answers there ---------------------------------------------------------------- */

static const char *const SYSTEM_PATH = "/run/statehub/hub.sock";

/* An empty variable counts as unset. */
static const char *variable(const char *name) {
  const char *value = getenv(name);
  return value != NULL && *value != '\0' ? value : NULL;
}

/* What a path leads to; 0: nothing. */
static mode_t kind_at(const char *path) {
  struct stat status;
  return stat(path, &status) == 0 || lstat(path, &status) == 0 ? status.st_mode & S_IFMT : 0;
}

/* A variable that names another user's directory, as after `sudo -E`, does not count: that user's hub could answer anything. */
static char *runtime_directory(void) {
  const char *named = variable("XDG_RUNTIME_DIR");
  struct stat status;
  if (named != NULL && (stat(named, &status) != 0 || status.st_uid == geteuid())) return text_of("%s", named);
  return text_of("/run/user/%u", (unsigned)getuid());
}

static char *user_path(void) {
  char *directory = runtime_directory(), *path = text_of("%s/statehub/hub.sock", directory);
  free(directory);
  return path;
}

static char *automatic_path(void) {
  const char *named = variable("STATEHUB_SOCKET");
  if (named != NULL) return text_of("%s", named);
  char *path = user_path();
  if (kind_at(path) == S_IFSOCK) return path;
  free(path);
  return text_of("%s", SYSTEM_PATH);
}

/* Why no socket can be at `path`, whatever exists there; NULL if one can. */
static char *path_problem(const char *path) {
  size_t length = strlen(path), longest = sizeof ((struct sockaddr_un *)NULL)->sun_path - 1;
  if (length == 0) return text_of("the path of the hub's socket is empty");
  if (*path == '@') {
    return text_of("%s is an abstract name, but a hub listens at a path: for a file with that name, give ./%s", path, path);
  }
  if (length <= longest) return NULL;
  return text_of(
      "the path of the hub's socket takes %zu bytes, and at most %zu are allowed: %s", length, longest, path);
}

/* The command that controls the hub at `path`; NULL if systemd does not start it. */
static const char *manager_of(const char *path) {
  if (kind_at("/run/systemd/system") != S_IFDIR) return NULL;
  if (strcmp(path, SYSTEM_PATH) == 0) return "systemctl";
  /* A hub of root's is the machine's, unless its path is given. */
  if (geteuid() == 0 || variable("XDG_RUNTIME_DIR") == NULL) return NULL;
  char *own = user_path();
  bool is_own = strcmp(path, own) == 0;
  free(own);
  return is_own ? "systemctl --user" : NULL;
}

static char *silence_of(const char *path) {
  const char *manager = manager_of(path);
  char *text = text_of("the hub at %s did not answer in time", path);
  if (manager == NULL) return text;
  char *advice = text_of("%s: `%s status statehub` may show why", text, manager);
  free(text);
  return advice;
}

/* Quoted for a shell. */
static char *quoted(const char *path) {
  static const char *const plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/._-+:@,";
  if (path[strspn(path, plain)] == '\0') return text_of("%s", path);
  struct buffer buffer = {NULL, 0, 0, 0};
  put(&buffer, "'", 1);
  for (; *path != '\0'; path++) {
    if (*path == '\'') put(&buffer, "'\\''", 4);
    else put(&buffer, path, 1);
  }
  put(&buffer, "'", 2);
  return (char *)buffer.bytes;
}

/* How to start a hub at `path`. */
static char *start_of(const char *path) {
  const char *manager = manager_of(path);
  bool is_root = geteuid() == 0;
  char *directory = runtime_directory(), *own = user_path();
  bool has_own = kind_at(directory) == S_IFDIR, is_own = strcmp(path, own) == 0 && has_own && !is_root;
  free(directory);
  free(own);
  if (strcmp(path, SYSTEM_PATH) == 0) {
    const char *start = manager != NULL ? "`systemctl start statehub`" : is_root ? "`statehub`" : "`statehub` as root";
    /* The machine's hub is what is left when the user has none. */
    return is_root   ? text_of("%s", start)
           : has_own ? text_of("%s, or one of your own with `statehub`", start)
                     : text_of(
                           "%s, or one of your own with `statehub --socket PATH`, and set STATEHUB_SOCKET to PATH", start);
  }
  if (is_own) return text_of(manager != NULL ? "`systemctl --user start statehub` or `statehub`" : "`statehub`");
  char *name = quoted(path), *start = text_of("`statehub --socket %s`", name);
  free(name);
  return start;
}

/* Why no hub listens at `path`, and what to do about it. */
static char *absence_of(const char *path) {
  mode_t kind = kind_at(path);
  if (kind == 0 || kind == S_IFSOCK) {
    char *start = start_of(path), *text = text_of("no hub listens at %s; start it with %s", path, start);
    free(start);
    return text;
  }
  return text_of(
      "%s is %s, not a socket: check where the path comes from, for example STATEHUB_SOCKET", path,
      kind == S_IFREG   ? "a file"
      : kind == S_IFDIR ? "a directory"
      : kind == S_IFIFO ? "a FIFO"
      : kind == S_IFLNK ? "a dangling symbolic link"
                        : "a device");
}

/* ---- The socket --------------------------------------------------------------------------------------------------------- */

static int64_t milliseconds_now(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static void disconnect(statehub *hub) {
  if (hub->descriptor >= 0) close(hub->descriptor);
  hub->descriptor = -1;
}

static void connect_now(statehub *hub, int64_t now) {
  char *problem = path_problem(hub->path);
  if (problem != NULL) {
    connect_failed(hub, STATEHUB_NO_HUB, problem, true, now);
    free(problem);
    return;
  }
  struct sockaddr_un address;
  memset(&address, 0, sizeof address);
  address.sun_family = AF_UNIX;
  memcpy(address.sun_path, hub->path, strlen(hub->path));
  int descriptor = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (descriptor >= 0 && connect(descriptor, (const struct sockaddr *)&address, sizeof address) == 0) {
    hub->descriptor = descriptor;
    connected(hub, now);
    return;
  }
  int cause = errno, code = STATEHUB_NO_HUB;
  if (descriptor >= 0) close(descriptor);
  if (cause == EACCES || cause == EPERM) {
    code = STATEHUB_DENIED;
    problem = text_of("not permitted to connect to %s: check the mode and group of the socket", hub->path);
  } else if (cause == EAGAIN) {
    code = STATEHUB_TIMEOUT;
    problem = text_of("%s", hub->silence);
  } else if (cause == ENOENT || cause == ECONNREFUSED) {
    problem = absence_of(hub->path);
  } else if (cause == ENOTDIR) {
    problem = text_of("no hub can listen at %s: a part of the path is not a directory", hub->path);
  } else {
    problem = text_of("cannot connect to %s: %s", hub->path, strerror(cause));
  }
  connect_failed(hub, code, problem, false, now);
  free(problem);
}

/* Sends what the socket takes. If it fails, the reader finds out: the hub's last message may explain it. */
static void flush(statehub *hub) {
  struct buffer *output = &hub->output;
  while (hub->descriptor >= 0 && output->start < output->end) {
    ssize_t count = send(hub->descriptor, output->bytes + output->start, output->end - output->start, MSG_NOSIGNAL);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return;
    output->start += (size_t)count;
    hub->sent += (uint64_t)count;
    if (output->start == output->end) buffer_clear(output);
  }
}

static void give_up(statehub *hub, int code, const char *message, int64_t now) {
  disconnect(hub);
  lost(hub, code, message, now);
}

/* Reads once, and handles what is whole. Returns whether that was all there is. */
static bool read_once(statehub *hub, int64_t now) {
  if (hub->descriptor < 0) hub->was_left = false;
  if (hub->descriptor < 0) return true;
  struct verdict verdict = {0, ""};
  ssize_t count = 0;
  if (hub->was_left) receive(hub, now, &verdict);
  hub->was_left = false;
  if (verdict.code == 0 && !hub->closes_later && hub->descriptor >= 0) {
    uint8_t *room = buffer_room(&hub->input, CHUNK);
    count = recv(hub->descriptor, room, CHUNK, 0);
    if (count < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR)) return true;
    if (count > 0) {
      hub->input.end += (size_t)count;
      receive(hub, now, &verdict);
      if (hub->input.start == hub->input.end) buffer_clear(&hub->input);
    } else {
      condemn_text(&verdict, STATEHUB_CONNECTION_LOST, "the hub closed the connection");
    }
  }
  if (verdict.code != 0) give_up(hub, verdict.code, verdict.message, now);
  return count < CHUNK;
}

/* Connects, disconnects and ends what has waited too long. */
static void tend(statehub *hub, int64_t now) {
  while (hub->failed.first != NULL) {
    struct pending *pending = pending_list_take(&hub->failed, &hub->failed.first);
    pending_fail(hub, pending, pending->failure, pending->message);
  }
  /* Repeated until none is left: in the child of a fork, a request from a callback also fails the watches before its own. */
  for (bool is_found = hub->has_failed_watches; is_found;) {
    is_found = false;
    for (statehub_watch *watch = hub->watches; watch != NULL; watch = watch->next) {
      if (watch->failure == 0 || watch->has_ended) continue;
      const char *message = watch->failure == STATEHUB_INVALID_PATTERN    ? NO_PATTERN
                            : watch->failure == STATEHUB_FRAME_TOO_LARGE ? TOO_LONG
                                                                         : hub->failure_message;
      is_found = true;
      watch_end(watch, watch->failure, message);
    }
  }
  hub->has_failed_watches = false;
  /* Before any request expires: one whose time is over already learns why there is no hub, not that it is slow. */
  if (hub->link == IDLE) {
    if (!is_wanted(hub)) return;
    hub->link = CONNECTING;
    connect_now(hub, now);
  } else {
    if (hub->pending.first != NULL) expire(hub, now);
    if (hub->until > now) return;
    hub->until = FOREVER;
    if (hub->link == GREETING) {
      give_up(hub, STATEHUB_TIMEOUT, hub->silence, now);
    } else if (is_wanted(hub)) {
      hub->link = CONNECTING;
      connect_now(hub, now);
    } else {
      hub->link = IDLE;
    }
  }
}

/* ---- The calls that run callbacks ---------------------------------------------------------------------------------------- */

/* Ends what belongs to the process that this one was forked from, with the next step. The fork has closed the connection. */
static void leave_parent(statehub *hub) {
  static const char *const reason = "it was requested by the parent process, before the fork";
  hub->was_forked = false;
  hub->is_refused = true;  /* Nothing is repeated here. */
  lost(hub, STATEHUB_CLOSED, reason, 0);
  while (hub->held.first != NULL) {
    struct pending *pending = pending_list_take(&hub->held, &hub->held.first);
    fail_later(hub, pending, STATEHUB_CLOSED, reason);
  }
  fail_all(hub, STATEHUB_CLOSED, reason);
  while (hub->ephemeral_count > 0) ephemeral_forget(hub, hub->ephemerals[0].name);
  free(hub->link_message);
  hub->link_message = NULL;
  hub->link = IDLE;
  hub->until = FOREVER;
  hub->attempts = hub->failures = 0;
}

static void update_left(statehub *hub);

/* Begins a call from the frame of a public function; false: a callback makes it. */
static bool enter(statehub *hub, const void *frame) {
  if (hub->depth > 0 && (const char *)frame < hub->frame) return false;
  if (hub->depth > 0) hub->was_left = true;
  hub->depth = 0;
  if (hub->ending != NULL) pending_free(hub->ending);
  hub->ending = NULL;
  arena_free(&hub->arena);
  if (hub->was_forked) leave_parent(hub);
  if (hub->updating != NULL) update_left(hub);
  return true;
}

static void destroy(statehub *hub);

/* Ends a call: a callback may have closed the hub. */
static void leave(statehub *hub) {
  if (hub->closes_later) destroy(hub);
}

static void step(statehub *hub) {
  int64_t now = milliseconds_now();
  tend(hub, now);
  if (hub->output.start < hub->output.end) flush(hub);
  bool has_read_all = !hub->closes_later && read_once(hub, now);
  if (!hub->closes_later && !hub->was_forked) expire_held(hub, has_read_all, now);
  if (hub->output.start < hub->output.end) flush(hub);
  sweep_watches(hub);
}

static void wait_for(statehub *hub, int milliseconds) {
  if (hub->output.start < hub->output.end) flush(hub);
  int timeout = statehub_poll_timeout(hub);
  if (timeout < 0 || (milliseconds >= 0 && milliseconds < timeout)) timeout = milliseconds;
  struct pollfd entry = {hub->descriptor, statehub_poll_events(hub), 0};
  poll(&entry, 1, timeout);
  step(hub);
}

static bool is_on_its_way(const struct pending_list *list, uint32_t request) {
  for (const struct pending *pending = list->first; pending != NULL; pending = pending->next) {
    if (pending->number == request) return true;
  }
  return false;
}

void statehub_step(statehub *hub) {
  if (!enter(hub, __builtin_frame_address(0))) return;
  step(hub);
  leave(hub);
}

void statehub_wait(statehub *hub, int milliseconds) {
  if (!enter(hub, __builtin_frame_address(0))) return;
  wait_for(hub, milliseconds);
  leave(hub);
}

int statehub_finish(statehub *hub, uint32_t request) {
  if (!enter(hub, __builtin_frame_address(0))) return STATEHUB_UNKNOWN;
  hub->awaited = request;
  hub->outcome = STATEHUB_UNKNOWN;
  if (is_on_its_way(&hub->pending, request) || is_on_its_way(&hub->held, request) || is_on_its_way(&hub->failed, request)) {
    while (hub->awaited == request && !hub->closes_later) wait_for(hub, -1);
  }
  int outcome = hub->outcome;
  hub->awaited = 0;
  leave(hub);
  return outcome;
}

int statehub_fd(const statehub *hub) { return hub->descriptor; }

short statehub_poll_events(const statehub *hub) {
  return hub->descriptor >= 0 && hub->output.start < hub->output.end ? POLLIN | POLLOUT : POLLIN;
}

int statehub_poll_timeout(const statehub *hub) {
  if (hub->was_forked || hub->was_left || hub->depth > 0 || hub->failed.first != NULL || hub->has_failed_watches || (hub->link == IDLE && is_wanted(hub))) return 0;
  int64_t deadline = hub->until;
  for (const struct pending *pending = hub->pending.first; pending != NULL; pending = pending->next) {
    if (pending->deadline < deadline) deadline = pending->deadline;
  }
  for (const struct pending *pending = hub->held.first; pending != NULL; pending = pending->next) {
    if (pending->deadline < deadline) deadline = pending->deadline;
    if (pending->grace < deadline && is_in_doubt(pending)) deadline = pending->grace;
  }
  if (deadline == FOREVER) return -1;
  int64_t left = deadline - milliseconds_now();
  return left <= 0 ? 0 : left > INT32_MAX ? INT32_MAX : (int)left;
}

/* ---- Opening and closing --------------------------------------------------------------------------------------------------- */

/* This process's hubs. In the child of a fork each leaves its connection, which is the parent's, at once: otherwise the
 * parent's ephemeral values would live as long as the child. */
static pthread_mutex_t hubs_lock = PTHREAD_MUTEX_INITIALIZER;
static statehub *hubs;

static void before_fork(void) { pthread_mutex_lock(&hubs_lock); }
static void after_fork(void) { pthread_mutex_unlock(&hubs_lock); }

static void in_child(void) {
  for (statehub *hub = hubs; hub != NULL; hub = hub->next) {
    disconnect(hub);
    hub->was_forked = true;
  }
  pthread_mutex_unlock(&hubs_lock);
}

static void enlist(statehub *hub) {
  static bool is_told;
  pthread_mutex_lock(&hubs_lock);
  if (!is_told) is_told = pthread_atfork(before_fork, after_fork, in_child) == 0;
  hub->next = hubs;
  hubs = hub;
  pthread_mutex_unlock(&hubs_lock);
}

static void delist(statehub *hub) {
  pthread_mutex_lock(&hubs_lock);
  statehub **place = &hubs;
  while (*place != hub) place = &(*place)->next;
  *place = hub->next;
  pthread_mutex_unlock(&hubs_lock);
}

statehub *statehub_open(const char *path, const char *name) {
  statehub *hub = NEW(statehub);
  hub->path = path != NULL ? text_of("%s", path) : automatic_path();
  hub->silence = silence_of(hub->path);
  size_t length = name != NULL ? strlen(name) : 0;
  if (length > 60) {
    /* Not within a character of UTF-8. */
    for (length = 60; length > 0 && ((uint8_t)name[length] & 0xC0) == 0x80; length--) {}
  }
  hub->name = copy_text(name, length);
  hub->descriptor = -1;
  hub->timeout = TIMEOUT;
  hub->until = hub->ready_since = FOREVER;
  hub->output_limit = DEFAULT_FRAME;
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  hub->random = (uint64_t)now.tv_nsec ^ ((uint64_t)getpid() << 32) ^ (uint64_t)(uintptr_t)hub;
  pending_list_init(&hub->pending);
  pending_list_init(&hub->held);
  pending_list_init(&hub->failed);
  hub->last_watch = &hub->watches;
  enlist(hub);
  return hub;
}

/* Calls back for everything that waits, and frees the hub. */
static void destroy(statehub *hub) {
  hub->is_closed = true;
  fail_all(hub, STATEHUB_CLOSED, CLOSED);
  int64_t now = milliseconds_now();
  tend(hub, now);
  expire_held(hub, true, now);
  disconnect(hub);
  delist(hub);
  hub->has_ended_watches = true;
  sweep_watches(hub);
  routes_clear(hub);
  map_clear(&hub->numbers);
  map_clear(&hub->followers);
  for (size_t at = 0; at < hub->ephemeral_count; at++) operation_free(&hub->ephemerals[at]);
  free(hub->ephemerals);
  buffer_free(&hub->output);
  buffer_free(&hub->input);
  buffer_free(&hub->filter);
  free(hub->link_message);
  free(hub->failure_message);
  free(hub->silence);
  free(hub->path);
  free(hub->name);
  free(hub);
}

void statehub_close(statehub *hub) {
  if (hub == NULL) return;
  if (enter(hub, __builtin_frame_address(0))) destroy(hub);
  else hub->is_closed = hub->closes_later = true;
}

void statehub_set_timeout(statehub *hub, int milliseconds) { hub->timeout = milliseconds; }
const char *statehub_path(const statehub *hub) { return hub->path; }

/* Appends it; false if there is no such condition. */
static bool put_condition(struct buffer *buffer, const statehub_filter *filter) {
  size_t start = buffer->end, count = filter->operand_count;
  bool has_order = filter->when >= STATEHUB_WHEN_LESS;
  if ((unsigned)filter->when > STATEHUB_WHEN_ABSENT) return false;
  if (filter->when >= STATEHUB_WHEN_PRESENT ? count != 0 : has_order ? count != 1 : count == 0 || count > 255) return false;
  put_number(buffer, (uint64_t)filter->when, 1);
  put_number(buffer, count, 1);
  for (size_t at = 0; at < count; at++) {
    const statehub_value *operand = &filter->operands[at];
    if (!is_type(operand->type) || operand->length > 1024) return false;
    if (has_order && (operand->type == STATEHUB_BOOLEAN || operand->type == STATEHUB_JSON)) return false;
    if (operand->type == STATEHUB_DOUBLE && !isfinite(operand->real)) return false;
    put_value(buffer, operand);
  }
  return buffer->end - start <= 1024;
}

bool statehub_set_filter(statehub *hub, const statehub_filter *filter) {
  if (hub->watches != NULL || filter->milliseconds > 86400000 || filter->deadline > 86400000) return false;
  if (!isfinite(filter->deadband) || filter->deadband < 0) return false;
  struct buffer fields = {NULL, 0, 0, 0};
  unsigned deadband = filter->deadband == 0 ? 0u : filter->is_percent ? 4u : 2u;
  unsigned parts = (filter->milliseconds > 0 ? 1u : 0u) | deadband | (filter->when != STATEHUB_WHENEVER ? 8u : 0u);
  if (filter->deadline > 0) parts |= 16u;
  if (parts != 0) put_number(&fields, parts, 1);
  if (filter->milliseconds > 0) put_number(&fields, filter->milliseconds, 4);
  if (deadband != 0) {
    uint64_t bits;
    memcpy(&bits, &filter->deadband, sizeof bits);
    put_number(&fields, bits, 8);
  }
  if (filter->when != STATEHUB_WHENEVER && !put_condition(&fields, filter)) {
    buffer_free(&fields);
    return false;
  }
  if (filter->deadline > 0) put_number(&fields, filter->deadline, 4);
  buffer_free(&hub->filter);
  hub->filter = fields;
  return true;
}

/* ---- Requests ------------------------------------------------------------------------------------------------------------- */

static struct pending *new_pending(
    statehub *hub, unsigned kind, struct buffer *payload, statehub_on_reply *on_reply, void *context) {
  if (hub->was_forked) leave_parent(hub);
  struct pending *pending = NEW(struct pending);
  pending->kind = (uint8_t)kind;
  pending->payload = payload->bytes;
  pending->length = payload->end;
  pending->deadline = milliseconds_now() + hub->timeout;
  pending->on_reply = on_reply;
  pending->context = context;
  return pending;
}

static void spoil(struct pending *pending, int code, const char *message) {
  if (pending->failure != 0) return;
  pending->failure = code;
  pending->message = copy_text(message, strlen(message));
}

static uint32_t ask_about(
    statehub *hub, unsigned kind, const char *store, statehub_on_reply *on_reply, void *context) {
  struct buffer payload = {NULL, 0, 0, 0};
  bool is_name = statehub_is_name(store, strlen(store));
  put_short(&payload, store, is_name ? strlen(store) : 0);
  struct pending *pending = new_pending(hub, kind, &payload, on_reply, context);
  if (!is_name) spoil(pending, STATEHUB_INVALID_NAME, "a name consists of components of A-Z a-z 0-9 _ - with single dots between them");
  return send_request(hub, pending);
}

uint32_t statehub_ping(statehub *hub, statehub_on_reply *on_reply, void *context) {
  struct buffer payload = {NULL, 0, 0, 0};
  return send_request(hub, new_pending(hub, FRAME_PING, &payload, on_reply, context));
}

uint32_t statehub_restrict(statehub *hub, statehub_restriction to, statehub_on_reply *on_reply, void *context) {
  struct buffer payload = {NULL, 0, 0, 0};
  put_number(&payload, to, 1);
  struct pending *pending = new_pending(hub, FRAME_RESTRICT, &payload, on_reply, context);
  bool is_known = to == STATEHUB_READING || to == STATEHUB_NOTHING;
  if (!is_known) spoil(pending, STATEHUB_INVALID_VALUE, "a hub is restricted to STATEHUB_READING or STATEHUB_NOTHING");
  if (is_known && (int)to > hub->restriction) hub->restriction = (int)to;
  return send_request(hub, pending);
}

uint32_t statehub_stats(statehub *hub, statehub_on_reply *on_reply, void *context) {
  struct buffer payload = {NULL, 0, 0, 0};
  return send_request(hub, new_pending(hub, FRAME_STATS, &payload, on_reply, context));
}

uint32_t statehub_get(statehub *hub, const char *store, statehub_on_reply *on_reply, void *context) {
  return ask_about(hub, FRAME_GET, store, on_reply, context);
}

uint32_t statehub_describe(statehub *hub, const char *store, statehub_on_reply *on_reply, void *context) {
  return ask_about(hub, FRAME_DESCRIBE, store, on_reply, context);
}

uint32_t statehub_list(
    statehub *hub, const char *pattern, const char *after, statehub_on_reply *on_reply, void *context) {
  struct buffer payload = {NULL, 0, 0, 0};
  bool is_pattern = statehub_is_pattern(pattern, strlen(pattern)) && strlen(after) <= LONGEST_NAME;
  put_number(&payload, 1000, 4);
  put_short(&payload, pattern, is_pattern ? strlen(pattern) : 0);
  put_short(&payload, after, is_pattern ? strlen(after) : 0);
  struct pending *pending = new_pending(hub, FRAME_LIST, &payload, on_reply, context);
  if (!is_pattern) spoil(pending, STATEHUB_INVALID_PATTERN, NO_PATTERN);
  return send_request(hub, pending);
}

uint32_t statehub_clients(statehub *hub, int32_t after, statehub_on_reply *on_reply, void *context) {
  struct buffer payload = {NULL, 0, 0, 0};
  put_number(&payload, 500, 4);
  put_number(&payload, (uint32_t)after, 4);
  return send_request(hub, new_pending(hub, FRAME_CLIENTS, &payload, on_reply, context));
}

/* The flags and the payload of a write; `operation` keeps what has to be known of it later. */
static void encode_write(const statehub_write *write, struct operation *operation) {
  struct buffer payload = {NULL, 0, 0, 0};
  unsigned flags = 0;
  bool is_set = write->kind == STATEHUB_WRITE_SET;
  put_short(&payload, write->store, strlen(write->store));
  operation->value_start = payload.end;
  if (is_set || write->kind == STATEHUB_WRITE_ADD) put_value(&payload, &write->value);
  operation->value_length = payload.end - operation->value_start;
  if (write->has_revision) {
    flags |= IF_REVISION;
    put_number(&payload, write->if_revision, 8);
  }
  if (write->if_epoch != NULL) {
    flags |= IF_EPOCH;
    put_number(&payload, write->if_epoch->high, 8);
    put_number(&payload, write->if_epoch->low, 8);
  }
  if (write->if_value != NULL) {
    flags |= IF_VALUE;
    put_value(&payload, write->if_value);
  }
  if (write->if_absent) flags |= IF_ABSENT;
  if (is_set && write->force) flags |= 0x10;
  if (is_set && write->ttl > 0) {
    flags |= 0x20;
    put_number(&payload, write->ttl, 8);
  }
  if (is_set && write->ephemeral) flags |= EPHEMERAL;
  if (write->kind == STATEHUB_WRITE_ADD && write->clamp) flags |= 0x01;
  if (write->kind == STATEHUB_WRITE_CREATE) put_schema(&payload, write->schema);
  /* No other condition can only hold once: a value or a store may be the same again. */
  operation->is_repeatable = write->has_revision && write->if_revision > 0;
  operation->kind = (uint8_t)write->kind;
  operation->flags = (uint8_t)flags;
  operation->name = copy_text(write->store, strlen(write->store));
  operation->payload = payload.bytes;
  operation->length = payload.end;
}

/* Why a value cannot be sent; NULL if it can, or if there is none. */
static const char *problem_with_value(const statehub_value *value) {
  if (value == NULL) return NULL;
  if (!is_type((unsigned)value->type)) return "a value must have one of the types in statehub_type";
  return value->type == STATEHUB_DOUBLE && !isfinite(value->real) ? "a double must be finite" : NULL;
}

static const char *problem_with_schema(const statehub_schema *schema) {
  if (schema == NULL) return "creating a store takes a schema";
  if (!is_type((unsigned)schema->type)) return "a schema must have one of the types in statehub_type";
  if (schema->choice_count > UINT16_MAX) return "a schema can have at most 65535 choices";
  if (schema->description != NULL && strlen(schema->description) > UINT16_MAX) {
    return "a description can have at most 65535 bytes";
  }
  if (schema->durability < 0 || schema->durability > STATEHUB_SYNCED) return "unknown durability";
  const char *problem = problem_with_value(schema->minimum);
  if (problem == NULL) problem = problem_with_value(schema->maximum);
  if (problem == NULL) problem = problem_with_value(schema->initial);
  for (size_t at = 0; at < schema->choice_count && problem == NULL; at++) problem = problem_with_value(&schema->choices[at]);
  return problem;
}

static const char *problem_with_condition(const statehub_write *write) {
  bool is_set = write->kind == STATEHUB_WRITE_SET, is_create = write->kind == STATEHUB_WRITE_CREATE;
  bool takes_revision = is_set || write->kind == STATEHUB_WRITE_REMOVE;
  if (write->has_revision && !takes_revision) return "if_revision applies only to set and remove";
  if (write->if_epoch != NULL && !write->has_revision) return "if_epoch requires if_revision";
  if (write->if_value != NULL && !is_set) return "if_value applies only to set";
  return write->if_absent && !is_set && !is_create ? "if_absent applies only to set and create" : NULL;
}

/* Why a write cannot be sent; NULL if it can. */
static const char *problem_with(const statehub_write *write, int *code) {
  *code = STATEHUB_INVALID_NAME;
  if (!statehub_is_name(write->store, strlen(write->store))) {
    return "a name consists of components of A-Z a-z 0-9 _ - with single dots between them";
  }
  *code = STATEHUB_INVALID_VALUE;
  if (write->kind < STATEHUB_WRITE_SET || write->kind > STATEHUB_WRITE_CREATE) return "a write must be of a statehub_write_kind";
  bool has_value = write->kind == STATEHUB_WRITE_SET || write->kind == STATEHUB_WRITE_ADD;
  const char *problem = problem_with_condition(write);
  if (problem == NULL && has_value) problem = problem_with_value(&write->value);
  if (problem == NULL) problem = problem_with_value(write->if_value);
  if (problem != NULL || write->kind != STATEHUB_WRITE_CREATE) return problem;
  *code = STATEHUB_INVALID_SCHEMA;
  return problem_with_schema(write->schema);
}

static struct pending *new_writes(
    statehub *hub, unsigned kind, const statehub_write *writes, size_t count, statehub_on_reply *on_reply, void *context) {
  struct buffer nothing = {NULL, 0, 0, 0};
  struct pending *pending = new_pending(hub, kind, &nothing, on_reply, context);
  pending->operations = (struct operation *)allocated(calloc(count + 1, sizeof(struct operation)));
  for (size_t at = 0; at < count; at++) {
    int code;
    const char *problem = problem_with(&writes[at], &code);
    if (problem != NULL) {
      spoil(pending, code, problem);
      break;
    }
    encode_write(&writes[at], &pending->operations[pending->operation_count++]);
  }
  return pending;
}

uint32_t statehub_write_one(
    statehub *hub, const statehub_write *write, statehub_on_reply *on_reply, void *context) {
  struct pending *pending = new_writes(hub, (unsigned)write->kind, write, 1, on_reply, context);
  if (pending->operation_count == 1) {
    pending->flags = pending->operations[0].flags;
    pending->length = pending->operations[0].length;
    pending->payload = (uint8_t *)copy_text((const char *)pending->operations[0].payload, pending->length);
  }
  return send_request(hub, pending);
}

uint32_t statehub_transaction(
    statehub *hub, const statehub_write *writes, size_t count, statehub_on_reply *on_reply, void *context) {
  struct pending *pending = new_writes(hub, FRAME_TRANSACTION, writes, count, on_reply, context);
  struct buffer payload = {NULL, 0, 0, 0};
  for (size_t at = 0; at < pending->operation_count; at++) {
    const struct operation *operation = &pending->operations[at];
    put_frame(&payload, operation->kind, operation->flags, 0, operation->payload, operation->length);
  }
  pending->payload = payload.bytes;
  pending->length = payload.end;
  return send_request(hub, pending);
}

static uint32_t write_value(
    statehub *hub, statehub_write_kind kind, const char *store, statehub_value value, statehub_on_reply *on_reply,
    void *context) {
  statehub_write write;
  memset(&write, 0, sizeof write);
  write.kind = kind;
  write.store = store;
  write.value = value;
  return statehub_write_one(hub, &write, on_reply, context);
}

uint32_t statehub_set(
    statehub *hub, const char *store, statehub_value value, statehub_on_reply *on_reply, void *context) {
  return write_value(hub, STATEHUB_WRITE_SET, store, value, on_reply, context);
}

uint32_t statehub_add(
    statehub *hub, const char *store, statehub_value delta, statehub_on_reply *on_reply, void *context) {
  return write_value(hub, STATEHUB_WRITE_ADD, store, delta, on_reply, context);
}

/* ---- Compare-and-set: read, change, set under the revision that was read, and start over after a conflict --------------- */

struct update {
  statehub *hub;
  char *store;
  int64_t deadline;  /* of all its attempts together */
  statehub_change *change;
  statehub_on_reply *on_reply;
  void *context;
  bool has_ended;
};

static void update_free(struct update *update) {
  update->hub->updating = NULL;
  free(update->store);
  free(update);
}

static void update_end(struct update *update, const statehub_reply *reply) {
  update->has_ended = true;
  update->hub->updating = update;
  if (update->on_reply != NULL) update->on_reply(update->context, reply);
  update_free(update);
}

static void update_set(void *context, const statehub_reply *reply);
static void update_got(void *context, const statehub_reply *reply);

/* Makes its next request, `write` or (NULL) a get, with the time that is left. */
static void update_ask(struct update *update, const statehub_write *write) {
  statehub *hub = update->hub;
  int timeout = hub->timeout;
  int64_t left = update->deadline - milliseconds_now();
  hub->timeout = left > 0 ? (int)left : 0;
  if (write != NULL) statehub_write_one(hub, write, update_set, update);
  else statehub_get(hub, update->store, update_got, update);
  hub->timeout = timeout;
}

static void update_set(void *context, const statehub_reply *reply) {
  struct update *update = (struct update *)context;
  if (reply->error == NULL || reply->error->code != STATEHUB_CONFLICT) update_end(update, reply);
  else update_ask(update, NULL);
}

static void update_got(void *context, const statehub_reply *reply) {
  struct update *update = (struct update *)context;
  bool is_absent = reply->error != NULL && reply->error->code == STATEHUB_NO_SUCH_STORE, changes = false;
  statehub_write write;
  memset(&write, 0, sizeof write);
  if (reply->error == NULL || is_absent) {
    update->hub->updating = update;
    changes = update->change(update->context, is_absent ? NULL : &reply->state->value, &write.value);
    update->hub->updating = NULL;
  }
  if (!changes) {
    update_end(update, reply);
    return;
  }
  write.kind = STATEHUB_WRITE_SET;
  write.store = update->store;
  write.if_absent = is_absent;
  write.has_revision = !is_absent;
  write.if_revision = is_absent ? 0 : reply->state->revision;
  write.if_epoch = is_absent ? NULL : &reply->epoch;
  update_ask(update, &write);
}

/* A callback of an update was left by an exception or a longjmp. If that was its change, it ends with the next step. */
static void update_left(statehub *hub) {
  struct update *update = hub->updating;
  if (update->has_ended) {
    update_free(update);
    return;
  }
  struct buffer nothing = {NULL, 0, 0, 0};
  hub->updating = NULL;
  struct pending *pending = new_pending(hub, FRAME_GET, &nothing, update_set, update);
  spoil(pending, STATEHUB_CLOSED, "the change was left by an exception or a longjmp");
  send_request(hub, pending);
}

void statehub_update(
    statehub *hub, const char *store, statehub_change *change, statehub_on_reply *on_reply, void *context) {
  struct update *update = NEW(struct update);
  update->hub = hub;
  update->store = text_of("%s", store);
  update->deadline = milliseconds_now() + hub->timeout;
  update->change = change;
  update->on_reply = on_reply;
  update->context = context;
  update_ask(update, NULL);
}

/* ---- Watches ---------------------------------------------------------------------------------------------------------------- */

/* A watch of what is not a pattern, of none or of more than a frame can hold, ends with the next step. */
statehub_watch *statehub_watch_open(
    statehub *hub, const char *const *patterns, size_t count, unsigned flags, statehub_on_event *on_event, void *context) {
  if (hub->was_forked) leave_parent(hub);
  statehub_watch *watch = NEW(statehub_watch);
  watch->hub = hub;
  watch->patterns = (char **)allocated(calloc(count + 1, sizeof(char *)));
  watch->count = count;
  for (size_t at = 0; at < count; at++) {
    size_t length = strlen(patterns[at]);
    watch->patterns[at] = copy_text(patterns[at], length);
    if (!statehub_is_pattern(patterns[at], length)) watch->failure = STATEHUB_INVALID_PATTERN;
  }
  if (count == 0 || count > UINT16_MAX) watch->failure = STATEHUB_INVALID_PATTERN;
  if (hub->is_closed && watch->failure == 0) watch->failure = STATEHUB_CLOSED;
  watch->is_every = flags & STATEHUB_EVERY;
  watch->on_event = on_event;
  watch->context = context;
  *hub->last_watch = watch;
  hub->last_watch = &watch->next;
  hub->generation++;
  if (watch->failure != 0) hub->has_failed_watches = true;
  else follow(hub, watch);
  if (watch->failure == 0 && is_sending(hub)) ask_watch(hub, watch);
  return watch;
}

void statehub_watch_close(statehub_watch *watch) {
  statehub *hub = watch->hub;
  if (watch->has_ended) return;
  if (hub->was_forked) leave_parent(hub);
  if (is_connected(hub) && watch->number != 0) {
    struct buffer payload = {NULL, 0, 0, 0};
    put_number(&payload, watch->number, 4);
    put_frame(&hub->output, FRAME_UNWATCH, 0, new_number(hub), payload.bytes, payload.end);
    buffer_free(&payload);
  }
  watch_stop(watch);
}

/* ---- Words ------------------------------------------------------------------------------------------------------------------ */

const char *statehub_word(int code) {
  static const struct {
    int code;
    const char *word;
  } words[] = {
      /* made from Sources/HubCore: words */
      {1, "malformed"}, {2, "unknownKind"}, {3, "unsupportedVersion"}, {4, "notSupported"}, {5, "frameTooLarge"},
      {6, "helloExpected"}, {10, "noSuchStore"}, {11, "conflict"}, {12, "invalidName"}, {13, "invalidPattern"},
      {14, "typeMismatch"}, {15, "outOfRange"}, {16, "notAChoice"}, {17, "tooLarge"}, {18, "invalidValue"},
      {19, "overflow"}, {20, "invalidSchema"}, {21, "schemaConflict"}, {22, "declared"}, {23, "undeclared"},
      {24, "reserved"}, {25, "noInitialValue"}, {30, "denied"}, {31, "quota"}, {32, "claimed"}, {33, "unavailable"},
      {34, "unanswered"}, {35, "refused"}, {40, "durabilityUnknown"}, {41, "storageFailed"},
      {45, "invalidConfiguration"}, {46, "reloadFailed"}, {50, "shuttingDown"}, {51, "notReading"}, {100, "noHub"},
      {101, "timeout"}, {102, "outcomeUnknown"}, {103, "connectionLost"}, {104, "protocolViolation"},
      {105, "undecodable"}, {106, "closed"},
      /* end of what is made */
  };
  for (size_t at = 0; at < sizeof words / sizeof *words; at++) {
    if (words[at].code == code) return words[at].word;
  }
  return "unknown";
}
