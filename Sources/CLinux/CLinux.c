// The process's arguments, which only code that runs before `main` is given; everything else is inline in the headers.
#include "CLinux.h"

static int count;
static char **words;

// glibc passes the arguments of `main` to every constructor, also to those of a library that is loaded later.
__attribute__((constructor)) static void note(int argc, char **argv) {
  count = argc;
  words = argv;
}

int clinux_argument_count(void) { return count; }
char *clinux_argument(int index) { return words[index]; }
