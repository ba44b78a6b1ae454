/* The adapter of the C client for Tools/conformance; the contract is in Clients/README.md. With an argument, every callback is left,
 * in C by longjmp and in C++ by an exception. */
#include "../statehub.h"
#include "json.h"

#include <inttypes.h>
#include <poll.h>
#include <setjmp.h>
#include <unistd.h>

static statehub *hub;

static bool leaves;

#ifdef __cplusplus
static void leave(void) {
  if (leaves) throw 1;
}
#define COMPLETES(statement) \
  [&]() { \
    try { \
      statement; \
      return true; \
    } catch (int) { \
      return false; \
    } \
  }()
#else
static jmp_buf way_out;
static void leave(void) {
  if (leaves) longjmp(way_out, 1);
}
/* Whether a call returns, and no callback was left. */
#define COMPLETES(statement) (setjmp(way_out) == 0 ? (statement, true) : false)
#endif

struct request {
  long long id;
  const char *kind;
  long long add;
  struct json *instruction;
  char *names;  /* of a list so far, as JSON */
  int64_t sum;
};

/* ---- Reports ---- */

static void print_value(const statehub_value *value) {
  static const char *const names[] = {"", "integer", "double", "boolean", "string", "data", "json"};
  printf("{\"type\":\"%s\",", names[value->type]);
  switch (value->type) {
  case STATEHUB_INTEGER: printf("\"value\":\"%" PRId64 "\"}", value->integer); break;
  case STATEHUB_DOUBLE: printf("\"value\":%.17e}", value->real); break;
  case STATEHUB_BOOLEAN: printf("\"value\":%s}", value->boolean ? "true" : "false"); break;
  case STATEHUB_DATA:
    printf("\"hex\":\"");
    for (size_t at = 0; at < value->length; at++) printf("%02x", (unsigned char)value->bytes[at]);
    printf("\"}");
    break;
  case STATEHUB_STRING: case STATEHUB_JSON:
    printf("\"value\":");
    json_print(value->bytes, value->length);
    printf("}");
    break;
  }
}

static void print_epoch(statehub_epoch epoch) { printf("\"epoch\":\"%016" PRIx64 "%016" PRIx64 "\"", epoch.high, epoch.low); }

static void print_result(const statehub_result *result) {
  static const char *const durabilities[] = {"", "volatile", "relaxed", "synced"};
  printf(
      "{\"revision\":%" PRIu64 ",\"version\":%" PRIu64 ",\"changed\":%s,\"durability\":\"%s\",\"value\":", result->revision,
      result->version, result->changed ? "true" : "false", durabilities[result->durability]);
  if (result->has_value) print_value(&result->value);
  else printf("null");
  printf("}");
}

static void print_error(const struct request *request, const statehub_error *error) {
  printf("{\"id\":%lld,\"error\":\"%s\",\"message\":", request->id, statehub_word(error->code));
  json_print(error->message, strlen(error->message));
  printf(",\"store\":");
  json_print(error->store, strlen(error->store));
  printf(",\"operation\":%u,\"revision\":%" PRIu64 "}\n", error->operation, error->revision);
}

static void answered(void *context, const statehub_reply *reply);

static void report_reply(void *context, const statehub_reply *reply) {
  struct request *request = (struct request *)context;
  if (reply->error != NULL) {
    print_error(request, reply->error);
    return;
  }
  if (strcmp(request->kind, "list") == 0) {
    for (size_t at = 0; at < reply->count; at++) {
      size_t length = strlen(request->names);
      request->names = (char *)realloc(request->names, length + strlen(reply->stores[at].name) + 20);
      sprintf(request->names + length, "%s{\"name\":\"%s\"}", length > 0 ? "," : "", reply->stores[at].name);
    }
    if (reply->more && reply->count > 0) {
      const char *pattern = json_string(request->instruction, "pattern");
      statehub_list(hub, pattern, reply->stores[reply->count - 1].name, answered, request);
      return;
    }
    printf("{\"id\":%lld,\"reply\":{\"stores\":[%s]}}\n", request->id, request->names);
    return;
  }
  printf("{\"id\":%lld,\"reply\":", request->id);
  if (strcmp(request->kind, "update") == 0) {
    statehub_value sum = statehub_integer(request->sum);
    printf("{\"value\":");
    print_value(&sum);
    printf("}");
  } else if (strcmp(request->kind, "transaction") == 0) {
    printf("{\"revision\":%" PRIu64 ",\"results\":[", reply->revision);
    for (size_t at = 0; at < reply->count; at++) {
      if (at > 0) printf(",");
      print_result(&reply->results[at]);
    }
    printf("]}");
  } else if (reply->results != NULL) {
    print_result(reply->results);
  } else if (reply->state != NULL) {
    printf("{\"value\":");
    print_value(&reply->state->value);
    printf(",\"revision\":%" PRIu64 ",\"version\":%" PRIu64 ",", reply->state->revision, reply->state->version);
    print_epoch(reply->epoch);
    printf("}");
  } else {
    printf("{\"revision\":%" PRIu64 "}", reply->revision);
  }
  printf("}\n");
}

static void answered(void *context, const statehub_reply *reply) {
  report_reply(context, reply);
  leave();
}

struct watch {
  char *label;
  statehub_watch *handle;
  struct watch *next;
};

static struct watch *watches;

static void report_event(void *context, const statehub_event *event) {
  static const char *const kinds[] = {"initial", "changed", "removed", "resumed", "synced", "reset"};
  struct watch *watch = (struct watch *)context;
  if (event->kind == STATEHUB_EVENT_ENDED) {
    printf("{\"watch\":\"%s\",\"ended\":\"%s\"}\n", watch->label, statehub_word(event->error->code));
    watch->handle = NULL;
    return;
  }
  printf("{\"watch\":\"%s\",\"event\":\"%s\",\"revision\":%" PRIu64 ",", watch->label, kinds[event->kind], event->revision);
  print_epoch(event->epoch);
  if (event->kind <= STATEHUB_EVENT_REMOVED) {
    printf(",\"name\":\"%s\",\"version\":%" PRIu64 ",\"skipped\":", event->name, event->version);
    if (event->skipped == STATEHUB_UNKNOWN) printf("null");
    else printf("%" PRId64, event->skipped);
  }
  if (event->value != NULL) {
    printf(",\"value\":");
    print_value(event->value);
  }
  if (event->value != NULL) printf(",\"overdue\":%s", event->is_overdue ? "true" : "false");
  printf("}\n");
}

static void shown(void *context, const statehub_event *event) {
  report_event(context, event);
  leave();
}

/* ---- Instructions ---- */

static statehub_value value_of(const struct json *field) {
  const char *type = json_string(field, "type");
  struct json *content = json_field(field, "value");
  if (strcmp(type, "integer") == 0) return statehub_integer(strtoll(content->text, NULL, 10));
  if (strcmp(type, "double") == 0) return statehub_double(strtod(content->text, NULL));
  if (strcmp(type, "boolean") == 0) return statehub_boolean(content->kind == 't');
  if (strcmp(type, "data") == 0) {
    const char *hex = json_string(field, "hex");
    size_t length = strlen(hex) / 2;
    char *bytes = (char *)malloc(length + 1);
    for (size_t at = 0; at < length; at++) {
      char digits[3] = {hex[2 * at], hex[2 * at + 1], 0};
      bytes[at] = (char)strtol(digits, NULL, 16);
    }
    return statehub_bytes(STATEHUB_DATA, bytes, length);
  }
  return statehub_bytes(strcmp(type, "json") == 0 ? STATEHUB_JSON : STATEHUB_STRING, content->text, content->length);
}

static const statehub_value *new_value(const struct json *field) {
  if (field == NULL) return NULL;
  statehub_value *value = (statehub_value *)malloc(sizeof *value);
  *value = value_of(field);
  return value;
}

static const statehub_schema *new_schema(const struct json *field) {
  static const char *const types[] = {"", "integer", "double", "boolean", "string", "data", "json"};
  static const char *const durabilities[] = {"", "volatile", "relaxed", "synced"};
  statehub_schema *schema = (statehub_schema *)calloc(1, sizeof *schema);
  for (int at = 1; at <= 6; at++) {
    if (strcmp(types[at], json_string(field, "type")) == 0) schema->type = (statehub_type)at;
  }
  schema->minimum = new_value(json_field(field, "minimum"));
  schema->maximum = new_value(json_field(field, "maximum"));
  schema->initial = new_value(json_field(field, "initial"));
  struct json *choices = json_field(field, "choices");
  if (choices != NULL) {
    statehub_value *list = (statehub_value *)calloc(64, sizeof *list);
    for (struct json *choice = choices->first; choice != NULL; choice = choice->next) {
      list[schema->choice_count++] = value_of(choice);
    }
    schema->choices = list;
  }
  if (json_field(field, "maxBytes") != NULL) schema->max_bytes = (uint32_t)atoi(json_string(field, "maxBytes"));
  for (int at = 1; at <= 3; at++) {
    const char *durability = json_string(field, "durability");
    if (durability != NULL && strcmp(durabilities[at], durability) == 0) schema->durability = at;
  }
  schema->description = json_string(field, "description");
  return schema;
}

static statehub_epoch epoch_of(const char *digits) {
  char high[17] = {0};
  memcpy(high, digits, 16);
  statehub_epoch epoch;
  epoch.high = strtoull(high, NULL, 16);
  epoch.low = strtoull(digits + 16, NULL, 16);
  return epoch;
}

static statehub_write write_of(const struct json *field) {
  static const char *const kinds[] = {"set", "add", "toggle", "reset", "remove", "create"};
  statehub_write write;
  memset(&write, 0, sizeof write);
  for (int at = 0; at < 6; at++) {
    if (strcmp(kinds[at], json_string(field, "request")) == 0) write.kind = (statehub_write_kind)(STATEHUB_WRITE_SET + at);
  }
  write.store = json_string(field, "store");
  if (json_field(field, "value") != NULL) write.value = value_of(json_field(field, "value"));
  if (json_field(field, "delta") != NULL) write.value = value_of(json_field(field, "delta"));
  write.has_revision = json_field(field, "ifRevision") != NULL;
  if (write.has_revision) write.if_revision = strtoull(json_string(field, "ifRevision"), NULL, 10);
  if (json_field(field, "ifEpoch") != NULL) {
    statehub_epoch *epoch = (statehub_epoch *)malloc(sizeof *epoch);
    *epoch = epoch_of(json_string(field, "ifEpoch"));
    write.if_epoch = epoch;
  }
  write.if_value = new_value(json_field(field, "ifValue"));
  write.if_absent = json_flag(field, "ifAbsent");
  write.force = json_flag(field, "force");
  write.clamp = json_flag(field, "clamp");
  write.ephemeral = json_flag(field, "ephemeral");
  if (json_field(field, "ttl") != NULL) write.ttl = strtoull(json_string(field, "ttl"), NULL, 10);
  if (json_field(field, "schema") != NULL) write.schema = new_schema(json_field(field, "schema"));
  return write;
}

static bool change(void *context, const statehub_value *now, statehub_value *next) {
  struct request *request = (struct request *)context;
  const char *initial = json_string(request->instruction, "default");
  if (now == NULL && initial == NULL) return false;
  request->sum = (now != NULL ? now->integer : strtoll(initial, NULL, 10)) + request->add;
  *next = statehub_integer(request->sum);
  return true;
}

static void do_request(struct json *field) {
  struct request *request = (struct request *)calloc(1, sizeof *request);
  const char *kind = request->kind = json_string(field, "request"), *store = json_string(field, "store");
  request->id = strtoll(json_string(field, "id"), NULL, 10);
  request->instruction = field;
  request->names = (char *)calloc(1, 1);
  if (hub == NULL) {
    printf("{\"id\":%lld,\"error\":\"closed\",\"message\":\"\",\"store\":\"\",\"operation\":0,\"revision\":0}\n", request->id);
  } else if (strcmp(kind, "ping") == 0) {
    statehub_ping(hub, answered, request);
  } else if (strcmp(kind, "restrict") == 0) {
    statehub_restriction to = strcmp(json_string(field, "to"), "reading") == 0 ? STATEHUB_READING : STATEHUB_NOTHING;
    statehub_restrict(hub, to, answered, request);
  } else if (strcmp(kind, "stats") == 0) {
    statehub_stats(hub, answered, request);
  } else if (strcmp(kind, "get") == 0) {
    statehub_get(hub, store, answered, request);
  } else if (strcmp(kind, "describe") == 0) {
    statehub_describe(hub, store, answered, request);
  } else if (strcmp(kind, "list") == 0) {
    statehub_list(hub, json_string(field, "pattern"), "", answered, request);
  } else if (strcmp(kind, "update") == 0) {
    request->add = strtoll(json_string(field, "add"), NULL, 10);
    statehub_update(hub, store, change, answered, request);
  } else if (strcmp(kind, "transaction") == 0) {
    statehub_write writes[64];
    size_t count = 0;
    for (struct json *each = json_field(field, "operations")->first; each != NULL; each = each->next) {
      writes[count++] = write_of(each);
    }
    statehub_transaction(hub, writes, count, answered, request);
  } else {
    statehub_write write = write_of(field);
    statehub_write_one(hub, &write, answered, request);
  }
}

static void do_watch(struct json *field) {
  const char *patterns[64];
  size_t count = 0;
  for (struct json *each = json_field(field, "patterns")->first; each != NULL; each = each->next) {
    patterns[count++] = each->text;
  }
  struct watch *watch = (struct watch *)calloc(1, sizeof *watch);
  watch->label = json_field(field, "watch")->text;
  watch->next = watches;
  watches = watch;
  watch->handle = statehub_watch_open(hub, patterns, count, json_flag(field, "every") ? STATEHUB_EVERY : 0, shown, watch);
}

static void set_filter(const struct json *field) {
  statehub_filter filter;
  memset(&filter, 0, sizeof filter);
  struct json *condition = json_field(field, "condition");
  statehub_value operands[16];
  if (json_field(field, "milliseconds") != NULL) filter.milliseconds = (uint32_t)atoi(json_string(field, "milliseconds"));
  if (json_field(field, "deadline") != NULL) filter.deadline = (uint32_t)atoi(json_string(field, "deadline"));
  filter.is_percent = json_field(field, "percent") != NULL;
  const char *deadband = filter.is_percent ? "percent" : "deadband";
  if (json_field(field, deadband) != NULL) filter.deadband = strtod(json_string(field, deadband), NULL);
  if (condition != NULL) {
    filter.when = (statehub_comparison)atoi(json_string(condition, "comparison"));
    filter.operands = operands;
    for (struct json *each = json_field(condition, "operands")->first; each != NULL; each = each->next) {
      operands[filter.operand_count++] = value_of(each);
    }
  }
  statehub_set_filter(hub, &filter);
}

static void close_hub(void) {
  while (!COMPLETES(statehub_close(hub))) {}
  hub = NULL;
}

static void instruct(const char *line) {
  struct json *field;
  json_read(line, &field);
  const char *what = json_string(field, "do");
  if (strcmp(what, "open") == 0) {
    close_hub();
    hub = statehub_open(json_string(field, "path"), json_string(field, "name"));
    statehub_set_timeout(hub, (int)(strtod(json_string(field, "timeout"), NULL) * 1000));
    if (json_field(field, "filter") != NULL) set_filter(json_field(field, "filter"));
  } else if (strcmp(what, "request") == 0) {
    do_request(field);
  } else if (strcmp(what, "watch") == 0) {
    do_watch(field);
  } else if (strcmp(what, "unwatch") == 0) {
    for (struct watch *watch = watches; watch != NULL; watch = watch->next) {
      if (strcmp(watch->label, json_string(field, "watch")) != 0 || watch->handle == NULL) continue;
      statehub_watch_close(watch->handle);
      watch->handle = NULL;
      break;
    }
  } else if (strcmp(what, "close") == 0) {
    close_hub();
  }
}

int main(int count, char **words) {
  (void)words;
  leaves = count > 1;
  static char *input;
  static size_t length, capacity;
  for (;;) {
    struct pollfd entries[2] = {{STDIN_FILENO, POLLIN, 0}, {-1, 0, 0}};
    if (hub != NULL) {
      entries[1].fd = statehub_fd(hub);
      entries[1].events = statehub_poll_events(hub);
    }
    fflush(stdout);
    poll(entries, 2, hub != NULL ? statehub_poll_timeout(hub) : -1);
    if (entries[0].revents != 0) {
      if (capacity - length < 65537) input = (char *)realloc(input, capacity = 2 * capacity + 65537);
      ssize_t taken = read(STDIN_FILENO, input + length, 65536);
      if (taken <= 0) break;
      length += (size_t)taken;
      input[length] = '\0';
      char *end;
      while ((end = (char *)memchr(input, '\n', length)) != NULL) {
        *end = '\0';
        instruct(input);
        length -= (size_t)(end + 1 - input);
        memmove(input, end + 1, length + 1);
      }
    }
    if (hub != NULL && !COMPLETES(statehub_step(hub))) continue;
  }
  close_hub();
  return 0;
}
