"""The blocking client: it reads, connects and keeps the time while one of its calls waits, and starts no thread."""

from __future__ import annotations

import select
import time
from typing import Any, Optional

from . import path as paths
from . import replies, requests
from .call import Answer
from .codecs import codec_for
from .driver import Driver
from .errors import Code, HubError
from .events import Event
from .flights import FOREVER
from .iteration import Iteration
from .queue import Latest, Policy
from .requests import Request, Store, Write
from .schemas import Schema
from .shared import SharedValue
from .stream import Stream

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
        return Iteration(self, Stream(patterns, policy or Latest(), False))

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
        while self._driver.receive():
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
        if driver.receive(deadline == FOREVER):
            return True
        if driver.socket is None:
            # Nothing to wait for but the time of the next attempt.
            due = min(driver.tend(now), deadline)
            if driver.socket is None:
                time.sleep(max(0.0, min(due - now, 60.0)))
                return now < deadline
        due = min(due, deadline)
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
        while not stream.is_due:
            # Most of the time there is nothing to do but to wait for the hub.
            if not self._driver.receive(deadline == FOREVER) and not self._turn(deadline):
                break
        return stream.take()
