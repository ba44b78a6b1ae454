/* Follows a store in GLib's main loop: the hub is one source, which polls the client's descriptor.
 *
 *   cc glib.c ../statehub.c $(pkg-config --cflags --libs glib-2.0) -o follow && ./follow audio.volume */
#include "../statehub.h"

#include <glib.h>
#include <inttypes.h>

/* A GSource that is a hub. The descriptor changes with every connection, so it is asked for before each wait. */
typedef struct {
  GSource source;
  statehub *hub;
  GPollFD entry;
  gboolean is_polled;
} HubSource;

static gboolean prepare(GSource *source, gint *timeout) {
  HubSource *self = (HubSource *)source;
  if (self->is_polled) g_source_remove_poll(source, &self->entry);
  self->entry.fd = statehub_fd(self->hub);
  self->entry.events = (gushort)statehub_poll_events(self->hub);
  self->entry.revents = 0;
  self->is_polled = self->entry.fd >= 0;
  if (self->is_polled) g_source_add_poll(source, &self->entry);
  *timeout = statehub_poll_timeout(self->hub);
  return *timeout == 0;
}

static gboolean check(GSource *source) {
  HubSource *self = (HubSource *)source;
  return self->entry.revents != 0 || statehub_poll_timeout(self->hub) == 0;
}

static gboolean dispatch(GSource *source, GSourceFunc callback, gpointer data) {
  (void)callback;
  (void)data;
  statehub_step(((HubSource *)source)->hub);
  return G_SOURCE_CONTINUE;
}

static GSourceFuncs functions = {prepare, check, dispatch, NULL, NULL, NULL};

static void shown(void *loop, const statehub_event *event) {
  if (event->value != NULL && event->value->type == STATEHUB_INTEGER) {
    g_print("%s: %" PRId64 ", %" PRId64 " skipped\n", event->name, event->value->integer, event->skipped);
    if (event->value->integer == 100) g_main_loop_quit((GMainLoop *)loop);
  } else if (event->error != NULL) {
    g_print("%s\n", event->error->message);
    g_main_loop_quit((GMainLoop *)loop);
  }
}

int main(int count, char **words) {
  const char *pattern = count > 1 ? words[1] : "audio.volume";
  GMainLoop *loop = g_main_loop_new(NULL, FALSE);
  statehub *hub = statehub_open(NULL, "glib-example");
  GSource *source = g_source_new(&functions, sizeof(HubSource));
  ((HubSource *)source)->hub = hub;
  g_source_attach(source, NULL);
  statehub_watch_open(hub, &pattern, 1, STATEHUB_EVERY, shown, loop);
  g_main_loop_run(loop);
  g_source_destroy(source);
  g_source_unref(source);
  statehub_close(hub);
  g_main_loop_unref(loop);
  return 0;
}
