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

/* An answer to a watch: the store "a.x" has a value, and the view is complete. `value`: with its type and length. */
static void answer_watch(struct played *played, uint32_t number, const struct frames *value) {
  struct frames frames = {{0}, 0}, payload = {{0}, 0};
  add_revision(&frames, WATCHING, number, 10);
  add_state(&payload, 1, 5);
  add_number(&payload, 3, 1);
  memcpy(payload.bytes + payload.length, "a.x", 3);
  memcpy(payload.bytes + payload.length + 3, value->bytes, value->length);
  payload.length += 3 + value->length;
  add_frame(&frames, CURRENT, 0, &payload);
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

int main(void) {
  a_fork_in_a_callback_ends_the_input();
  puts("played");
  return 0;
}
