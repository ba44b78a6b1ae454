// CLinux: C for what Glibc's module map hides from Swift, inline but for the arguments and a guard of memory. It holds no logic.
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
