// Stands in for an installed hub of another kind: it spoils the image that the hub before left, and executes the real
// program. Both that and how it spoils stand in files of the test's: `damaged` changes one byte, `unknown` the version,
// `foreign` everything.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MOST = 253, VERSION_AT = 8, BODY_AT = 24 };

static void fail(const char *what) {
  fprintf(stderr, "spoil: %s: %s\n", what, strerror(errno));
  exit(1);
}

static char how[32];

// A spoiled, sealed copy of an image.
static int spoiled(int image) {
  struct stat status;
  if (fstat(image, &status) < 0 || status.st_size <= BODY_AT) fail("the image");
  unsigned char *bytes = malloc(status.st_size);
  if (pread(image, bytes, status.st_size, 0) != status.st_size) fail("reading the image");
  if (!strcmp(how, "damaged")) bytes[BODY_AT + (status.st_size - BODY_AT) / 2] ^= 1;
  else if (!strcmp(how, "unknown")) memset(bytes + VERSION_AT, 0xee, 2);
  else memset(bytes, 'x', status.st_size);
  int copy = memfd_create("spoiled", MFD_ALLOW_SEALING);
  if (write(copy, bytes, status.st_size) != status.st_size) fail("writing the image");
  fcntl(copy, F_ADD_SEALS, F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE);
  return copy;
}

// Takes the messages out of a queue and puts them into another under its number; the first descriptor is the image.
static void spoil_queue(int queue) {
  int pair[2];
  if (socketpair(AF_UNIX, SOCK_SEQPACKET, 0, pair) < 0) fail("socketpair");
  for (int first = 1;; first = 0) {
    char bytes[4096], control[CMSG_SPACE(MOST * sizeof(int))];
    struct iovec vector = {bytes, sizeof bytes};
    struct msghdr message = {.msg_iov = &vector, .msg_iovlen = 1, .msg_control = control, .msg_controllen = sizeof control};
    ssize_t n = recvmsg(queue, &message, MSG_DONTWAIT);
    if (n <= 0) break;
    struct cmsghdr *header = CMSG_FIRSTHDR(&message);
    if (first && header) *(int *)CMSG_DATA(header) = spoiled(*(int *)CMSG_DATA(header));
    vector.iov_len = n;
    if (sendmsg(pair[0], &message, 0) < 0) fail("refilling the queue");
    for (size_t i = 0; header && i < (header->cmsg_len - CMSG_LEN(0)) / sizeof(int); i++)
      close(((int *)CMSG_DATA(header))[i]);
  }
  dup2(pair[1], queue);
  close(pair[0]);
  close(pair[1]);
}

int main(int argc, char **argv) {
  (void)argc;
  const char *path = "/usr/local/libexec/statehub-test/spoil.how", *real = "/usr/local/libexec/statehub-test/spoil.real";
  FILE *file = fopen(path, "r");
  if (!file || fscanf(file, "%31s", how) != 1) fail(path);
  fclose(file);

  const char *executed = getenv("STATEHUB_HANDOFF"), *names = getenv("LISTEN_FDNAMES");
  if (executed && strchr(executed, ':')) {
    int image = atoi(strchr(executed, ':') + 1), copy = spoiled(image);
    dup2(copy, image);
    close(copy);
  } else if (names) {
    char *rest = strdup(names), *name;
    for (int descriptor = 3; (name = strsep(&rest, ":")); descriptor++)
      if (!strcmp(name, "handoff")) { spoil_queue(descriptor); break; }
  }
  execv(real, argv);
  fail(real);
}
