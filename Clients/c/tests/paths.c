/* Where a program looks for its hub, and what its errors advise if none can be there. Needs no hub. */
#if !defined(_GNU_SOURCE)
#define _GNU_SOURCE
#endif
#include "../statehub.h"
#include "check.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

static const char *const SYSTEM = "/run/statehub/hub.sock";
static char directory[64], folder[96], own[128], lock[160];

static void make_file(const char *path) { CHECK(close(open(path, O_CREAT | O_WRONLY, 0600)) == 0); }

static void listen_at(const char *path) {
  struct sockaddr_un address;
  memset(&address, 0, sizeof address);
  address.sun_family = AF_UNIX;
  CHECK(strlen(path) < sizeof address.sun_path);
  strcpy(address.sun_path, path);
  int descriptor = socket(AF_UNIX, SOCK_STREAM, 0);
  CHECK(bind(descriptor, (const struct sockaddr *)&address, sizeof address) == 0 && listen(descriptor, 1) == 0);
}

/* Whether a hub that is opened without a path looks there. */
static bool leads_to(const char *path) {
  statehub *hub = statehub_open(NULL, "paths");
  bool does = strcmp(statehub_path(hub), path) == 0;
  statehub_close(hub);
  return does;
}

static void a_socket_decides_and_no_directory_or_file(void) {
  setenv("XDG_RUNTIME_DIR", directory, 1);
  setenv("STATEHUB_SOCKET", "", 1);
  CHECK(leads_to(SYSTEM));
  CHECK(mkdir(folder, 0700) == 0);
  CHECK(leads_to(SYSTEM));
  make_file(lock);
  make_file(own);
  CHECK(leads_to(SYSTEM));
  CHECK(unlink(own) == 0);
  listen_at(own);
  CHECK(leads_to(own));
  setenv("STATEHUB_SOCKET", "/x", 1);
  CHECK(leads_to("/x"));
  setenv("STATEHUB_SOCKET", "", 1);
}

static void the_runtime_directory_of_another_user_does_not_count(void) {
  if (geteuid() != 0) return;
  CHECK(chown(directory, 1, 1) == 0);
  CHECK(!leads_to(own));
  CHECK(chown(directory, 0, 0) == 0);
  CHECK(leads_to(own));
}

static char message[512];

static void note(void *context, const statehub_reply *reply) {
  (void)context;
  snprintf(message, sizeof message, "%s", reply->error != NULL ? reply->error->message : "");
}

/* What a request to a hub at that path fails with, which has to contain `expected`. */
static void fails_with(const char *path, int timeout, const char *expected) {
  statehub *hub = statehub_open(path, "paths");
  statehub_set_timeout(hub, timeout);
  int code = statehub_finish(hub, statehub_ping(hub, note, NULL));
  if (code != STATEHUB_NO_HUB || strstr(message, expected) == NULL) {
    fprintf(stderr, "%d: %s, expected %s\n", code, message, expected);
    exit(1);
  }
  statehub_close(hub);
}

static void a_path_that_no_socket_can_have_fails_at_once(void) {
  char path[256];
  memset(path, 'x', 108);
  path[108] = '\0';
  fails_with(path, 20000, "takes 108 bytes, and at most 107 are allowed: xxx");
  fails_with("", 20000, "empty");
  fails_with("@x", 20000, "give ./@x");
  CHECK(access("@x", F_OK) != 0);
}

static void what_is_not_a_socket_is_named_and_no_hub_is_started_there(void) {
  fails_with(lock, 0, "is a file, not a socket");
  CHECK(strstr(message, "start") == NULL);
  fails_with(directory, 0, "is a directory, not a socket");
  char path[192];
  snprintf(path, sizeof path, "%s/hub.sock", lock);
  fails_with(path, 0, "a part of the path is not a directory");
  snprintf(path, sizeof path, "%s/it's.sock", directory);
  char advice[256];
  snprintf(advice, sizeof advice, "start it with `statehub --socket '%s/it'\\''s.sock'`", directory);
  fails_with(path, 0, advice);
}

int main(void) {
  strcpy(directory, "/tmp/statehub-paths-XXXXXX");
  CHECK(mkdtemp(directory) != NULL);
  snprintf(folder, sizeof folder, "%s/statehub", directory);
  snprintf(own, sizeof own, "%s/hub.sock", folder);
  snprintf(lock, sizeof lock, "%s.lock", own);
  a_socket_decides_and_no_directory_or_file();
  the_runtime_directory_of_another_user_does_not_count();
  a_path_that_no_socket_can_have_fails_at_once();
  what_is_not_a_socket_is_named_and_no_hub_is_started_there();
  unlink(own);
  unlink(lock);
  rmdir(folder);
  rmdir(directory);
  puts("paths");
  return 0;
}
