// CLinux: static inline C for what Glibc's module map hides from Swift. It holds no logic and no state.
#pragma once
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <sys/types.h>
#include "CLinuxClient.h"
