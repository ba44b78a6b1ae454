"""Values as Python has them, and as bytes: type, length, content."""

from __future__ import annotations

import json
import math
import os
import reprlib
import struct
from typing import Any, Union

from .errors import Code, HubError

INTEGER, DOUBLE, BOOLEAN, STRING, DATA, JSON = 1, 2, 3, 4, 5, 6
TYPES = {"integer": INTEGER, "double": DOUBLE, "boolean": BOOLEAN, "string": STRING, "data": DATA, "json": JSON}
TYPE_NAMES = {number: name for name, number in TYPES.items()}

INTEGER_PREFIX = b"\x01\x08\0\0\0"
"""What comes before the content of an integer."""

Bytes = Union[bytes, bytearray]

_integer = struct.Struct("<BIq")
_double = struct.Struct("<BId")
_content_integer = struct.Struct("<q").unpack_from
_content_double = struct.Struct("<d").unpack_from


class Json(str):
    """A JSON text, as the hub keeps it: byte for byte. Two texts are equal if their characters are."""

    __slots__ = ()

    @classmethod
    def of(cls, content: Any) -> "Json":
        """The text of anything that `json.dumps` accepts, with sorted keys and without spaces."""
        return cls(json.dumps(content, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False))

    def load(self) -> Any:
        """The content of the text."""
        return json.loads(self)

    def __repr__(self) -> str:
        return f"Json({str.__repr__(self)})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Json) and str.__eq__(self, other)

    def __ne__(self, other: object) -> bool:
        return not self == other

    __hash__ = str.__hash__


Value = Union[int, float, bool, str, bytes, Json]
"""Of a store: `int` is integer, `float` double, `bool` boolean, `str` string, `bytes` data, `Json` json."""


_OWN = {bool: BOOLEAN, int: INTEGER, float: DOUBLE, str: STRING, bytes: DATA, Json: JSON}


def plain(value: Any) -> Value:
    """The same value as one of the six types: of their subclasses (such as `IntEnum`), of paths, of buffers, and of the single
    numbers of numpy and its like. Raises `HubError` (`invalidValue`) for what no store can hold."""
    if type(value) in _OWN:
        return value  # type: ignore[no-any-return]
    if isinstance(value, Json):
        return Json(str.__str__(value))
    if isinstance(value, str):
        return str.__str__(value)
    if isinstance(value, int):
        return int.__int__(value)
    if isinstance(value, float):
        return float.__float__(value)
    if isinstance(value, (bytes, bytearray, memoryview)):
        return bytes(value)
    if isinstance(value, os.PathLike):
        return plain(os.fspath(value))
    if getattr(value, "shape", None) == () and hasattr(value, "item"):
        single = value.item()
        if type(single) in _OWN:
            return single  # type: ignore[no-any-return]
    raise HubError(
        Code.invalidValue, f"no store can hold a {type(value).__name__}: use int, float, bool, str, bytes or Json")


def shown(value: object) -> str:
    """For messages: Python refuses to write out integers of thousands of digits."""
    try:
        return reprlib.repr(value)
    except Exception:
        return f"a {type(value).__name__}"


def text_bytes(text: str, what: str) -> bytes:
    """A text's UTF-8. Raises `HubError` for half of a surrogate pair, which has none."""
    try:
        return text.encode()
    except UnicodeEncodeError:
        raise HubError(Code.invalidValue, f"{what} contains half of a surrogate pair, which UTF-8 cannot encode") from None


def encode(value: Any) -> bytes:
    """A value's bytes. Raises `HubError` (`invalidValue`) for what no store can hold."""
    value = plain(value)
    kind = _OWN[type(value)]
    if kind == INTEGER:
        try:
            return _integer.pack(INTEGER, 8, value)
        except struct.error:
            raise HubError(Code.invalidValue, f"{shown(value)} does not fit in 64 bits") from None
    if kind == DOUBLE:
        if not math.isfinite(value):
            raise HubError(Code.invalidValue, f"{value!r} is not finite")
        return _double.pack(DOUBLE, 8, value)
    if kind == BOOLEAN:
        return b"\x03\x01\0\0\0\x01" if value else b"\x03\x01\0\0\0\0"
    content = value if isinstance(value, bytes) else text_bytes(value, "the text")
    return struct.pack("<BI", kind, len(content)) + content


def decode(buffer: Bytes, offset: int, end: int) -> tuple[Value, int]:
    """The value at `offset`, and where it ends. Raises `ValueError` or `IndexError` if it is malformed."""
    kind = buffer[offset]
    start = offset + 5
    length = int.from_bytes(buffer[offset + 1:start], "little")
    stop = start + length
    if stop > end:
        raise ValueError("a value is truncated")
    if kind == INTEGER:
        if length != 8:
            raise ValueError("an integer must have 8 bytes")
        integer: int = _content_integer(buffer, start)[0]
        return integer, stop
    if kind == STRING:
        return str(buffer[start:stop], "utf-8"), stop
    if kind == JSON:
        return Json(str(buffer[start:stop], "utf-8")), stop
    if kind == DATA:
        return bytes(buffer[start:stop]), stop
    if kind == DOUBLE:
        if length != 8:
            raise ValueError("a double must have 8 bytes")
        number: float = _content_double(buffer, start)[0]
        if not math.isfinite(number):
            raise ValueError("a double must be finite")
        return number, stop
    if kind == BOOLEAN:
        if length != 1 or buffer[start] > 1:
            raise ValueError("a boolean must be one byte, 0 or 1")
        return buffer[start] == 1, stop
    raise ValueError(f"{kind} is not a type of value")


def are_equal(one: Value, other: Value) -> bool:
    """As the hub compares: type and bytes. 0.0 is not -0.0, and 1 neither 1.0 nor True."""
    return encode(one) == encode(other)
