"""Schemas: what a store accepts. The hub checks and completes them."""

from __future__ import annotations

import struct
from dataclasses import dataclass
from typing import Optional, Sequence

from . import values
from .errors import Code, HubError
from .reading import Reader
from .values import Value

DURABILITIES = {"volatile": 1, "relaxed": 2, "synced": 3}
DURABILITY_NAMES = {number: name for name, number in DURABILITIES.items()}


@dataclass(frozen=True)
class Schema:
    """`type` is one of integer, double, boolean, string, data, json; `durability` one of volatile, relaxed, synced.

    `minimum` and `maximum` are inclusive, for numbers. `initial` is the value of a new store, and after a reset.
    `choices` are the only values accepted; empty: all. `max_bytes` limits string, data and json.
    """

    type: str
    minimum: Optional[Value] = None
    maximum: Optional[Value] = None
    initial: Optional[Value] = None
    choices: Sequence[Value] = ()
    max_bytes: Optional[int] = None
    durability: Optional[str] = None
    description: Optional[str] = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "choices", tuple(self.choices))

    def encode(self) -> bytes:
        if not (isinstance(self.type, str) and self.type in values.TYPES):
            raise HubError(Code.invalidSchema, f"unknown type {values.shown(self.type)}: expected one of {', '.join(values.TYPES)}")
        flags, out = 0, b""
        for bit, value in ((1, self.minimum), (2, self.maximum), (4, self.initial)):
            if value is not None:
                flags |= bit
                out += values.encode(value)
        if self.choices:
            flags |= 8
            if len(self.choices) > 0xFFFF:
                raise HubError(Code.invalidSchema, f"{len(self.choices)} choices, and at most 65535 are allowed")
            out += struct.pack("<H", len(self.choices)) + b"".join(map(values.encode, self.choices))
        if self.max_bytes is not None:
            flags |= 16
            if not (isinstance(self.max_bytes, int) and 0 <= self.max_bytes < 1 << 32):
                raise HubError(Code.invalidSchema, f"max_bytes must be a whole number below 2^32, not {values.shown(self.max_bytes)}")
            out += struct.pack("<I", self.max_bytes)
        if self.durability is not None:
            if not (isinstance(self.durability, str) and self.durability in DURABILITIES):
                raise HubError(Code.invalidSchema, f"unknown durability {values.shown(self.durability)}: expected one of {', '.join(DURABILITIES)}")
            flags |= 32
            out += bytes([DURABILITIES[self.durability]])
        if self.description is not None:
            flags |= 64
            if not isinstance(self.description, str):
                raise HubError(Code.invalidSchema, f"a description must be a string, not {values.shown(self.description)}")
            text = values.text_bytes(self.description, "the description")
            if len(text) > 0xFFFF:
                raise HubError(Code.invalidSchema, f"the description has {len(text)} bytes, and at most 65535 are allowed")
            out += struct.pack("<H", len(text)) + text
        return struct.pack("<IBB", 2 + len(out), values.TYPES[self.type], flags) + out

    @classmethod
    def decode(cls, reader: Reader) -> "Schema":
        length = reader.u32()
        inner = reader.inner(length)
        kind, flags = inner.u8(), inner.u8()
        if kind not in values.TYPE_NAMES:
            raise ValueError(f"{kind} is not a type of value")
        minimum = inner.value() if flags & 1 else None
        maximum = inner.value() if flags & 2 else None
        initial = inner.value() if flags & 4 else None
        choices = tuple(inner.value() for _ in range(inner.u16())) if flags & 8 else ()
        max_bytes = inner.u32() if flags & 16 else None
        durability = read_durability(inner) if flags & 32 else None
        description = inner.medium() if flags & 64 else None
        return cls(
            values.TYPE_NAMES[kind], minimum, maximum, initial, choices, max_bytes, durability, description)


def read_durability(reader: Reader) -> str:
    number = reader.u8()
    if number not in DURABILITY_NAMES:
        raise ValueError(f"{number} is not a durability")
    return DURABILITY_NAMES[number]
