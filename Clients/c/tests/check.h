/* What the tests share: a condition that does not hold ends the test, and names its line. */
#ifndef STATEHUB_CHECK_H
#define STATEHUB_CHECK_H

#include <stdio.h>
#include <stdlib.h>

#define CHECK(condition) \
  do { \
    if (!(condition)) { \
      fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition); \
      exit(1); \
    } \
  } while (0)

#endif
