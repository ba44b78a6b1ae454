// CLinux: static inline C for what Glibc's module map hides from Swift. It holds no logic, and no state but a guard's.
#pragma once
// _GNU_SOURCE stays undefined: with it glibc's types would differ from those that Swift's Glibc module was built with.
#include <sys/types.h>
#include "CLinuxConfinement.h"
#include "CLinuxEvents.h"
#include "CLinuxFiles.h"
#include "CLinuxMemory.h"
#include "CLinuxNumbers.h"
#include "CLinuxProcesses.h"
#include "CLinuxProcessor.h"
#include "CLinuxSockets.h"
