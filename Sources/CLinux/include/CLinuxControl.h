// What the command line needs: a file in memory.
#pragma once
#include <stddef.h>
#include <sys/syscall.h>
#include <unistd.h>

/// An anonymous file that is closed on exec.
static inline int clinux_memory_file(const char *name) { return (int)syscall(SYS_memfd_create, name, 1u /* MFD_CLOEXEC */); }
