// What handing a hub's state over needs: sealed memory files, the program's own path, closing all but some descriptors.
#pragma once
#include <elf.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

/// An anonymous file that is closed on exec and can be sealed.
static inline int clinux_sealable_memory_file(const char *name) {
  return (int)syscall(SYS_memfd_create, name, 1u | 2u /* MFD_CLOEXEC | MFD_ALLOW_SEALING */);
}

/// Nobody changes the file's content or size any more, not even its owner. Returns 0, or -1 with errno.
static inline int clinux_seal(int file) {
  return fcntl(file, 1033 /* F_ADD_SEALS */, 0x0001 | 0x0002 | 0x0004 | 0x0008 /* SEAL, SHRINK, GROW, WRITE */);
}

/// Whether the file is sealed as `clinux_seal` does it.
static inline int clinux_is_sealed(int file) { return fcntl(file, 1034 /* F_GET_SEALS */) == 0x000F; }

/// The path by which this program was started, as the kernel knows it; NULL if it does not tell.
static inline const char *clinux_program_path(void) { return (const char *)getauxval(AT_EXECFN); }

/// Closes every descriptor from `first` on.
static inline void clinux_close_from(int first) { syscall(SYS_close_range, first, ~0u, 0u); }

/// A pair of connected sockets that keep messages apart, and are closed on exec.
static inline int clinux_message_pair(int ends[2]) {
  return socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends);
}
