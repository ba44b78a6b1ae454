/* What a program sees of a hub that the test plays, with the frames, cuts and silences that a real one shows rarely. */
#if !defined(_GNU_SOURCE)
#define _GNU_SOURCE
#endif
#include "played.h"

#include <sys/wait.h>

/* A busy machine may take many seconds. */
enum { FOREVER = 600000 };

static statehub *open_hub(const struct played *played) {
  statehub *hub = statehub_open(played->path, "played");
  statehub_set_timeout(hub, FOREVER);
  return hub;
}

/* A store's current value, which is given with its type and length. */
static void add_current(
    struct frames *frames, uint64_t store, const char *name, uint64_t revision, const struct frames *value) {
  struct frames payload = {{0}, 0};
  add_state(&payload, store, revision);
  add_number(&payload, strlen(name), 1);
  memcpy(payload.bytes + payload.length, name, strlen(name));
  payload.length += strlen(name);
  memcpy(payload.bytes + payload.length, value->bytes, value->length);
  payload.length += value->length;
  add_frame(frames, CURRENT, 0, &payload);
}

/* An answer to a watch: the store "a.x" of number 1 has a value, and the view is complete at revision 10. */
static void answer_watch(struct played *played, uint32_t number, const struct frames *value) {
  struct frames frames = {{0}, 0};
  add_revision(&frames, WATCHING, number, 10);
  add_current(&frames, 1, "a.x", 5, value);
  add_revision(&frames, SYNCED, 0, 10);
  played_send(played, &frames);
}

/* ---- A fork in a callback ---- */

struct course {
  statehub *hub;
  pid_t child;
  int values, synced, ended;
};

static void forked(void *context, const statehub_event *event) {
  struct course *course = (struct course *)context;
  if (event->kind == STATEHUB_EVENT_SYNCED) course->synced++;
  if (event->kind == STATEHUB_EVENT_ENDED) course->ended++;
  if (event->value == NULL || course->values++ > 0) return;
  course->child = fork();
  if (course->child == 0) statehub_get(course->hub, "a.x", NULL, NULL);
}

static void forked_at_end(void *context, const statehub_event *event) {
  struct course *course = (struct course *)context;
  CHECK(event->kind == STATEHUB_EVENT_ENDED);
  course->ended++;
  course->child = fork();
  if (course->child == 0) statehub_get(course->hub, "a.x", NULL, NULL);
}

/* The child's request empties the input that the parent was reading. What the bytes of the value say is not read as frames:
 * here one that ends a little behind the buffer, in which a sanitizer finds the next one. */
static void a_fork_in_a_callback_ends_the_input(void) {
  struct played played;
  played_begin(&played);
  struct course course = {open_hub(&played), -1, 0, 0, 0};
  const char *pattern = "a.*";
  uint32_t number;
  statehub_watch_open(course.hub, &pattern, 1, 0, forked, &course);
  CHECK(played_next(&played, course.hub, &number) == WATCH);
  enum { BUFFER = 1 << 16, WATCHED = 20, FRAME = 12 + 36 + 4 + 5 + WATCHED };
  struct frames value = {{0}, 0};
  add_number(&value, STATEHUB_DATA, 1);
  add_number(&value, WATCHED, 4);
  add_number(&value, BUFFER + 8 - 12 - FRAME, 4);
  add_number(&value, SYNCED, 8);
  add_number(&value, 0, 8);
  answer_watch(&played, number, &value);
  while (course.child < 0) statehub_wait(course.hub, -1);
  if (course.child == 0) {
    /* It connects at once, and reads nothing that was the parent's. */
    statehub_step(course.hub);
    _exit(course.synced == 0 && course.ended == 1 && statehub_fd(course.hub) >= 0 ? 0 : 1);
  }
  int status = -1;
  CHECK(waitpid(course.child, &status, 0) == course.child && status == 0);
  while (course.synced == 0) statehub_wait(course.hub, -1);
  CHECK(course.values == 1 && course.ended == 0);
  statehub_close(course.hub);
  played_end(&played);
}

/* The watches before one whose callback forks end in the child, too. */
static void a_fork_where_a_watch_ends_ends_all_others(void) {
  struct played played;
  played_begin(&played);
  struct course first = {open_hub(&played), -1, 0, 0, 0}, second = {first.hub, -1, 0, 0, 0};
  const char *patterns[] = {"a.*", "no pattern"};
  statehub_watch_open(first.hub, &patterns[0], 1, 0, forked, &first);
  statehub_watch_open(first.hub, &patterns[1], 1, 0, forked_at_end, &second);
  statehub_step(first.hub);
  if (second.child == 0) {
    statehub_step(first.hub);
    _exit(first.ended == 1 && second.ended == 1 ? 0 : 1);
  }
  int status = -1;
  CHECK(waitpid(second.child, &status, 0) == second.child && status == 0);
  CHECK(first.ended == 0 && second.ended == 1);
  statehub_close(first.hub);
  played_end(&played);
}

/* ---- Conditions ---- */

static const statehub_epoch SOME_EPOCH = {7, 7};
static statehub_value zero;

enum condition { REVISION, REVISION_ZERO, EPOCH_ALONE, VALUE, ABSENT, CONDITIONS };

static statehub_write write_under(statehub_write_kind kind, enum condition condition) {
  static statehub_schema schema;
  schema.type = STATEHUB_INTEGER;
  statehub_write write;
  memset(&write, 0, sizeof write);
  write.kind = kind;
  write.store = "a.x";
  write.value = statehub_integer(1);
  if (kind == STATEHUB_WRITE_CREATE) write.schema = &schema;
  write.has_revision = condition == REVISION || condition == REVISION_ZERO;
  write.if_revision = condition == REVISION ? 5 : 0;
  write.if_epoch = condition == EPOCH_ALONE || condition == REVISION ? &SOME_EPOCH : NULL;
  write.if_value = condition == VALUE ? &zero : NULL;
  write.if_absent = condition == ABSENT;
  return write;
}

static bool has_condition(statehub_write_kind kind, enum condition condition) {
  bool is_set = kind == STATEHUB_WRITE_SET;
  switch (condition) {
  case REVISION: case REVISION_ZERO: return is_set || kind == STATEHUB_WRITE_REMOVE;
  case VALUE: return is_set;
  case ABSENT: return is_set || kind == STATEHUB_WRITE_CREATE;
  default: return false;
  }
}

static void note_code(void *context, const statehub_reply *reply) {
  *(int *)context = reply->error != NULL ? reply->error->code : 0;
}

/* Nothing is sent of a write with a condition that it would be carried out without. */
static void a_condition_that_a_write_does_not_have_is_refused(void) {
  struct played played;
  played_begin(&played);
  statehub *hub = open_hub(&played);
  for (int kind = STATEHUB_WRITE_SET; kind <= STATEHUB_WRITE_CREATE; kind++) {
    for (int condition = 0; condition < CONDITIONS; condition++) {
      if (has_condition((statehub_write_kind)kind, (enum condition)condition)) continue;
      statehub_write writes[2];
      writes[0] = write_under(STATEHUB_WRITE_SET, REVISION);
      writes[1] = write_under((statehub_write_kind)kind, (enum condition)condition);
      int codes[2] = {-1, -1};
      statehub_write_one(hub, &writes[1], note_code, &codes[0]);
      statehub_transaction(hub, writes, 2, note_code, &codes[1]);
      statehub_step(hub);
      CHECK(codes[0] == STATEHUB_INVALID_VALUE && codes[1] == STATEHUB_INVALID_VALUE);
    }
  }
  uint32_t number;
  statehub_ping(hub, NULL, NULL);
  CHECK(played_next(&played, hub, &number) == PING);
  statehub_close(hub);
  played_end(&played);
}

/* The connection is cut when a write has arrived: whether it then arrives again. */
static bool repeats(const statehub_write *writes, size_t count) {
  struct played played;
  played_begin(&played);
  statehub *hub = open_hub(&played);
  int code = -1;
  uint32_t number;
  if (count == 1) statehub_write_one(hub, writes, note_code, &code);
  else statehub_transaction(hub, writes, count, note_code, &code);
  unsigned kind = count == 1 ? (unsigned)writes->kind : (unsigned)TRANSACTION;
  CHECK(played_next(&played, hub, &number) == kind);
  statehub_ping(hub, NULL, NULL);
  CHECK(played_next(&played, hub, &number) == PING);
  played_cut(&played);
  unsigned first = played_next(&played, hub, &number);
  CHECK(first == kind ? code == -1 : first == PING && code == STATEHUB_OUTCOME_UNKNOWN);
  statehub_close(hub);
  played_end(&played);
  return first == kind;
}

/* Any other condition may hold again after the first attempt. */
static void only_writes_under_a_revision_are_repeated(void) {
  for (int kind = STATEHUB_WRITE_SET; kind <= STATEHUB_WRITE_CREATE; kind++) {
    for (int condition = 0; condition < CONDITIONS; condition++) {
      if (!has_condition((statehub_write_kind)kind, (enum condition)condition)) continue;
      statehub_write writes[2];
      writes[0] = write_under(STATEHUB_WRITE_SET, REVISION);
      writes[1] = write_under((statehub_write_kind)kind, (enum condition)condition);
      CHECK(repeats(&writes[1], 1) == (condition == REVISION));
      CHECK(repeats(writes, 2) == (condition == REVISION));
    }
  }
}

/* ---- Replies that are held back ---- */

struct writing {
  struct played played;
  statehub *hub;
  int code, events;
  int shown;  /* how many events were shown before the reply */
};

static void count_event(void *context, const statehub_event *event) {
  if (event->kind != STATEHUB_EVENT_ENDED) ((struct writing *)context)->events++;
}

static void note_written(void *context, const statehub_reply *reply) {
  struct writing *writing = (struct writing *)context;
  writing->code = reply->error != NULL ? reply->error->code : 0;
  writing->shown = writing->events;
}

static const struct frames TRUTH = {{STATEHUB_BOOLEAN, 1, 0, 0, 0, 1}, 6};

/* A watch of "a.*" that shows "a.x", and a write of a store that the hub has carried out as revision 11. */
static void write_begin(struct writing *writing, const statehub_filter *filter, const char *name, uint64_t store) {
  static const char *const pattern = "a.*";
  uint32_t number;
  played_begin(&writing->played);
  writing->hub = open_hub(&writing->played);
  writing->code = -1;
  writing->events = 0;
  if (filter != NULL) CHECK(statehub_set_filter(writing->hub, filter));
  statehub_watch_open(writing->hub, &pattern, 1, 0, count_event, writing);
  CHECK(played_next(&writing->played, writing->hub, &number) == WATCH);
  answer_watch(&writing->played, number, &TRUTH);
  while (writing->events < 2) statehub_wait(writing->hub, -1);
  statehub_set(writing->hub, name, statehub_boolean(false), note_written, writing);
  CHECK(played_next(&writing->played, writing->hub, &number) == SET && writing->code == -1);
  struct frames frames = {{0}, 0}, payload = {{0}, 0};
  add_number(&payload, store, 8);
  add_number(&payload, 11, 8);
  add_number(&payload, 11, 8);
  add_number(&payload, STATEHUB_VOLATILE, 1);
  add_frame(&frames, WRITTEN, number, &payload);
  played_send(&writing->played, &frames);
}

static void write_end(struct writing *writing) {
  while (writing->code == -1) statehub_wait(writing->hub, -1);
  CHECK(writing->code == 0);
  statehub_close(writing->hub);
  played_end(&writing->played);
}

/* The hub may leave out the change. */
static void behind_a_filter_no_reply_is_held(void) {
  static const statehub_filter filters[3] = {
      {0, 10, false, STATEHUB_WHENEVER, NULL, 0, 0}, {60000, 0, false, STATEHUB_WHENEVER, NULL, 0, 0}, {0, 0, false, STATEHUB_WHEN_PRESENT, NULL, 0, 0}};
  struct writing writing;
  for (int at = 0; at < 3; at++) {
    write_begin(&writing, &filters[at], "a.x", 1);
    write_end(&writing);
  }
}

/* It may be one that the program may write and not read. */
static void a_store_that_is_not_shown_does_not_hold_its_reply_for_long(void) {
  struct writing writing;
  write_begin(&writing, NULL, "a.hidden", 2);
  write_end(&writing);
  CHECK(writing.shown == 2);
}

/* What the program has not read while it did something else counts. */
static void a_new_store_is_shown_before_the_reply(void) {
  struct writing writing;
  write_begin(&writing, NULL, "a.new", 2);
  do statehub_wait(writing.hub, -1);
  while (statehub_poll_timeout(writing.hub) > 50);
  struct frames frames = {{0}, 0};
  add_current(&frames, 2, "a.new", 11, &TRUTH);
  played_send(&writing.played, &frames);
  usleep(100000);
  write_end(&writing);
  CHECK(writing.shown == 3);
}

static void a_store_that_is_shown_holds_its_reply_until_its_event(void) {
  struct writing writing;
  write_begin(&writing, NULL, "a.x", 1);
  for (int at = 0; at < 10; at++) statehub_wait(writing.hub, 10);
  CHECK(writing.code == -1);
  struct frames frames = {{0}, 0};
  add_current(&frames, 1, "a.x", 11, &TRUTH);
  played_send(&writing.played, &frames);
  write_end(&writing);
  CHECK(writing.shown == 3);
}

/* ---- Watches that are too long ---- */

static void note_end(void *context, const statehub_event *event) {
  if (event->kind == STATEHUB_EVENT_ENDED) *(int *)context = event->error->code;
}

static statehub_watch *open_long(statehub *hub, int *code) {
  enum { NAMES = 400 };
  static char names[NAMES][206];
  static const char *patterns[NAMES];
  for (int at = 0; at < NAMES; at++) {
    memset(names[at], 'a', 205);
    names[at][0] = (char)('a' + at % 26);
    patterns[at] = names[at];
  }
  return statehub_watch_open(hub, patterns, NAMES, 0, note_end, code);
}

/* As the hub would close the connection. What else was asked for arrives, in its order. */
static void a_watch_that_the_hub_does_not_take_is_not_sent(void) {
  struct played played;
  for (uint32_t longest = 1 << 16; longest <= 1 << 17; longest *= 2) {
    for (int is_known = 0; is_known < 2; is_known++) {
      played_begin(&played);
      played.longest = longest;
      statehub *hub = open_hub(&played);
      uint32_t number;
      int code = 0;
      statehub_ping(hub, NULL, NULL);
      if (is_known) {
        CHECK(played_next(&played, hub, &number) == PING);
        struct frames frames = {{0}, 0};
        add_revision(&frames, PONG, number, 10);
        played_send(&played, &frames);
        /* The welcome came before. */
        CHECK(statehub_finish(hub, number) == 0);
      } else {
        statehub_step(hub);
      }
      open_long(hub, &code);
      statehub_set(hub, "a.x", zero, NULL, NULL);
      if (!is_known) CHECK(played_next(&played, hub, &number) == PING);
      if (longest == 1 << 17) CHECK(played_next(&played, hub, &number) == WATCH);
      CHECK(played_next(&played, hub, &number) == SET);
      statehub_ping(hub, NULL, NULL);
      CHECK(played_next(&played, hub, &number) == PING);
      CHECK(code == (longest == 1 << 16 ? STATEHUB_FRAME_TOO_LARGE : 0));
      statehub_close(hub);
      played_end(&played);
    }
  }
}

int main(void) {
  /* What waits for ever fails. */
  alarm(300);
  zero = statehub_integer(0);
  a_fork_in_a_callback_ends_the_input();
  a_fork_where_a_watch_ends_ends_all_others();
  a_condition_that_a_write_does_not_have_is_refused();
  only_writes_under_a_revision_are_repeated();
  behind_a_filter_no_reply_is_held();
  a_store_that_is_not_shown_does_not_hold_its_reply_for_long();
  a_new_store_is_shown_before_the_reply();
  a_store_that_is_shown_holds_its_reply_until_its_event();
  a_watch_that_the_hub_does_not_take_is_not_sent();
  puts("played");
  return 0;
}
