"""The asynchronous client: the same as `statehub.Hub`, on the running asyncio loop. It starts no thread."""

from __future__ import annotations

import asyncio
import socket
import threading
import time
import weakref
from typing import Any, Callable, Generic, Optional, TypeVar, overload

from . import path as paths
from . import fork, replies, requests
from .async_iteration import Iteration
from .call import Answer
from .codecs import Codec, Kind, Stored, codec_for, stored, unchanged
from .core import Core
from .driver import Driver
from .errors import Code, HubError
from .events import Event, itself
from .filters import Filter
from .pending import FOREVER, checked_timeout
from .names import check_name
from .queue import Every, Latest, Policy
from .requests import ALWAYS, Condition, Request, Store, Write
from .schemas import Schema
from .stream import Stream
from .values import Value
from .waiter import Waiter

__all__ = ["Hub", "Iteration", "SharedValue"]
T = TypeVar("T")
_now = time.monotonic


class Hub:
    """A program's access to a hub, shared by any number of tasks of one loop. It makes the same guarantees as
    `statehub.Hub`, and works whenever the loop does. It belongs to the loop of its first use. In another loop it raises
    `misused`, unless the first loop was closed: then the Hub starts again there with a new connection, and its earlier
    iterations end with `closed`. After a fork the child makes its own connection, and shares nothing with the parent.

        async with statehub.aio.Hub() as hub:
            volume = hub.value("audio.volume", int)
            await volume.set(6)
            async for value in volume.values():
                print(value)
    """

    def __init__(
        self, path: paths.Path = None, name: Optional[str] = None, timeout: float = 5.0, filter: Optional[Filter] = None
    ) -> None:
        self._driver = Driver(paths.resolved(path), name, filter)
        self._driver.will_close = _weakly(self._leave)
        self._loop: Optional[asyncio.AbstractEventLoop] = None
        self._timer: Optional[asyncio.TimerHandle] = None
        self._descriptor = -1
        self._is_writing = False
        # While what was read is handled: whose tasks are resumed at its end.
        self._woken: Optional[list[Waiter]] = None
        # Loops of several threads may ask at once.
        self._binding = threading.Lock()
        self.timeout = checked_timeout(timeout)
        fork.in_child(self)

    def forked(self) -> None:
        """Called in a forked child: the loop and what it watches belong to the parent, and must not be touched."""
        self._binding = threading.Lock()
        self._begin_again("it was started by the parent process, before the fork")

    def _begin_again(self, reason: str) -> None:
        self._loop, self._timer, self._descriptor, self._is_writing, self._woken = None, None, -1, False, None
        self._driver.begin_again(HubError(Code.closed, reason))

    def _bind(self) -> asyncio.AbstractEventLoop:
        """The running loop, if this hub may work on it."""
        loop = asyncio.get_running_loop()
        if self._loop is not loop:
            with self._binding:
                if self._loop is not None:
                    if not self._loop.is_closed():
                        raise HubError(
                            Code.misused, "this Hub belongs to another event loop, which is still open: create one Hub for each loop")
                    self._begin_again("its event loop was closed")
                self._loop = loop
        return loop

    @property
    def _core(self) -> Core:
        return self._driver.core

    def __repr__(self) -> str:
        return f"<statehub.aio.Hub at {self._driver.path}>"

    async def __aenter__(self) -> "Hub":
        return self

    async def __aexit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Ends every watch and fails every request with `closed`. The hub withdraws its ephemeral values."""
        if self._loop is not None and self._loop.is_closed():
            self._begin_again("its event loop was closed")
        self._core.close()
        self._driver.disconnect()
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def __del__(self) -> None:
        driver: Optional[Driver] = getattr(self, "_driver", None)
        if driver is None or driver.socket is None:
            return
        connection, driver.socket, loop = driver.socket, None, self._loop
        if loop is None or loop.is_closed():
            connection.close()
        else:
            # Any thread may collect it.
            loop.call_soon_threadsafe(_close, loop, connection)

    # Stores

    @overload
    def value(self, name: str) -> "SharedValue[Value]": ...
    @overload
    def value(self, name: str, kind: type[Kind]) -> "SharedValue[Kind]": ...
    @overload
    def value(self, name: str, kind: Codec[T]) -> "SharedValue[T]": ...

    def value(self, name: str, kind: Any = object) -> "SharedValue[Any]":
        return SharedValue(self, name, codec_for(kind))

    def watch(self, *patterns: str, policy: Optional[Policy] = None) -> "Iteration[Event]":
        return Iteration(self, Stream(patterns, policy or Latest(), False), itself)

    async def transaction(self, *writes: Write) -> replies.Committed:
        result: replies.Committed = (await self._perform(requests.transaction(writes))).reply
        return result

    async def write(self, write: Write) -> replies.Written:
        result: replies.Written = (await self._perform(requests.write(write))).reply
        return result

    async def create(self, name: str, schema: Schema, if_absent: bool = False) -> replies.Written:
        return await self.write(requests.Create(name, schema, if_absent))

    # The hub

    async def restrict(self, to: str) -> None:
        await self._perform(requests.restrict(to))

    async def ping(self) -> int:
        return int((await self._perform(requests.ping())).reply.revision)

    async def list(self, pattern: str = "**") -> replies.Summaries:
        stores: replies.Summaries = []
        deadline = self._deadline()
        while True:
            page = (await self._perform(
                requests.list_stores(pattern, stores[-1].name if stores else ""), deadline)).reply
            stores += page.stores
            if not page.more or not page.stores:
                return stores

    async def describe(self, store: Store) -> replies.Description:
        result: replies.Description = (await self._perform(requests.describe(store))).reply
        return result

    async def clients(self) -> replies.Clients:
        clients: replies.Clients = []
        deadline = self._deadline()
        while True:
            page = (await self._perform(requests.clients(clients[-1].connection if clients else -1), deadline)).reply
            clients += page.clients
            if not page.more or not page.clients:
                return clients

    async def stats(self) -> dict[str, int]:
        counters: dict[str, int] = (await self._perform(requests.stats())).reply
        return counters

    # Work

    def _deadline(self) -> float:
        return _now() + max(0.0, self.timeout)

    async def _perform(self, request: Request, deadline: Optional[float] = None) -> Answer:
        loop = self._bind()
        call = self._core.begin(request, self._deadline() if deadline is None else deadline)
        self._tend()
        if not call.is_due:
            future: asyncio.Future[None] = loop.create_future()
            call.on_done = lambda: None if future.done() else future.set_result(None)
            try:
                await future
            except asyncio.CancelledError:
                self._core.cancel(call)
                raise
        return call.result()

    def _tend(self) -> None:
        """After anything that may have given the core something to do."""
        driver, loop = self._driver, self._loop
        if loop is None or loop.is_closed():
            return
        deadline = driver.tend(_now())
        descriptor = driver.socket.fileno() if driver.socket is not None else -1
        if descriptor != self._descriptor:
            self._leave()
            if driver.socket is not None:
                loop.add_reader(descriptor, _weakly(self._readable))
                self._descriptor = descriptor
        if driver.wants_write != self._is_writing:
            self._is_writing = driver.wants_write
            if self._is_writing:
                loop.add_writer(descriptor, _weakly(self._tend))
            else:
                loop.remove_writer(descriptor)
        self._set_timer(loop, deadline)

    def _set_timer(self, loop: asyncio.AbstractEventLoop, deadline: float) -> None:
        if deadline == FOREVER:
            return
        at = loop.time() + max(0.0, deadline - _now())
        if self._timer is not None:
            if self._timer.when() <= at:
                return
            self._timer.cancel()
        self._timer = loop.call_at(at, _weakly(self._wake))

    def _wake(self) -> None:
        self._timer = None
        self._tend()

    def _leave(self) -> None:
        if self._loop is not None and self._descriptor >= 0 and not self._loop.is_closed():
            self._loop.remove_reader(self._descriptor)
            self._loop.remove_writer(self._descriptor)
        self._descriptor, self._is_writing = -1, False

    def _readable(self) -> None:
        driver = self._driver
        driver.read()
        woken = self._woken = []
        try:
            while driver.receive():
                pass
        except BaseException:
            # A signal handler has raised it: what it came into the middle of may be half done.
            driver.disconnect()
            driver.core.void(_now())
            self._tend()
            for waiter in woken:
                waiter.wake_soon()
            raise
        finally:
            self._woken = None
        if driver.socket is None or driver.core.output.buffer or driver.core.watches.held.writes:
            self._tend()
        rest = iter(woken)
        try:
            for waiter in rest:
                waiter.wake()
        finally:
            # A task has ended the loop, as SystemExit does; the others continue if the loop does.
            for waiter in rest:
                waiter.wake_soon()

    def _wake_task(self, waiter: Waiter) -> None:
        if self._woken is None:
            waiter.wake_soon()
        else:
            self._woken.append(waiter)


def _weakly(method: Callable[[], None]) -> Callable[[], None]:
    """A callback of the loop that does not keep the hub."""
    own = weakref.WeakMethod(method)

    def call() -> None:
        found = own()
        if found is not None:
            found()
    return call


def _close(loop: asyncio.AbstractEventLoop, connection: socket.socket) -> None:
    """Of a hub that was collected."""
    loop.remove_reader(connection.fileno())
    loop.remove_writer(connection.fileno())
    connection.close()


class SharedValue(Generic[T]):
    """Like `statehub.SharedValue`, where each method is described."""

    def __init__(self, hub: Hub, name: str, codec: Codec[T]) -> None:
        self.hub, self.name, self._codec = hub, name, codec

    def __repr__(self) -> str:
        return f"<statehub.aio.SharedValue {self.name!r}, a {self._codec.type_name}>"

    async def get(self) -> T:
        value: T = (await self.read()).value
        return value

    async def read(self) -> Stored[T]:
        return await self._read(None)

    async def _read(self, deadline: Optional[float]) -> Stored[T]:
        answer = await self.hub._perform(requests.get(self.name), deadline)
        return stored(answer.reply, answer.epoch, self._codec, self.name)

    async def set(
        self, value: T, condition: Condition = ALWAYS, ttl: Optional[float] = None, ephemeral: bool = False,
        force: bool = False,
    ) -> replies.Written:
        return await self.hub.write(self.setting(value, condition, ttl, ephemeral, force))

    def setting(
        self, value: T, condition: Condition = ALWAYS, ttl: Optional[float] = None, ephemeral: bool = False,
        force: bool = False,
    ) -> requests.Set:
        return requests.Set(
            self.name, self._codec.encode(value, self.name), condition, requests.milliseconds(ttl), ephemeral, force)

    async def update(self, change: Callable[[T], T], default: Optional[T] = None) -> T:
        known, deadline = self._known(), self.hub._deadline()
        while True:
            if known is None:
                known = await self._read_if_present(deadline)
            if known is None and default is None:
                raise HubError(
                    Code.noSuchStore, "there is no such store: give update a default, or set it first", self.name)
            value = change(known.value if known is not None else default)  # type: ignore[arg-type]
            try:
                await self.hub._perform(requests.write(self.setting(value, unchanged(known))), deadline)
                return value
            except HubError as error:
                if error.code != Code.conflict:
                    raise
                known = None

    def _known(self) -> Optional[Stored[T]]:
        known = self.hub._core.watches.cached(self.name)
        if known is None:
            return None
        value, revision, version, epoch = known
        return Stored(self._codec.decode(value, self.name), revision, epoch, version, 0, 0)

    async def _read_if_present(self, deadline: float) -> Optional[Stored[T]]:
        try:
            return await self._read(deadline)
        except HubError as error:
            if error.code != Code.noSuchStore:
                raise
            return None

    @overload
    async def add(self: "SharedValue[int]", delta: int, clamp: bool = False) -> int: ...
    @overload
    async def add(self: "SharedValue[float]", delta: float, clamp: bool = False) -> float: ...
    @overload
    async def add(self: "SharedValue[Value]", delta: float, clamp: bool = False) -> Value: ...

    async def add(self, delta: Any, clamp: bool = False) -> Any:
        return await self._resulting(requests.Add(self.name, self._codec.encode(delta, self.name), clamp))

    @overload
    async def toggle(self: "SharedValue[bool]") -> bool: ...
    @overload
    async def toggle(self: "SharedValue[Value]") -> Value: ...

    async def toggle(self) -> Any:
        return await self._resulting(requests.Toggle(self.name))

    async def reset(self) -> T:
        return await self._resulting(requests.Reset(self.name))

    async def remove(self, condition: Condition = ALWAYS) -> replies.Written:
        return await self.hub.write(requests.Remove(self.name, condition))

    async def _resulting(self, write: Write) -> T:
        value = (await self.hub.write(write)).value
        if value is None:
            raise HubError(Code.protocolViolation, "the hub did not return the new value", self.name)
        return self._codec.decode(value, self.name)

    def values(self, policy: Optional[Policy] = None) -> Iteration[T]:
        codec, name = self._codec, self.name
        stream = Stream((check_name(name),), policy or Latest(), True)
        return Iteration(self.hub, stream, lambda event: codec.decode(event.value, name))  # type: ignore[arg-type]

    def events(self, policy: Optional[Policy] = None) -> Iteration[Event]:
        stream = Stream((check_name(self.name),), policy or Every(), False)
        return Iteration(self.hub, stream, itself)
