// What the processor can do besides computing: hints about memory, and CRC-32C by its own instruction, where it has one.
#pragma once
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#if defined(__x86_64__)
#define CLINUX_CRC_TARGET __attribute__((target("sse4.2")))
#define CLINUX_CRC_8(crc, byte) __builtin_ia32_crc32qi((uint32_t)(crc), (byte))
#define CLINUX_CRC_64(crc, word) __builtin_ia32_crc32di((crc), (word))

/// Whether `clinux_crc32c` may be called.
static inline int clinux_has_crc32c(void) { return __builtin_cpu_supports("sse4.2") != 0; }

#elif defined(__aarch64__)
#include <sys/auxv.h>
#define CLINUX_CRC_TARGET __attribute__((target("crc")))
#define CLINUX_CRC_8(crc, byte) __builtin_arm_crc32cb((uint32_t)(crc), (byte))
#define CLINUX_CRC_64(crc, word) __builtin_arm_crc32cd((uint32_t)(crc), (word))

/// Whether `clinux_crc32c` may be called: HWCAP_CRC32.
static inline int clinux_has_crc32c(void) { return (getauxval(AT_HWCAP) & (1 << 7)) != 0; }

#else
static inline int clinux_has_crc32c(void) { return 0; }
#endif

#if defined(CLINUX_CRC_TARGET)
/// Continues a CRC-32C, in its inverted form, over `length` bytes.
CLINUX_CRC_TARGET static inline uint32_t clinux_crc32c(uint32_t crc, const void *bytes, size_t length) {
  const unsigned char *next = (const unsigned char *)bytes;
  uint64_t state = crc;
  for (; length >= 8; length -= 8, next += 8) {
    uint64_t word;
    memcpy(&word, next, 8);
    state = CLINUX_CRC_64(state, word);
  }
  for (; length > 0; length -= 1, next += 1) state = CLINUX_CRC_8(state, *next);
  return (uint32_t)state;
}
#else
static inline uint32_t clinux_crc32c(uint32_t crc, const void *bytes, size_t length) {
  (void)bytes, (void)length;
  return crc;
}
#endif

/// Asks the processor for `length` bytes that are about to be read and written. A hint: no address is wrong.
static inline void clinux_prefetch(const void *start, size_t length) {
  for (size_t offset = 0; offset < length; offset += 64) __builtin_prefetch((const char *)start + offset, 1);
}
