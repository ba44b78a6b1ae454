// The load generator: one measurement per call, its figures as one JSON object on standard output.
//
//   load MEASUREMENT --protocol NAME --address unix:PATH|tcp:PORT [--broker PID] [OPTION VALUE]... [-- COMMAND...]
#include "load.h"

#include <signal.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sched.h>
#include <time.h>

struct options options = {
    .request = "get", .connections = 1, .depth = 1, .keys = 1, .window = 64, .runs = 10, .size = VALUE_LENGTH,
    .seconds = 0.5};
uint64_t first_value;
uint8_t *encoded;

static const struct {
  const char *name;
  void (*run)(void);
} measurements[] = {
    {"latency", measure_latency}, {"throughput", measure_throughput}, {"requests", measure_requests},
    {"idle", measure_idle},       {"start", measure_start},           {"command", measure_command},
    {"wait", wait_for_broker},    {"serve", serve},
};

static const struct {
  const char *name;
  int *value;
} numbers[] = {
    {"--broker", &options.broker},           {"--subscribers", &options.subscribers},
    {"--connections", &options.connections}, {"--depth", &options.depth},
    {"--keys", &options.keys},               {"--window", &options.window},
    {"--processes", &options.processes},     {"--stopped", &options.stopped},
    {"--runs", &options.runs},               {"--size", &options.size},
};

const char *key_name(int number) {
  static char name[24];
  snprintf(name, sizeof name, "k%d", number + 1);
  return name;
}

static bool set_number(const char *name, const char *text) {
  for (size_t index = 0; index < sizeof numbers / sizeof *numbers; index++) {
    if (strcmp(numbers[index].name, name) != 0) continue;
    *numbers[index].value = atoi(text);
    return true;
  }
  return false;
}

static void set_protocol(const char *name) {
  for (int index = 0; protocols[index]; index++) {
    if (strcmp(protocols[index]->name, name) == 0) options.protocol = protocols[index];
  }
  if (!options.protocol) fail("there is no protocol %s", name);
}

static void read_options(char **words) {
  for (char **word = words; *word; word++) {
    if (strcmp(*word, "--") == 0) {
      options.command = word + 1;
      return;
    }
    if (strcmp(*word, "--pinned") == 0) {
      options.pinned = true;
    } else if (strcmp(*word, "--threads") == 0) {
      options.threads = true;
    } else {
      const char *name = *word, *text = *++word;
      if (!text) fail("%s wants a value", name);
      if (set_number(name, text)) continue;
      if (strcmp(name, "--protocol") == 0) set_protocol(text);
      else if (strcmp(name, "--address") == 0) options.address = text;
      else if (strcmp(name, "--request") == 0) options.request = text;
      else if (strcmp(name, "--pattern") == 0) options.pattern = text;
      else if (strcmp(name, "--seconds") == 0) options.seconds = atof(text);
      else if (strcmp(name, "--fill") == 0) options.fill = strtoull(text, NULL, 10);
      else if (strcmp(name, "--count") == 0) options.count = strtoull(text, NULL, 10);
      else fail("there is no option %s", name);
    }
  }
}

static void allow_descriptors(void) {
  struct rlimit limit;
  getrlimit(RLIMIT_NOFILE, &limit);
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
}

/// dbus-broker's launcher wants its listener as systemd hands it over, and a journal to write to: it gets both, the journal
/// in a mount namespace of its own.
static _Noreturn void launch_dbus_broker(const char *path, char **command) {
  if (unshare(CLONE_NEWNS) != 0 || mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0
      || mount("tmpfs", "/run", "tmpfs", 0, NULL) != 0)
    fail("no /run of its own");
  mkdir("/run/systemd", 0755);
  mkdir("/run/systemd/journal", 0755);
  struct sockaddr_un journal = {.sun_family = AF_UNIX, .sun_path = "/run/systemd/journal/socket"};
  int datagrams = socket(AF_UNIX, SOCK_DGRAM, 0);
  if (bind(datagrams, (void *)&journal, sizeof journal) != 0 || dup2(datagrams, 50) < 0) fail("no journal");
  close(datagrams);
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  if (strlen(path) >= sizeof address.sun_path) fail("%s is too long", path);
  memcpy(address.sun_path, path, strlen(path));
  int listener = socket(AF_UNIX, SOCK_STREAM, 0);
  if (bind(listener, (void *)&address, sizeof address) != 0 || listen(listener, 4096) != 0) fail("cannot listen");
  if (listener != 3) {
    dup2(listener, 3);
    close(listener);
  }
  char text[300];
  snprintf(text, sizeof text, "%d", getpid());
  setenv("LISTEN_PID", text, 1);
  setenv("LISTEN_FDS", "1", 1);
  snprintf(text, sizeof text, "unix:path=%s", path);
  setenv("DBUS_SESSION_BUS_ADDRESS", text, 1);
  execvp(command[0], command);
  fail("cannot run %s", command[0]);
}

/// Grows with the time of day, sixteen times as fast as a microsecond's count: no run gets ahead of it, and sixteen digits
/// hold it until 2040.
static uint64_t newest_value(void) {
  enum { YEAR_2020 = 1577836800 };
  struct timespec time;
  clock_gettime(CLOCK_REALTIME, &time);
  return ((time.tv_sec - YEAR_2020) * 1000000ull + time.tv_nsec / 1000) * 16;
}

int main(int count, char **words) {
  signal(SIGPIPE, SIG_IGN);
  allow_descriptors();
  if (count > 3 && strcmp(words[1], "launch-dbus-broker") == 0) launch_dbus_broker(words[2], words + 3);
  if (count < 2) fail("usage: load MEASUREMENT --protocol NAME --address ADDRESS ...");
  read_options(words + 2);
  first_value = newest_value();
  if (options.size < VALUE_LENGTH) fail("a value takes %d bytes at least", VALUE_LENGTH);
  // An update may take the value twice.
  size_t room = (size_t)options.window * (2 * options.size + 512);
  encoded = malloc(room > ENCODED_CAPACITY ? room : ENCODED_CAPACITY);
  for (size_t index = 0; index < sizeof measurements / sizeof *measurements; index++) {
    if (strcmp(measurements[index].name, words[1]) != 0) continue;
    if (options.pinned) {
      pin(options.broker, 0);
      pin(getpid(), 1);
      keep_cores_awake();
    }
    measurements[index].run();
    let_cores_sleep();
    if (options.pinned) unpin(options.broker);
    puts("}");
    return 0;
  }
  fail("there is no measurement %s", words[1]);
}
