/* Where a program uses its hub: callbacks that are left, or close it; what cannot be sent; children of a fork; many watches. Needs a hub at
 * $STATEHUB_SOCKET. Compiled as C callbacks are left by longjmp, as C++ by an exception. */
#include "../statehub.h"
#include "check.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#ifdef __cplusplus
#define LEAVE() throw 1
#define CAUGHT(statement) \
  try { \
    statement; \
  } catch (int) { \
    times_left++; \
  }
#else
static jmp_buf way_out;
#define LEAVE() longjmp(way_out, 1)
#define CAUGHT(statement) \
  do { \
    if (setjmp(way_out) == 0) { \
      statement; \
    } else { \
      times_left++; \
    } \
  } while (0)
#endif

static int times_left;

/* A busy machine may take many seconds to answer. */
static statehub *open_hub(const char *name) {
  statehub *hub = statehub_open(NULL, name);
  statehub_set_timeout(hub, 600000);
  return hub;
}

static int finished(statehub *hub, uint32_t request) {
  int outcome = statehub_finish(hub, request);
  CHECK(outcome != STATEHUB_UNKNOWN);
  return outcome;
}

/* ---- Callbacks that are left ---- */

struct course {
  int64_t sum, last;
  int events, ended;
  bool leaves;
};

static void shown(void *context, const statehub_event *event) {
  struct course *course = (struct course *)context;
  course->events++;
  if (event->kind == STATEHUB_EVENT_ENDED) course->ended++;
  if (event->value != NULL) {
    course->sum += 1 + event->skipped;
    course->last = event->value->integer;
  }
  if (course->leaves) LEAVE();
}

static void answered(void *context, const statehub_reply *reply) {
  int *code = (int *)context;
  *code = reply->error != NULL ? reply->error->code : 0;
  LEAVE();
}

struct changing {
  int code, changes;
};

static bool left_change(void *context, const statehub_value *now, statehub_value *next) {
  (void)now;
  (void)next;
  ((struct changing *)context)->changes++;
  LEAVE();
  return true;
}

static bool plain_change(void *context, const statehub_value *now, statehub_value *next) {
  ((struct changing *)context)->changes++;
  *next = statehub_integer(now->integer + 1);
  return true;
}

static void changed(void *context, const statehub_reply *reply) {
  ((struct changing *)context)->code = reply->error != NULL ? reply->error->code : 0;
  LEAVE();
}

/* Every watch gets every event once, and every request its answer, whatever callbacks do. */
static void callbacks_that_are_left(void) {
  statehub *hub = open_hub("left");
  struct course courses[3] = {{0, -1, 0, 0, true}, {0, -1, 0, 0, false}, {0, -1, 0, 0, true}};
  const char *name = "left";
  CHECK(finished(hub, statehub_set(hub, name, statehub_integer(0), NULL, NULL)) == 0);
  for (int at = 0; at < 3; at++) statehub_watch_open(hub, &name, 1, STATEHUB_EVERY, shown, &courses[at]);
  while (courses[0].events < 2 || courses[1].events < 2 || courses[2].events < 2) CAUGHT(statehub_wait(hub, -1));
  CHECK(courses[0].events == 2 && courses[1].events == 2 && courses[2].events == 2);
  int codes[20];
  for (int at = 0; at < 20; at++) {
    codes[at] = -1;
    statehub_set(hub, name, statehub_integer(at + 1), answered, &codes[at]);
  }
  while (codes[19] == -1 || courses[0].last < 20 || courses[2].last < 20) CAUGHT(statehub_wait(hub, -1));
  for (int at = 0; at < 20; at++) CHECK(codes[at] == 0);
  for (int at = 0; at < 3; at++) {
    CHECK(courses[at].last == 20 && courses[at].sum == courses[1].sum && courses[at].ended == 0);
  }
  CHECK(times_left >= 60);
  /* What fails at once, and what closing ends. */
  int code = -1;
  statehub_get(hub, "no name", answered, &code);
  while (code == -1) CAUGHT(statehub_step(hub));
  CHECK(code == STATEHUB_INVALID_NAME);
  struct changing changing = {-1, 0}, plain = {-1, 0};
  statehub_update(hub, name, left_change, changed, &changing);
  statehub_update(hub, name, plain_change, changed, &plain);
  while (changing.code == -1 || plain.code == -1) CAUGHT(statehub_wait(hub, -1));
  CHECK(changing.changes == 1 && changing.code == STATEHUB_CLOSED && plain.changes == 1 && plain.code == 0);
  while (courses[0].last < 21 || courses[2].last < 21) CAUGHT(statehub_wait(hub, -1));
  CHECK(finished(hub, statehub_ping(hub, NULL, NULL)) == 0);
  for (int at = 0; at < 3; at++) courses[at].leaves = false;
  statehub_close(hub);
  for (int at = 0; at < 3; at++) CHECK(courses[at].ended == 1);
}

/* ---- Callbacks that close ---- */

struct closing {
  statehub *hub;
  int ended, answers;
};

static void ended(void *context, const statehub_event *event) {
  struct closing *closing = (struct closing *)context;
  if (event->kind == STATEHUB_EVENT_ENDED) closing->ended++;
  else statehub_close(closing->hub);
}

static void closed(void *context, const statehub_reply *reply) {
  struct closing *closing = (struct closing *)context;
  closing->answers++;
  CHECK(closing->answers == 1 || reply->error->code == STATEHUB_CLOSED);
  statehub_close(closing->hub);
  /* In a callback these do nothing. */
  statehub_step(closing->hub);
  statehub_wait(closing->hub, -1);
  CHECK(statehub_finish(closing->hub, statehub_ping(closing->hub, NULL, NULL)) == STATEHUB_UNKNOWN);
}

static void callbacks_that_close(void) {
  struct closing closing = {open_hub("closing"), 0, 0};
  const char *pattern = "**";
  statehub_ping(closing.hub, closed, &closing);
  uint32_t second = statehub_ping(closing.hub, closed, &closing);
  statehub_watch_open(closing.hub, &pattern, 1, 0, ended, &closing);
  statehub_finish(closing.hub, second);
  CHECK(closing.ended == 1 && closing.answers == 2);
  struct closing watching = {open_hub("closing"), 0, 0};
  statehub_watch_open(watching.hub, &pattern, 1, 0, ended, &watching);
  statehub_watch_open(watching.hub, &pattern, 1, 0, ended, &watching);
  while (watching.ended < 2) statehub_wait(watching.hub, -1);
}

/* ---- What cannot be sent ---- */

static int written(statehub *hub, const statehub_write *write) {
  return finished(hub, statehub_write_one(hub, write, NULL, NULL));
}

/* What no frame can hold fails, and the connection stays. */
static void what_cannot_be_sent(void) {
  enum { MANY = 65536 };
  static statehub_value choices[MANY];
  static const char *patterns[MANY];
  static char description[MANY + 1];
  statehub *hub = open_hub("refused");
  struct course course = {0, 0, 0, 0, false};
  const char *name = "refused";
  statehub_watch_open(hub, &name, 1, 0, shown, &course);
  while (course.events < 1) statehub_wait(hub, -1);
  statehub_value none = statehub_integer(1), infinite = statehub_double(1e308 * 10);
  none.type = (statehub_type)0;
  statehub_schema schema;
  memset(&schema, 0, sizeof schema);
  statehub_write write;
  memset(&write, 0, sizeof write);
  write.store = name;
  write.value = statehub_integer(1);
  for (int kind = 0; kind < 4; kind++) {
    write.kind = (statehub_write_kind)kind;
    CHECK(written(hub, &write) == STATEHUB_INVALID_VALUE);
  }
  write.kind = STATEHUB_WRITE_SET;
  write.if_value = &none;
  CHECK(written(hub, &write) == STATEHUB_INVALID_VALUE);
  write.if_value = &infinite;
  CHECK(written(hub, &write) == STATEHUB_INVALID_VALUE);
  write.if_value = NULL;
  write.kind = STATEHUB_WRITE_CREATE;
  CHECK(written(hub, &write) == STATEHUB_INVALID_SCHEMA);
  write.schema = &schema;
  CHECK(written(hub, &write) == STATEHUB_INVALID_SCHEMA);
  schema.type = STATEHUB_INTEGER;
  schema.maximum = &infinite;
  CHECK(written(hub, &write) == STATEHUB_INVALID_SCHEMA);
  schema.maximum = NULL;
  for (int at = 0; at < MANY; at++) choices[at] = statehub_integer(at);
  schema.choices = choices;
  schema.choice_count = MANY;
  CHECK(written(hub, &write) == STATEHUB_INVALID_SCHEMA);
  schema.choice_count = 0;
  schema.description = (const char *)memset(description, 'x', MANY);
  CHECK(written(hub, &write) == STATEHUB_INVALID_SCHEMA);
  struct course many = {0, 0, 0, 0, false};
  for (int at = 0; at < MANY; at++) patterns[at] = name;
  statehub_watch_open(hub, patterns, MANY, 0, shown, &many);
  while (many.ended == 0) statehub_wait(hub, -1);
  CHECK(many.events == 1);
  CHECK(finished(hub, statehub_ping(hub, NULL, NULL)) == 0);
  CHECK(course.events == 1 && course.ended == 0);
  statehub_close(hub);
}

/* ---- What finish says ---- */

static void outcomes(void) {
  statehub *hub = open_hub("outcomes");
  CHECK(statehub_finish(hub, statehub_get(hub, "no.such.store", NULL, NULL)) == STATEHUB_NO_SUCH_STORE);
  CHECK(statehub_finish(hub, statehub_get(hub, "no name", NULL, NULL)) == STATEHUB_INVALID_NAME);
  uint32_t request = statehub_ping(hub, NULL, NULL);
  CHECK(statehub_finish(hub, request) == 0);
  CHECK(statehub_finish(hub, request) == STATEHUB_UNKNOWN);
  statehub_close(hub);
}

/* ---- Forks ---- */

static void note_code(void *context, const statehub_reply *reply) {
  *(int *)context = reply->error != NULL ? reply->error->code : 0;
}

static void note_value(void *context, const statehub_reply *reply) {
  *(int64_t *)context = reply->error != NULL ? -1 : reply->state->value.integer;
}

static int in_child(statehub *hub, struct course *course) {
  int64_t value = -1;
  /* The parent's watch ends here, and the parent's request fails. */
  if (finished(hub, statehub_get(hub, "forked", note_value, &value)) != 0 || value != 5) return 1;
  if (course->ended != 1) return 2;
  int code = finished(hub, statehub_add(hub, "forked.sum", statehub_integer(1), NULL, NULL));
  statehub_close(hub);
  return code;
}

static void forks(void) {
  statehub *hub = open_hub("parent");
  struct course course = {0, 0, 0, 0, false}, removed = {0, 0, 0, 0, false};
  const char *name = "forked", *here = "forked.here";
  CHECK(finished(hub, statehub_set(hub, name, statehub_integer(5), NULL, NULL)) == 0);
  CHECK(finished(hub, statehub_set(hub, "forked.sum", statehub_integer(0), NULL, NULL)) == 0);
  statehub_watch_open(hub, &name, 1, 0, shown, &course);
  while (course.events < 2) statehub_wait(hub, -1);
  int code = -1;
  uint32_t request = statehub_get(hub, name, note_code, &code);
  pid_t children[8];
  for (int at = 0; at < 8; at++) {
    children[at] = fork();
    if (children[at] == 0) {
      code = -1;
      int problem = in_child(hub, &course);
      _exit(problem != 0 ? problem : code == STATEHUB_CLOSED ? 0 : 3);
    }
  }
  CHECK(finished(hub, request) == 0 && code == 0);
  for (int at = 0; at < 8; at++) {
    int status = -1;
    CHECK(waitpid(children[at], &status, 0) == children[at] && status == 0);
  }
  int64_t sum = -1;
  CHECK(finished(hub, statehub_get(hub, "forked.sum", note_value, &sum)) == 0 && sum == 8);
  CHECK(course.ended == 0);
  /* An ephemeral value ends with its parent, although a child lives that has inherited the connection. */
  statehub_watch_open(hub, &here, 1, STATEHUB_EVERY, shown, &removed);
  while (removed.events < 1) statehub_wait(hub, -1);
  int ends[2];
  CHECK(pipe(ends) == 0);
  pid_t parent = fork();
  if (parent == 0) {
    statehub *own = open_hub("owner");
    statehub_write write;
    memset(&write, 0, sizeof write);
    write.kind = STATEHUB_WRITE_SET;
    write.store = here;
    write.value = statehub_integer(1);
    write.ephemeral = true;
    finished(own, statehub_write_one(own, &write, NULL, NULL));
    close(ends[1]);
    char byte;
    if (fork() == 0) _exit((int)read(ends[0], &byte, 1));
    _exit(0);
  }
  CHECK(waitpid(parent, NULL, 0) == parent);
  int64_t now = -1;
  while (finished(hub, statehub_get(hub, here, note_value, &now)) != STATEHUB_NO_SUCH_STORE) {}
  close(ends[0]);
  close(ends[1]);
  statehub_close(hub);
}

/* ---- Many watches ---- */

static double seconds(clock_t began) { return (double)(clock() - began) / CLOCKS_PER_SEC; }

enum { MOST = 4000, REQUESTS = 300 };

/* The stores that are watched. */
static void make_stores(void) {
  statehub *hub = open_hub("many");
  char name[32];
  uint32_t last = 0;
  for (int at = 0; at < MOST; at++) {
    snprintf(name, sizeof name, "many.%d", at);
    last = statehub_set(hub, name, statehub_integer(at), NULL, NULL);
  }
  CHECK(finished(hub, last) == 0);
  statehub_close(hub);
}

/* The processor time to open so many watches, each of a store of its own, and to close them. */
static double opening(int watches) {
  statehub *hub = open_hub("many");
  struct course course = {0, 0, 0, 0, false};
  statehub_watch *opened[MOST];
  char name[32];
  const char *pattern = name;
  clock_t began = clock();
  for (int at = 0; at < watches; at++) {
    snprintf(name, sizeof name, "many.%d", at);
    opened[at] = statehub_watch_open(hub, &pattern, 1, 0, shown, &course);
  }
  while (course.sum < watches) statehub_wait(hub, -1);
  for (int at = 0; at < watches; at++) statehub_watch_close(opened[at]);
  CHECK(finished(hub, statehub_ping(hub, NULL, NULL)) == 0);
  double taken = seconds(began);
  statehub_close(hub);
  return taken;
}

/* The processor time of requests with so many watches of no stores: gets, and sets of a store that none of them follows. */
static double asking(int watches) {
  statehub *hub = open_hub("many");
  char name[32];
  const char *pattern = name;
  for (int at = 0; at < watches; at++) {
    snprintf(name, sizeof name, "nothing.there.%d", at);
    statehub_watch_open(hub, &pattern, 1, 0, NULL, NULL);
  }
  CHECK(finished(hub, statehub_ping(hub, NULL, NULL)) == 0);
  clock_t began = clock();
  for (int at = 0; at < REQUESTS; at++) {
    finished(hub, statehub_get(hub, "left", NULL, NULL));
    finished(hub, statehub_set(hub, "left", statehub_integer(at), NULL, NULL));
  }
  double taken = seconds(began);
  statehub_close(hub);
  return taken;
}

static double best_of_three(double (*cost)(int), int watches) {
  double best = cost(watches);
  for (int at = 0; at < 2; at++) {
    double next = cost(watches);
    if (next < best) best = next;
  }
  return best;
}

/* ---- Filters ---- */

/* The initial value, the first that meets the condition, and the first that does not. */
static void conditions(void) {
  statehub *hub = open_hub("conditions"), *writer = open_hub("writer");
  struct course course = {0, -1, 0, 0, false};
  const char *name = "conditional";
  statehub_value operands[] = {statehub_integer(20), statehub_boolean(true), statehub_double(1e308 * 10)};
  statehub_filter filter = {0, 0, false, STATEHUB_WHEN_GREATER_OR_EQUAL, operands, 1, 0}, wrong = filter;
  wrong.operand_count = 2;
  CHECK(!statehub_set_filter(hub, &wrong));
  wrong.operand_count = 1;
  for (int at = 1; at < 3; at++) {
    wrong.operands = &operands[at];
    CHECK(!statehub_set_filter(hub, &wrong));
  }
  wrong.when = (statehub_comparison)9;
  CHECK(!statehub_set_filter(hub, &wrong) && statehub_set_filter(hub, &filter));
  CHECK(finished(writer, statehub_set(writer, name, statehub_integer(1), NULL, NULL)) == 0);
  statehub_watch_open(hub, &name, 1, 0, shown, &course);
  while (course.events < 2) statehub_wait(hub, -1);
  int last[] = {19, 20, 30, 2, 3};
  for (int at = 0; at < 5; at++) {
    CHECK(finished(writer, statehub_set(writer, name, statehub_integer(last[at]), NULL, NULL)) == 0);
  }
  while (course.last != 2) statehub_wait(hub, -1);
  /* 1, 20 and 2, and that 19 and 30 were skipped. */
  CHECK(course.sum == 5);
  statehub_close(hub);
  statehub_close(writer);
}

static void filters(void) {
  statehub *hub = open_hub("filters"), *writer = open_hub("writer");
  struct course course = {0, -1, 0, 0, false};
  const char *name = "filtered";
  statehub_filter filter = {1, 5, false, STATEHUB_WHENEVER, NULL, 0, 0}, wrong = {0, -1, false, STATEHUB_WHENEVER, NULL, 0, 0};
  statehub_filter day = {86400001, 0, false, STATEHUB_WHENEVER, NULL, 0, 0};
  CHECK(!statehub_set_filter(hub, &wrong) && !statehub_set_filter(hub, &day) && statehub_set_filter(hub, &filter));
  CHECK(finished(writer, statehub_set(writer, name, statehub_integer(0), NULL, NULL)) == 0);
  statehub_watch_open(hub, &name, 1, STATEHUB_EVERY, shown, &course);
  CHECK(!statehub_set_filter(hub, &filter));
  while (course.events < 2) statehub_wait(hub, -1);
  int last[] = {2, 4, 5};
  for (int at = 0; at < 3; at++) {
    CHECK(finished(writer, statehub_set(writer, name, statehub_integer(last[at]), NULL, NULL)) == 0);
  }
  while (course.last != 5) statehub_wait(hub, -1);
  /* The initial value, and the last with the two before it as skipped; 2 and 4 were not shown. */
  CHECK(course.sum == 4);
  /* An own write that is left out, too, is answered without the event. */
  CHECK(finished(hub, statehub_set(hub, name, statehub_integer(6), NULL, NULL)) == 0 && course.last == 5);
  statehub_close(hub);
  statehub_close(writer);
}

int main(void) {
  filters();
  conditions();
  callbacks_that_are_left();
  callbacks_that_close();
  what_cannot_be_sent();
  outcomes();
  forks();
  make_stores();
  /* Each reply and each write walked all watches: 4,000 made them many times as expensive. */
  CHECK(best_of_three(asking, MOST) < 3 * best_of_three(asking, 1));
  /* Each new store was matched with all watches: eight times the watches took 64 times as long. */
  CHECK(best_of_three(opening, MOST) < 24 * best_of_three(opening, MOST / 8));
  puts("habitats");
  return 0;
}
