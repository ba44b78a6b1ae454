"""Reads the fields of a payload, one after another. What is too short or impossible is a `ValueError`."""

from __future__ import annotations

import struct
from typing import Any

from . import values

_u16 = struct.Struct("<H")
_u32 = struct.Struct("<I")
_i32 = struct.Struct("<i")
_u64 = struct.Struct("<Q")
_i64 = struct.Struct("<q")
_epoch = struct.Struct("<QQ")


class Reader:
    __slots__ = ("buffer", "offset", "end")

    def __init__(self, buffer: values.Bytes, offset: int, end: int) -> None:
        self.buffer, self.offset, self.end = buffer, offset, end

    def _take(self, layout: struct.Struct) -> Any:
        start = self.offset
        self.skip(layout.size)
        return layout.unpack_from(self.buffer, start)[0]

    def skip(self, count: int) -> int:
        """Passes so many bytes, and says where they began."""
        start = self.offset
        if count > self.end - start:
            raise ValueError("a payload is truncated")
        self.offset = start + count
        return start

    def u8(self) -> int:
        return self.buffer[self.skip(1)]

    def u16(self) -> int:
        return int(self._take(_u16))

    def u32(self) -> int:
        return int(self._take(_u32))

    def i32(self) -> int:
        return int(self._take(_i32))

    def u64(self) -> int:
        return int(self._take(_u64))

    def i64(self) -> int:
        return int(self._take(_i64))

    def epoch(self) -> str:
        high, low = _epoch.unpack_from(self.buffer, self.skip(16))
        return f"{high:016x}{low:016x}"

    def short(self) -> str:
        return self._text(self.u8())

    def medium(self) -> str:
        return self._text(self.u16())

    def _text(self, length: int) -> str:
        start = self.skip(length)
        return str(self.buffer[start:start + length], "utf-8")

    def value(self) -> values.Value:
        try:
            value, self.offset = values.decode(self.buffer, self.offset, self.end)
        except (IndexError, struct.error):
            raise ValueError("a value is truncated") from None
        return value

    def inner(self, length: int) -> "Reader":
        """A reader of the next so many bytes, which this one passes."""
        start = self.skip(length)
        return Reader(self.buffer, start, start + length)
