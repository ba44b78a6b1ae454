"""What the hub answers: replies as values, and how they are read."""

from __future__ import annotations

import struct
from dataclasses import dataclass
from typing import Any, Callable, NamedTuple, Optional, Union

from . import kinds
from .errors import HubError, known
from .reading import Reader
from .schemas import Schema, read_durability
from .values import TYPE_NAMES, Value


class Welcome(NamedTuple):
    version: int
    capabilities: int
    epoch: str
    revision: int
    longest_frame: int
    pid: int
    release: str


class State(NamedTuple):
    """A store at its last change: `store` is its number, `time` in nanoseconds since 1970."""

    uid: int
    store: int
    revision: int
    version: int
    time: int
    value: Value


class Written(NamedTuple):
    """What a write did. `value` is what the store holds now, after `add`, `toggle` and `reset`."""

    store: int
    revision: int
    version: int
    changed: bool
    durability: str
    value: Optional[Value]


class Committed(NamedTuple):
    revision: int
    results: tuple[Written, ...]


class Summary(NamedTuple):
    """A store in a list. `value` is None if its content is longer than 256 bytes."""

    name: str
    type: str
    store: int
    revision: int
    version: int
    time: int
    length: int
    is_declared: bool
    value: Optional[Value]


Summaries = list[Summary]
"""For hubs, in whose methods `list` is another method."""


class Listed(NamedTuple):
    stores: tuple[Summary, ...]
    more: bool


@dataclass(frozen=True)
class Description:
    """Everything about a store. `ttl`: milliseconds until its value expires; `owner`: the connection whose end ends it."""

    name: str
    state: State
    schema: Schema
    durability: str
    watchers: int
    is_declared: bool
    ttl: Optional[int]
    owner: Optional[int]


class ClientSummary(NamedTuple):
    connection: int
    pid: int
    uid: int
    gid: int
    since: int
    watches: int
    requests: int
    unsent: int
    is_behind: bool
    name: str
    # Hubs before these fields leave them out.
    cost: int = 0  # nanoseconds, an estimate
    held: int = 0  # bytes
    catch_ups: int = 0
    unit: str = ""  # of the system's service manager
    user_unit: str = ""
    app: str = ""


Clients = list[ClientSummary]


class ClientList(NamedTuple):
    clients: tuple[ClientSummary, ...]
    more: bool


class Reloaded(NamedTuple):
    release: str
    notes: tuple[str, ...]


class Answer(NamedTuple):
    right: str
    verdict: int  # 0 no, 1 yes, 2 for stores that one has created, 3 not at this socket
    subject: str


class Explanation(NamedTuple):
    """`explained`. `store`: None if it is not told, False if there is none, -1 if it is the hub's, else its creator."""

    is_trusted: bool
    rule: Optional[tuple[str, str]]
    socket: Optional[tuple[str, tuple[str, ...], str, str]]
    store: Union[int, bool, None]
    answers: tuple[Answer, ...]


class LoggedChange(NamedTuple):
    """A change of `logged`. `kind`: 0 changed, 1 created or given another schema, 2 removed."""

    kind: int
    uid: int
    store: int
    revision: int
    version: int
    time: int
    pid: int
    name: str
    client: str
    value: Optional[Value]


class MonitorRecord(NamedTuple):
    """What a connection has asked for, or the hub has done by itself (pid 0). `payload` is the beginning of the request's."""

    missed: int
    time: int
    kind: int
    flags: int
    code: int
    revision: int
    uid: int
    pid: int
    length: int
    client: str
    name: str
    error: str
    payload: bytes


class Monitored(NamedTuple):
    """`monitored`: what has happened since the last `monitor`."""

    missed: int
    records: tuple[MonitorRecord, ...]
    more: bool
    begins: bool


class Logged(NamedTuple):
    """`logged`. `next`: revision and skip of the next page, if there is one."""

    floor: int
    revision: int
    next: Optional[tuple[int, int]]
    changes: tuple[LoggedChange, ...]


class Providing(NamedTuple):
    """`providing`: the connection has the claim."""

    claim: int
    revision: int


class Decided(NamedTuple):
    """`decided`. `counted`: the decision was waited for."""

    counted: bool
    revision: int


class Number(NamedTuple):
    """`pong`, `watching` and `stood`: the hub's revision."""

    revision: int


_state = struct.Struct("<IQQQq")


def read_state(reader: Reader) -> tuple[int, int, int, int, int]:
    uid, store, revision, version, time = _state.unpack_from(reader.buffer, reader.skip(_state.size))
    return uid, store, revision, version, time


def _welcome(reader: Reader, flags: int) -> Welcome:
    return Welcome(
        reader.u16(), reader.u64(), reader.epoch(), reader.u64(), reader.u32(), reader.u32(), reader.short())


def _value(reader: Reader, flags: int) -> State:
    return State(*read_state(reader), reader.value())


def _written(reader: Reader, flags: int) -> Written:
    return Written(
        reader.u64(), reader.u64(), reader.u64(), bool(flags & 1), read_durability(reader),
        reader.value() if flags & 2 else None)


def _committed(reader: Reader, flags: int) -> Committed:
    revision, results = reader.u64(), []
    while reader.offset < reader.end:
        length, kind, inner_flags, _, _ = struct.unpack_from("<IBBHI", reader.buffer, reader.skip(12))
        if kind != kinds.WRITTEN:
            raise ValueError("the committed reply does not match the writes")
        results.append(_written(reader.inner(length), inner_flags))
    return Committed(revision, tuple(results))


def _summary(reader: Reader) -> Summary:
    flags, name, kind = reader.u8(), reader.short(), reader.u8()
    if kind not in TYPE_NAMES:
        raise ValueError(f"{kind} is not a type of value")
    return Summary(
        name, TYPE_NAMES[kind], reader.u64(), reader.u64(), reader.u64(), reader.i64(), reader.u32(),
        bool(flags & 1), reader.value() if flags & 2 else None)


def _listed(reader: Reader, flags: int) -> Listed:
    return Listed(tuple(_summary(reader) for _ in range(reader.u32())), bool(flags & 1))


def _described(reader: Reader, flags: int) -> Description:
    name, state = reader.short(), State(*read_state(reader), reader.value())
    schema, durability, watchers = Schema.decode(reader), read_durability(reader), reader.u32()
    ttl = reader.u64() if flags & 2 else None
    return Description(
        name, state, schema, durability, watchers, bool(flags & 1), ttl, reader.i32() if flags & 4 else None)


def _client(reader: Reader) -> ClientSummary:
    flags = reader.u8()
    return ClientSummary(
        reader.i32(), reader.u32(), reader.u32(), reader.u32(), reader.i64(), reader.u32(), reader.u64(),
        reader.u32(), bool(flags & 1), reader.short())


def _client_list(reader: Reader, flags: int) -> ClientList:
    clients = [_client(reader) for _ in range(reader.u32())]
    if reader.offset < reader.end:
        clients = [each._replace(
            cost=reader.u64(), held=reader.u64(), catch_ups=reader.u32(),
            unit=reader.short(), user_unit=reader.short(), app=reader.short()) for each in clients]
    return ClientList(tuple(clients), bool(flags & 1))


def _statistics(reader: Reader, flags: int) -> dict[str, int]:
    return {reader.short(): reader.u64() for _ in range(reader.u16())}


def _reloaded(reader: Reader, flags: int) -> Reloaded:
    return Reloaded(reader.short(), tuple(reader.medium() for _ in range(reader.u16())))


_RIGHTS = {1: "read", 2: "write", 4: "create", 8: "remove", 16: "define"}


def _explained(reader: Reader, flags: int) -> Explanation:
    has = reader.u8()
    rule = (reader.medium(), reader.short()) if has & 2 else None
    socket = None
    if has & 4:
        name, rights = reader.short(), reader.u8()
        socket = (name, tuple(word for bit, word in _RIGHTS.items() if rights & bit), reader.short(), reader.short())
    code = reader.u8()
    if code > 3:
        raise ValueError(f"{code} is not an answer about a store")
    store: Union[int, bool, None] = (None, False, -1)[code] if code < 3 else reader.u32()
    answers = []
    for _ in range(reader.u8()):
        right, verdict, subject = reader.u8(), reader.u8(), reader.short()
        if verdict > 3:
            raise ValueError(f"{verdict} is not a verdict")
        if right in _RIGHTS:
            answers.append(Answer(_RIGHTS[right], verdict, subject))
    return Explanation(bool(has & 1), rule, socket, store, tuple(answers))


def _logged(reader: Reader, flags: int) -> Logged:
    floor, revision = reader.u64(), reader.u64()
    place = (reader.u64(), reader.u32())
    changes = []
    for _ in range(reader.u32()):
        kind = reader.u8()
        if kind > 2:
            raise ValueError(f"{kind} is not a kind of change")
        prefix = read_state(reader)
        pid, name, client = reader.u32(), reader.short(), reader.short()
        changes.append(LoggedChange(kind, *prefix, pid, name, client, None if kind == 2 else reader.value()))
    return Logged(floor, revision, place if flags & 1 else None, tuple(changes))


def _monitored(reader: Reader, flags: int) -> Monitored:
    missed = reader.u32()
    records = []
    for _ in range(reader.u32()):
        before, time, kind, own = reader.u32(), reader.i64(), reader.u8(), reader.u8()
        code, revision, uid, pid, length = reader.u16(), reader.u64(), reader.u32(), reader.u32(), reader.u32()
        client, name, error = reader.short(), reader.short(), reader.medium()
        payload = bytes(reader.u8() for _ in range(reader.u16()))
        records.append(MonitorRecord(
            before, time, kind, own, code, revision, uid, pid, length, client, name, error, payload))
    return Monitored(missed, tuple(records), bool(flags & 1), bool(flags & 2))


def _error(reader: Reader, flags: int) -> HubError:
    code, operation, revision = reader.u16(), reader.u16(), reader.u64()
    store = reader.short()
    return HubError(known(code), reader.medium(), store, operation, revision)


Reply = Union[
    Welcome, Number, State, Written, Committed, Listed, Description, ClientList, dict[str, int], Reloaded, Explanation,
    Logged, Monitored, Providing, Decided, HubError, None]

_readers: dict[int, Callable[[Reader, int], Any]] = {
    kinds.WELCOME: _welcome,
    kinds.PONG: lambda reader, flags: Number(reader.u64()),
    kinds.VALUE: _value,
    kinds.WRITTEN: _written,
    kinds.COMMITTED: _committed,
    kinds.LISTED: _listed,
    kinds.DESCRIBED: _described,
    kinds.WATCHING: lambda reader, flags: Number(reader.u64()),
    kinds.UNWATCHED: lambda reader, flags: None,
    kinds.CLIENT_LIST: _client_list,
    kinds.STATISTICS: _statistics,
    kinds.RELOADED: _reloaded,
    kinds.EXPLAINED: _explained,
    kinds.LOGGED: _logged,
    kinds.MONITORED: _monitored,
    kinds.PROVIDING: lambda reader, flags: Providing(reader.u32(), reader.u64()),
    kinds.STOOD: lambda reader, flags: Number(reader.u64()),
    kinds.DECIDED: lambda reader, flags: Decided(bool(flags & 1), reader.u64()),
    kinds.RESTRICTED: lambda reader, flags: None,
    kinds.ERROR: _error,
}

ANSWERS = {
    kinds.HELLO: kinds.WELCOME, kinds.PING: kinds.PONG, kinds.GET: kinds.VALUE, kinds.TRANSACTION: kinds.COMMITTED,
    kinds.LIST: kinds.LISTED, kinds.DESCRIBE: kinds.DESCRIBED, kinds.WATCH: kinds.WATCHING, kinds.UNWATCH: kinds.UNWATCHED,
    kinds.CLIENTS: kinds.CLIENT_LIST, kinds.STATS: kinds.STATISTICS, kinds.RELOAD: kinds.RELOADED,
    kinds.ACCESS: kinds.EXPLAINED, kinds.LOG: kinds.LOGGED, kinds.MONITOR: kinds.MONITORED, kinds.PROVIDE: kinds.PROVIDING,
    kinds.STANDING: kinds.STOOD, kinds.DECIDE: kinds.DECIDED, kinds.RESTRICT: kinds.RESTRICTED,
    **dict.fromkeys(range(kinds.SET, kinds.CREATE + 1), kinds.WRITTEN),
}
"""Which kind of reply a kind of request gets, unless it fails."""


def is_known(kind: int) -> bool:
    return kind in _readers


def read(kind: int, flags: int, reader: Reader) -> Any:
    """The reply of a known kind. Raises `ValueError` if it is malformed."""
    return _readers[kind](reader, flags)
