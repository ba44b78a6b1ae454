"""What a client asks: requests and writes, and their bytes. It sends nothing."""

from __future__ import annotations

import math
import numbers
import re
import struct
from dataclasses import dataclass, replace
from typing import Optional, Sequence, Union

from . import kinds, values
from .errors import Code, HubError
from .filters import Filter
from .names import check_name, check_pattern
from .schemas import Schema
from .values import Value

_header = struct.Struct("<IBBHI")
_epoch = re.compile(r"[0-9A-Fa-f]{32}\Z").match
HEADER = _header.size
VERSION = 1
LONGEST_HELLO_NAME = 60


def frame(kind: int, flags: int, number: int, payload: bytes) -> bytes:
    return _header.pack(len(payload), kind, flags, 0, number) + payload


def number(value: object, bits: int, what: str) -> int:
    """A whole number that fits into so many bits without sign. Raises `HubError` (`invalidValue`)."""
    if isinstance(value, int) and 0 <= value < 1 << bits:
        return int(value)
    raise HubError(Code.invalidValue, f"{what} must be a whole number from 0 to {(1 << bits) - 1}, not {values.shown(value)}")


def short(text: str) -> bytes:
    content = values.text_bytes(text, "a name")
    if len(content) > 255:
        raise HubError(Code.invalidName, f"the text has {len(content)} bytes, and at most 255 are allowed", text[:64])
    return bytes([len(content)]) + content


def epoch_bytes(epoch: str) -> bytes:
    if not (isinstance(epoch, str) and _epoch(epoch)):
        raise HubError(Code.malformed, f"an epoch must be 32 hexadecimal digits, not {values.shown(epoch)}")
    return struct.pack("<QQ", int(epoch[:16], 16), int(epoch[16:], 16))


Store = Union[str, int]
"""A store's name, or its number within the epoch."""


def reference(store: Store) -> bytes:
    if isinstance(store, int) and not isinstance(store, bool):
        return b"\0" + struct.pack("<Q", number(store, 64, "a store's number"))
    return short(check_name(store))  # type: ignore[arg-type]


@dataclass(frozen=True)
class Condition:
    """The conditions of a write, which fails with `conflict` unless all of the given ones hold.

    `revision` must be that of the store's last change; 0 means that there must be no such store. `epoch` is its
    epoch, and needs a `revision`. `value` must be exactly the store's value, with the same type and bytes. With
    `absent` there must be no such store. A `Remove` takes only a revision and an epoch. A condition that a
    write does not take is refused with `misused`.
    """

    revision: Optional[int] = None
    epoch: Optional[str] = None
    value: Optional[Value] = None
    absent: bool = False

    @property
    def is_none(self) -> bool:
        return self.revision is None and self.epoch is None and self.value is None and not self.absent

    @property
    def flags(self) -> int:
        return ((self.revision is not None) | (self.epoch is not None) << 1 | (self.value is not None) << 2
                | bool(self.absent) << 3)

    def encode(self) -> bytes:
        out = b""
        if self.revision is not None:
            out += struct.pack("<Q", number(self.revision, 64, "a revision"))
        if self.epoch is not None:
            out += epoch_bytes(self.epoch)
        if self.value is not None:
            out += values.encode(self.value)
        return out


ALWAYS = Condition()


@dataclass(frozen=True)
class Set:
    store: Store
    value: Value
    condition: Condition = ALWAYS
    ttl: Optional[int] = None
    """Milliseconds."""
    ephemeral: bool = False
    force: bool = False

    kind = kinds.SET

    def encode(self) -> tuple[int, bytes]:
        flags = self.condition.flags | bool(self.force) << 4 | (self.ttl is not None) << 5 | bool(self.ephemeral) << 6
        out = reference(self.store) + values.encode(self.value) + self.condition.encode()
        if self.ttl is not None:
            out += struct.pack("<Q", number(self.ttl, 64, "a time to live, in milliseconds,"))
        return flags, out


@dataclass(frozen=True)
class Add:
    store: Store
    delta: Value
    clamp: bool = False

    kind = kinds.ADD
    condition = ALWAYS

    def encode(self) -> tuple[int, bytes]:
        return int(bool(self.clamp)), reference(self.store) + values.encode(self.delta)


@dataclass(frozen=True)
class Toggle:
    store: Store

    kind = kinds.TOGGLE
    condition = ALWAYS

    def encode(self) -> tuple[int, bytes]:
        return 0, reference(self.store)


@dataclass(frozen=True)
class Reset:
    store: Store

    kind = kinds.RESET
    condition = ALWAYS

    def encode(self) -> tuple[int, bytes]:
        return 0, reference(self.store)


@dataclass(frozen=True)
class Remove:
    store: Store
    condition: Condition = ALWAYS

    kind = kinds.REMOVE

    def encode(self) -> tuple[int, bytes]:
        return self.condition.flags, reference(self.store) + self.condition.encode()


@dataclass(frozen=True)
class Create:
    store: str
    schema: Schema
    if_absent: bool = False

    kind = kinds.CREATE
    # It is never repeated, not even under if_absent.
    condition = ALWAYS

    def encode(self) -> tuple[int, bytes]:
        if not isinstance(self.schema, Schema):
            raise HubError(Code.invalidSchema, f"creating a store takes a Schema, not {values.shown(self.schema)}")
        return bool(self.if_absent) << 3, short(check_name(self.store)) + self.schema.encode()


Write = Union[Set, Add, Toggle, Reset, Remove, Create]


def milliseconds(ttl: Optional[float]) -> Optional[int]:
    """A time to live, which programs give in seconds: never shorter than that."""
    if ttl is None:
        return None
    if not (isinstance(ttl, numbers.Real) and 0 < ttl < 1 << 50):
        raise HubError(Code.invalidValue, f"a time to live must be a number of seconds above 0, not {values.shown(ttl)}")
    return math.ceil(float(ttl) * 1000)


def with_value(write: Set, value: Value) -> Set:
    return replace(write, value=value)


class Request:
    """A request's bytes without its number, and what may be done with it."""

    __slots__ = ("kind", "flags", "payload", "writes")

    def __init__(self, kind: int, flags: int = 0, payload: bytes = b"", writes: tuple[Write, ...] = ()) -> None:
        self.kind, self.flags, self.payload, self.writes = kind, flags, payload, writes

    @property
    def is_read(self) -> bool:
        """Whether it changes no store."""
        return self.kind < kinds.SET or self.kind > kinds.TRANSACTION

    @property
    def is_repeatable(self) -> bool:
        """Whether it may be sent again although it may have been carried out: a revision never comes back, but after the first
        attempt other programs may have made a value or an absence come true again."""
        return self.is_read or all((write.condition.revision or 0) > 0 for write in self.writes)

    @property
    def store(self) -> str:
        """The name that its errors are about; empty if there is none."""
        name = self.writes[0].store if self.writes else ""
        return name if isinstance(name, str) else f"store {name}"

    def frame(self, number: int) -> bytes:
        return frame(self.kind, self.flags, number, self.payload)


def hello(name: str) -> Request:
    text = name.encode(errors="replace")[:LONGEST_HELLO_NAME].decode(errors="ignore")
    return Request(kinds.HELLO, 0, struct.pack("<IHHQ", 0x42554853, VERSION, VERSION, 0) + short(text))


def ping() -> Request:
    return Request(kinds.PING)


RESTRICTIONS = {"reading": 1, "nothing": 2}


def restrict(to: str) -> Request:
    if not (isinstance(to, str) and to in RESTRICTIONS):
        raise HubError(Code.misused, f"a Hub is restricted to \"reading\" or \"nothing\", not {values.shown(to)}")
    return Request(kinds.RESTRICT, 0, bytes([RESTRICTIONS[to]]))


def get(store: Store) -> Request:
    return Request(kinds.GET, 0, reference(store))


def checked(operation: Write) -> Write:
    if not isinstance(operation, (Set, Add, Toggle, Reset, Remove, Create)):
        raise HubError(Code.misused, f"a write must be Set, Add, Toggle, Reset, Remove or Create, not {values.shown(operation)}")
    if not isinstance(operation.condition, Condition):
        raise HubError(Code.misused, f"{values.shown(operation.condition)} is not a Condition")
    condition = operation.condition
    if condition.epoch is not None and condition.revision is None:
        raise HubError(Code.misused, "an epoch can be a condition only together with a revision")
    if isinstance(operation, Remove) and (condition.value is not None or condition.absent):
        raise HubError(Code.misused, "a removal can depend on a revision, not on a value or `absent`")
    return operation


def write(operation: Write) -> Request:
    return Request(checked(operation).kind, *operation.encode(), (operation,))


def transaction(operations: Sequence[Write]) -> Request:
    out = []
    for index, operation in enumerate(operations):
        try:
            flags, payload = checked(operation).encode()
        except HubError as error:
            error.operation = index
            raise
        out.append(frame(operation.kind, flags, 0, payload))
    return Request(kinds.TRANSACTION, 0, b"".join(out), tuple(operations))


def list_stores(pattern: str, after: str, limit: int = 1000) -> Request:
    return Request(kinds.LIST, 0, struct.pack("<I", limit) + short(check_pattern(pattern)) + short(after))


def describe(store: Store) -> Request:
    return Request(kinds.DESCRIBE, 0, reference(store))


def watch(
    patterns: Sequence[str], every: bool, bookmark: Optional[tuple[str, int]], schemas: bool = False,
    left_out: Optional[Filter] = None,
) -> Request:
    out = struct.pack("<H", len(patterns)) + b"".join(map(short, patterns))
    if bookmark is not None:
        out = epoch_bytes(bookmark[0]) + struct.pack("<Q", bookmark[1]) + out
    flags = every | (bookmark is not None) << 1 | schemas << 2 | (left_out is not None) << 3
    return Request(kinds.WATCH, flags, out if left_out is None else out + left_out.encoded)


def unwatch(number: int) -> Request:
    return Request(kinds.UNWATCH, 0, struct.pack("<I", number))


def clients(after: int, limit: int = 500) -> Request:
    return Request(kinds.CLIENTS, 0, struct.pack("<Ii", limit, after))


def stats() -> Request:
    return Request(kinds.STATS)
