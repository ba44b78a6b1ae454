// A value on D-Bus as desktop programs have it: GLib, an object with a property, and proxies that follow PropertiesChanged.
//
//   dbus follow ADDRESS COUNT         prints `ready`, and after COUNT changes its processor time in nanoseconds per change
//   dbus own ADDRESS COUNT PAUSE      owns the object, and changes it COUNT times, one every PAUSE microseconds
#include <gio/gio.h>
#include <glib-unix.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define SERVICE "org.statehub.Bench"
#define PATH "/org/statehub/Bench"

static GMainLoop *loop;
static GDBusConnection *bus;
static gint64 last, value, began;
static guint pause_us;

static gint64 processor_time(void) {
  struct timespec time;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return time.tv_sec * 1000000000ll + time.tv_nsec;
}

static void fail(const char *what, GError *error) {
  fprintf(stderr, "dbus: %s: %s\n", what, error ? error->message : "no reason");
  exit(1);
}

static void connect_to(const char *address) {
  GError *error = NULL;
  bus = g_dbus_connection_new_for_address_sync(
      address, G_DBUS_CONNECTION_FLAGS_AUTHENTICATION_CLIENT | G_DBUS_CONNECTION_FLAGS_MESSAGE_BUS_CONNECTION, NULL, NULL,
      &error);
  if (!bus) fail("no connection", error);
}

static void changed(GDBusProxy *proxy, GVariant *properties, GStrv gone, gpointer context) {
  (void)proxy, (void)gone, (void)context;
  if (!g_variant_lookup(properties, "Value", "x", &value)) return;
  if (value == 1) began = processor_time();
  if (value == last) g_main_loop_quit(loop);
}

static void follow(void) {
  GError *error = NULL;
  GDBusProxy *proxy =
      g_dbus_proxy_new_sync(bus, G_DBUS_PROXY_FLAGS_NONE, NULL, SERVICE, PATH, SERVICE, NULL, &error);
  if (!proxy) fail("no proxy", error);
  g_signal_connect(proxy, "g-properties-changed", G_CALLBACK(changed), NULL);
  puts("ready");
  fflush(stdout);
  g_main_loop_run(loop);
  printf("%.1f\n", (double)(processor_time() - began) / (last - 1));
}

static gboolean change(gpointer context) {
  GVariantBuilder properties;
  (void)context;
  g_variant_builder_init(&properties, G_VARIANT_TYPE("a{sv}"));
  g_variant_builder_add(&properties, "{sv}", "Value", g_variant_new_int64(++value));
  g_dbus_connection_emit_signal(
      bus, NULL, PATH, "org.freedesktop.DBus.Properties", "PropertiesChanged",
      g_variant_new("(sa{sv}as)", SERVICE, &properties, NULL), NULL);
  g_dbus_connection_flush_sync(bus, NULL, NULL);
  if (value == last) g_main_loop_quit(loop);
  g_usleep(pause_us);
  return G_SOURCE_CONTINUE;
}

/// Until somebody says go, proxies are answered.
static gboolean begin(gint descriptor, GIOCondition condition, gpointer context) {
  (void)descriptor, (void)condition, (void)context;
  g_idle_add(change, NULL);
  return G_SOURCE_REMOVE;
}

static GVariant *get(
    GDBusConnection *connection, const gchar *sender, const gchar *path, const gchar *interface, const gchar *property,
    GError **error, gpointer context) {
  (void)connection, (void)sender, (void)path, (void)interface, (void)property, (void)error, (void)context;
  return g_variant_new_int64(value);
}

static void own(void) {
  static const GDBusInterfaceVTable table = {.get_property = get};
  GError *error = NULL;
  GDBusNodeInfo *node = g_dbus_node_info_new_for_xml(
      "<node><interface name='" SERVICE "'><property name='Value' type='x' access='read'/></interface></node>", &error);
  if (!node || !g_dbus_connection_register_object(bus, PATH, node->interfaces[0], &table, NULL, NULL, &error))
    fail("no object", error);
  g_bus_own_name_on_connection(bus, SERVICE, G_BUS_NAME_OWNER_FLAGS_NONE, NULL, NULL, NULL, NULL);
  puts("ready");
  fflush(stdout);
  g_unix_fd_add(STDIN_FILENO, G_IO_IN, begin, NULL);
  g_main_loop_run(loop);
}

int main(int count, char **words) {
  if (count < 4) return 2;
  loop = g_main_loop_new(NULL, FALSE);
  last = atoll(words[3]);
  connect_to(words[2]);
  if (strcmp(words[1], "own") == 0) {
    pause_us = count > 4 ? atoi(words[4]) : 0;
    own();
  } else {
    follow();
  }
  return 0;
}
