// Numbers as text.
#pragma once
#include <stdio.h>

/// Writes a double with so many decimals after the first digit.
static inline void clinux_write_digits(double value, int decimals, char *text, size_t room) {
  snprintf(text, room, "%.*e", decimals, value);
}
