"""The blocking client: it reads, connects and keeps the time while one of its calls waits, and starts no thread."""

from __future__ import annotations

import time
from typing import Any, Optional, TypeVar, overload

from . import path as paths
from . import replies, requests
from .call import Answer
from .codecs import Codec, Kind, codec_for
from .core import Core
from .driver import Driver
from .errors import HubError
from .events import Event, itself
from .filters import Filter
from .pending import FOREVER, checked_timeout
from .iteration import Iteration
from .queue import Latest, Policy
from .requests import Request, Store, Write
from .schemas import Schema
from .shared import SharedValue
from .stream import Stream
from .values import Value
from .worker import Worker

T = TypeVar("T")
_now = time.monotonic


class Hub:
    """A program's access to a hub. It connects on first use.

        with statehub.Hub() as hub:
            volume = hub.value("audio.volume", int)
            volume.set(6)
            for value in volume.values():
                print(value)

    A lost connection is re-established: the first attempt comes within 100 ms, the others at most 1 s apart for 10 s,
    then at most 5 s apart. Watches survive that, and their events count what was skipped. Requests that were not sent,
    and those that can be repeated safely (reads, and writes conditional on a revision above 0), wait for the new
    connection; the others fail with `outcomeUnknown`. No request waits longer than `timeout` seconds. It then fails
    with the code `timeout`, or with the reason for the missing connection (`noHub`, `denied`).

    Any number of threads may share it. A signal handler may not use the Hub whose call it interrupts (`misused`). After
    a fork the child makes its own connection, and shares nothing with the parent. The Hub works only during its calls:
    the next call re-establishes a lost connection and sets ephemeral values again. A program that does other things for
    a long time calls `step` from its event loop (see `fileno`), or uses `statehub.aio`.
    """

    def __init__(
        self, path: paths.Path = None, name: Optional[str] = None, timeout: float = 5.0, filter: Optional[Filter] = None
    ) -> None:
        """`path`: by default `$STATEHUB_SOCKET`, else the user's hub if there is a socket at its path, else the system's;
        looked up now, once. `name`: what the hub shows about this client, up to 60 bytes. `timeout`: seconds that a
        request waits for its answer. `filter`: what the hub leaves out of all of this Hub's watches."""
        self._worker = Worker(Driver(paths.resolved(path), name, filter))
        self.timeout = checked_timeout(timeout)

    @property
    def _core(self) -> Core:
        return self._worker.core

    def __enter__(self) -> "Hub":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Ends every watch and fails every request with `closed`. The hub withdraws its ephemeral values."""
        self._worker.close()

    def __repr__(self) -> str:
        return f"<statehub.Hub at {self._worker.driver.path}>"

    # Stores

    @overload
    def value(self, name: str) -> "SharedValue[Value]": ...
    @overload
    def value(self, name: str, kind: type[Kind]) -> "SharedValue[Kind]": ...
    @overload
    def value(self, name: str, kind: Codec[T]) -> "SharedValue[T]": ...

    def value(self, name: str, kind: Any = object) -> "SharedValue[Any]":
        """A handle to the store with that name. It makes no request, and the store need not exist. `kind` is `bool`,
        `int`, `float`, `str`, `bytes`, `Json`; `dict` or `list`, held as JSON; `object` for any value; or a `Codec`."""
        return SharedValue(self, name, codec_for(kind))

    def watch(self, *patterns: str, policy: Optional[Policy] = None) -> "Iteration[Event]":
        """Everything that happens to the matching stores: first the current values (`initial`) and `synced`, then changes, new
        stores and removals. At every `synced` the events so far add up to a state that existed in the hub."""
        return Iteration(self._worker, Stream(patterns, policy or Latest(), False), itself)

    def transaction(self, *writes: Write) -> replies.Committed:
        """Makes several writes (`Set`, `Add`, `Toggle`, `Reset`, `Remove`, `Create`) as one change with one revision:
        all or none of them. It is repeated after a lost connection only if each of its writes is conditional on a
        revision above 0."""
        result: replies.Committed = self._perform(requests.transaction(writes)).reply
        return result

    def write(self, write: Write) -> replies.Written:
        result: replies.Written = self._perform(requests.write(write)).reply
        return result

    def create(self, name: str, schema: Schema, if_absent: bool = False) -> replies.Written:
        """Creates a store, or gives it a new schema, which its value must fit."""
        return self.write(requests.Create(name, schema, if_absent))

    # The hub

    def restrict(self, to: str) -> None:
        """Gives up rights for good: to "reading", or to "nothing", which keeps alive what the Hub has until its connection is
        lost. Every other request fails with `denied` from now on, also after a reconnect and in a forked child. A Hub can give
        up more later."""
        self._perform(requests.restrict(to))

    def ping(self) -> int:
        """Makes a round trip, and returns the hub's revision."""
        return int(self._perform(requests.ping()).reply.revision)

    def list(self, pattern: str = "**") -> replies.Summaries:
        """The stores whose names match, sorted by name, requested in pages."""
        stores: replies.Summaries = []
        deadline = self._deadline()
        while True:
            page = self._perform(requests.list_stores(pattern, stores[-1].name if stores else ""), deadline).reply
            stores += page.stores
            if not page.more or not page.stores:
                return stores

    def describe(self, store: Store) -> replies.Description:
        """Everything about one store."""
        result: replies.Description = self._perform(requests.describe(store)).reply
        return result

    def clients(self) -> replies.Clients:
        """The hub's connections."""
        clients: replies.Clients = []
        deadline = self._deadline()
        while True:
            page = self._perform(requests.clients(clients[-1].connection if clients else -1), deadline).reply
            clients += page.clients
            if not page.more or not page.clients:
                return clients

    def stats(self) -> dict[str, int]:
        """The hub's counters."""
        counters: dict[str, int] = self._perform(requests.stats()).reply
        return counters

    # Work

    def fileno(self) -> int:
        """The socket, or -1 without a connection. An event loop calls `step` when it is readable (or writable, if
        `wants_write`), and after `poll_timeout`. Each new connection has a new socket."""
        connection = self._worker.driver.socket
        return connection.fileno() if connection is not None else -1

    @property
    def wants_write(self) -> bool:
        """Whether to call `step` as soon as the socket is writable."""
        return self._worker.driver.wants_write

    def poll_timeout(self) -> Optional[float]:
        """The number of seconds after which `step` must be called at the latest; None if not before the socket is ready."""
        if self._core.link.name == "IDLE" and self._core.is_wanted:
            return 0.0
        deadline = self._core.next_deadline
        return None if deadline == FOREVER else max(0.0, deadline - _now())

    def step(self) -> None:
        """Does all pending work without waiting: connects, sends, reads once, and handles what was read."""
        self._worker.step()

    def _deadline(self) -> float:
        return _now() + max(0.0, self.timeout)

    def _perform(self, request: Request, deadline: Optional[float] = None) -> Answer:
        return self._worker.perform(request, self._deadline() if deadline is None else deadline)
