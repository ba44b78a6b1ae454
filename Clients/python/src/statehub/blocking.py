"""The blocking client: it reads, connects and keeps the time while one of its calls waits, and starts no thread."""

from __future__ import annotations

import select
import time
from typing import Any, Callable, Generic, Iterator, Optional, TypeVar

from . import path as paths
from . import replies, requests
from .call import Answer
from .codecs import Codec, Stored, codec_for, stored
from .driver import Driver
from .errors import Code, HubError
from .events import Event
from .flights import FOREVER
from .names import check_name
from .queue import Every, Latest, Policy
from .requests import ALWAYS, Condition, Request, Store, Write
from .schemas import Schema
from .stream import Stream

T = TypeVar("T")
Summaries = list[replies.Summary]
Clients = list[replies.ClientSummary]
_now = time.monotonic


class Hub:
    """A program's access to a hub. Nothing is connected before the first use.

        with statehub.Hub() as hub:
            volume = hub.value("audio.volume", int)
            volume.set(6)
            for value in volume.values():
                print(value)

    When the connection is lost, it is made again: the first attempt within 100 ms, then at most 1 s apart for 10 s, then at
    most 5 s. Watches outlive that, and their events say what was skipped. Requests that were not sent, and those that can
    be repeated without doing anything twice (reads and conditional writes), wait for the new connection; the others fail
    with `outcomeUnknown`. No request waits longer than `patience`: it fails with `timeout` or with why there is no
    connection (`noHub`, `denied`).

    It belongs to one thread at a time, and works only while one of its calls does: an ephemeral value is set again, and
    a lost connection made again, by the next call. A program that does other things for long lets its event loop call
    `step` (see `fileno`), or uses `statehub.aio`.
    """

    def __init__(self, path: Optional[str] = None, name: Optional[str] = None, patience: float = 5.0) -> None:
        """`path`: by default `$STATEHUB_SOCKET`, else the user's hub, else the system's; looked up now, once. `name`: what
        the hub shows about this client, up to 60 bytes. `patience`: seconds that a request waits for its answer."""
        self._driver = Driver(paths.resolved(path), name)
        self._driver.will_close = self._forget_polled
        self._core = self._driver.core
        self._poll = select.poll()
        self._polled: Optional[tuple[int, int]] = None
        self.patience = patience

    def __enter__(self) -> "Hub":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Ends every watch and fails every request with `closed`. The hub ends what was ephemeral."""
        self._core.close()
        self._driver.disconnect()

    # Stores

    def value(self, name: str, kind: Any = object) -> "SharedValue[Any]":
        """A handle on the store of that name. It asks nothing: the store need not exist. `kind` is `bool`, `int`, `float`,
        `str`, `bytes`, `Json`; `dict` or `list`, held as JSON; `object` for any value; or a `Codec`."""
        return SharedValue(self, name, codec_for(kind))

    def watch(self, *patterns: str, policy: Optional[Policy] = None) -> "Iteration[Event]":
        """What happens to all matching stores: the current values (`initial`), `synced`, and from then on changes, new stores
        and removals. At every `synced` the events so far add up to a state that the hub was in."""
        if not patterns:
            raise HubError(Code.invalidPattern, "a watch names at least one store or pattern")
        return Iteration(self, Stream(patterns, policy or Latest(), False), lambda event: event)

    def transaction(self, *writes: Write) -> replies.Committed:
        """Makes several writes (`Set`, `Add`, `Toggle`, `Reset`, `Remove`, `Create`) as one change with one revision: all of
        them, or none. It is repeated after a lost connection only if every one of its writes is conditional."""
        result: replies.Committed = self._perform(requests.transaction(writes)).reply
        return result

    def write(self, write: Write) -> replies.Written:
        result: replies.Written = self._perform(requests.write(write)).reply
        return result

    def create(self, name: str, schema: Schema, if_absent: bool = False) -> replies.Written:
        """Creates a store, or gives it a new schema, which its value must fit."""
        return self.write(requests.Create(name, schema, if_absent))

    # The hub

    def ping(self) -> int:
        """Asks for an answer, and nothing else: the hub's revision."""
        return int(self._perform(requests.ping()).reply.revision)

    def list(self, pattern: str = "**") -> Summaries:
        """The stores whose names match, in the order of names; asked for in pages."""
        stores: Summaries = []
        while True:
            page = self._perform(requests.list_stores(pattern, stores[-1].name if stores else "")).reply
            stores += page.stores
            if not page.more or not page.stores:
                return stores

    def describe(self, store: Store) -> replies.Description:
        """Everything about one store."""
        result: replies.Description = self._perform(requests.describe(store)).reply
        return result

    def clients(self) -> Clients:
        """The hub's connections."""
        clients: Clients = []
        while True:
            page = self._perform(requests.clients(clients[-1].connection if clients else -1)).reply
            clients += page.clients
            if not page.more or not page.clients:
                return clients

    def stats(self) -> dict[str, int]:
        """The hub's counters."""
        figures: dict[str, int] = self._perform(requests.stats()).reply
        return figures

    # Work

    def fileno(self) -> int:
        """The socket, -1 while there is none: for event loops, which call `step` when it can be read (or written, if
        `wants_write`), and once `timeout` has passed. It is another one after a lost connection."""
        return self._driver.socket.fileno() if self._driver.socket is not None else -1

    @property
    def wants_write(self) -> bool:
        """Whether to call `step` when the socket takes more."""
        return self._driver.wants_write

    def timeout(self) -> Optional[float]:
        """After how many seconds `step` has to be called, at the latest. None: whenever the socket is ready."""
        if self._core.link.name == "IDLE" and self._core.is_wanted:
            return 0.0
        deadline = self._core.next_deadline
        return None if deadline == FOREVER else max(0.0, deadline - _now())

    def step(self) -> None:
        """Does what there is to do, without waiting: connects, sends, reads once, handles all that was read."""
        now = _now()
        self._driver.tend(now)
        self._driver.read()
        while self._driver.receive(now):
            pass
        self._driver.tend(now)

    def _perform(self, request: Request) -> Answer:
        call = self._core.begin(request, _now() + self.patience)
        try:
            while not call.is_done:
                self._turn(FOREVER)
        except BaseException:
            self._core.cancel(call)
            raise
        return call.result()

    def _turn(self, deadline: float) -> bool:
        """One frame's worth of work, or one wait; False once `deadline` has passed."""
        driver = self._driver
        now = _now()
        due = driver.tend(now)
        if driver.receive(now):
            return True
        if driver.socket is None:
            # Nothing to wait for but the time of the next attempt.
            due = min(driver.tend(now), deadline)
            if driver.socket is None:
                time.sleep(max(0.0, min(due - now, 60.0)))
                return now < deadline
        due = min(due, deadline)
        if due == FOREVER and not driver.core.output:
            driver.read(waits=True)
            return True
        events = select.POLLIN | select.POLLOUT if driver.wants_write else select.POLLIN
        self._watch(driver.socket.fileno(), events)
        self._poll.poll(None if due == FOREVER else max(0.0, due - now) * 1000 + 1)
        driver.read()
        return deadline == FOREVER or _now() < deadline

    def _watch(self, descriptor: int, events: int) -> None:
        if self._polled == (descriptor, events):
            return
        self._forget_polled()
        self._poll.register(descriptor, events)
        self._polled = (descriptor, events)

    def _forget_polled(self) -> None:
        if self._polled is not None:
            self._poll.unregister(self._polled[0])
            self._polled = None

    def _next(self, stream: Stream, deadline: float) -> Optional[Event]:
        """The next event; None: the stream has ended, or `deadline` has passed."""
        event = stream.take()
        receive = self._driver.receive
        while event is None:
            if stream.has_ended:
                return None
            # What was read already needs no look at the socket,.
            if not receive(_now()) and not self._turn(deadline):
                return stream.take()
            event = stream.take()
        return event


class Iteration(Generic[T]):
    """One iteration of a watch. It begins with the first `next`, survives lost connections, and ends with `close`."""

    def __init__(self, hub: Hub, stream: Stream, convert: Callable[[Event], T]) -> None:
        self._hub, self._stream, self._convert = hub, stream, convert
        hub._core.open(stream)

    def __iter__(self) -> Iterator[T]:
        return self

    def __next__(self) -> T:
        """Waits for the next one. Raises `HubError`, once."""
        event = self._hub._next(self._stream, FOREVER)
        if event is None:
            raise StopIteration
        return self._convert(event)

    def next(self, timeout: Optional[float] = None) -> Optional[T]:
        """The next one within so many seconds (None: any number), else None."""
        event = self._hub._next(self._stream, FOREVER if timeout is None else _now() + timeout)
        return None if event is None else self._convert(event)

    def take(self) -> Optional[T]:
        """The next one that has come already: for programs that call `Hub.step`."""
        event = self._stream.take()
        return None if event is None else self._convert(event)

    def close(self) -> None:
        """Ends it, and its watch in the hub."""
        self._hub._core.end(self._stream)
        self._hub._driver.flush()

    def __enter__(self) -> "Iteration[T]":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class SharedValue(Generic[T]):
    """A value that all programs of the machine (or of the user) share: a store of the hub, as a Python type."""

    def __init__(self, hub: Hub, name: str, codec: Codec[T]) -> None:
        self.hub, self.name, self._codec = hub, name, codec

    def get(self) -> T:
        """The value in the hub: one request. `noSuchStore`; `undecodable` if it is of another type."""
        value: T = self.read().value
        return value

    def read(self) -> Stored:
        """The value with its revision: one request."""
        answer = self.hub._perform(requests.get(self.name))
        return stored(answer.reply, answer.epoch, self._codec, self.name)

    def set(
        self, value: T, condition: Condition = ALWAYS, ttl: Optional[float] = None, ephemeral: bool = False,
        force: bool = False,
    ) -> replies.Written:
        """Sets the value; creates the store if it does not exist, unless the hub is strict. Setting an equal value succeeds
        and changes nothing, unless `force`.

        A conditional set is repeated after a lost connection, an unconditional one fails with `outcomeUnknown`. `ttl`: in
        seconds; then the store returns to its initial value, or is removed. `ephemeral`: the value stays as long as this Hub
        is connected; after a lost connection it is set again, under the same condition (unless that was a revision)."""
        return self.hub.write(self.setting(value, condition, ttl, ephemeral, force))

    def setting(
        self, value: T, condition: Condition = ALWAYS, ttl: Optional[float] = None, ephemeral: bool = False,
        force: bool = False,
    ) -> requests.Set:
        """The same as a write for a transaction."""
        milliseconds = None if ttl is None else -int(-ttl * 1000 // 1)
        return requests.Set(
            self.name, self._codec.encode(value, self.name), condition, milliseconds, ephemeral, force)

    def update(self, change: Callable[[T], T], default: Optional[T] = None) -> T:
        """Changes the value with a compare-and-set: reads it, applies `change`, and sets it if no other process has set it
        meanwhile; else it starts over with the newer value. So `change` may run several times. `default`: what to start with
        if there is no such store. `outcomeUnknown` if a lost connection leaves it open whether the change was made."""
        known = self._known()
        while True:
            if known is None:
                known = self._read_if_present()
            if known is None and default is None:
                raise HubError(
                    Code.noSuchStore, "there is no such store: give update a default, or set it first", self.name)
            value = change(known.value if known is not None else default)  # type: ignore[arg-type]
            try:
                self.set(value, unchanged(known))
                return value
            except HubError as error:
                if error.code != Code.conflict:
                    raise
                known = None

    def _known(self) -> Optional[Stored]:
        known = self.hub._core.watches.cached(self.name)
        if known is None:
            return None
        value, revision, version, epoch = known
        return Stored(self._codec.decode(value, self.name), revision, epoch, version, 0, 0)

    def _read_if_present(self) -> Optional[Stored]:
        try:
            return self.read()
        except HubError as error:
            if error.code != Code.noSuchStore:
                raise
            return None

    def add(self, delta: T, clamp: bool = False) -> T:
        """Adds to the number in the hub: one request, however many processes add at the same time. `clamp`: stop at the
        schema's bound instead of failing. Never repeated."""
        return self._resulting(requests.Add(self.name, self._codec.encode(delta, self.name), clamp))

    def toggle(self) -> T:
        """Turns true into false and false into true, in the hub. Never repeated."""
        return self._resulting(requests.Toggle(self.name))

    def reset(self) -> T:
        """Sets the store to the initial value of its schema. Never repeated."""
        return self._resulting(requests.Reset(self.name))

    def remove(self, condition: Condition = ALWAYS) -> replies.Written:
        """Removes the store. Its watches stay, and see it when it is created again."""
        return self.hub.write(requests.Remove(self.name, condition))

    def _resulting(self, write: Write) -> T:
        value = self.hub.write(write).value
        if value is None:
            raise HubError(Code.protocolViolation, "the hub did not tell the value afterwards", self.name)
        return self._codec.decode(value, self.name)

    def values(self, policy: Optional[Policy] = None) -> Iteration[T]:
        """The current value, then the newest one after each change. It shows no removals."""
        codec, name = self._codec, self.name
        stream = Stream((check_name(name),), policy or Latest(), True)
        return Iteration(self.hub, stream, lambda event: codec.decode(event.value, name))  # type: ignore[arg-type]

    def events(self, policy: Optional[Policy] = None) -> Iteration[Event]:
        """Everything that happens to it; by default every change."""
        stream = Stream((check_name(self.name),), policy or Every(), False)
        return Iteration(self.hub, stream, lambda event: event)


def unchanged(since: Optional[Stored]) -> Condition:
    """The store has not changed since it was read; None: there is no such store."""
    return Condition(absent=True) if since is None else Condition(revision=since.revision, epoch=since.epoch)
