// The process's arguments, which only code that runs before `main` is given, and the guard of memory that belongs to a file; everything
// else is inline in the headers.
#include "CLinux.h"
#include <errno.h>
#include <signal.h>
#include <sys/mman.h>

static int count;
static char **words;

// glibc passes the arguments of `main` to every constructor, also to those of a library that is loaded later.
__attribute__((constructor)) static void note(int argc, char **argv) {
  count = argc;
  words = argv;
}

int clinux_argument_count(void) { return count; }
char *clinux_argument(int index) { return words[index]; }

static _Thread_local struct {
  char *volatile base;
  volatile size_t length;
} guarded;
static struct sigaction former;

static void replace_pages(int signal, siginfo_t *info, void *context) {
  (void)signal, (void)context;
  int error = errno;
  char *base = guarded.base, *at = info->si_addr;
  if (base != NULL && at >= base && at < base + guarded.length &&
      mmap(base, guarded.length, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == base) {
    errno = error;
    return;
  }
  // The access is repeated, with the effect that it had before.
  sigaction(SIGBUS, &former, NULL);
}

void clinux_allow_guards(void) {
  struct sigaction action = {.sa_sigaction = replace_pages, .sa_flags = SA_SIGINFO};
  sigemptyset(&action.sa_mask);
  sigaction(SIGBUS, &action, &former);
}

void clinux_guard(void *base, size_t length) {
  guarded.length = length;
  guarded.base = base;
}
