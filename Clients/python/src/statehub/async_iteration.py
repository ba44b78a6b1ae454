"""One iteration of a watch of the asynchronous client."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, AsyncIterator, Callable, Generic, Optional, TypeVar

from .errors import Code, HubError
from .events import Event
from .stream import Stream
from .waiter import Waiter

if TYPE_CHECKING:
    from .aio import Hub

T = TypeVar("T")


class Iteration(Generic[T]):
    """One iteration of a watch, for one task at a time. It survives lost connections. It ends with `close`, at the end of an
    `async with` block, or when it is no longer referenced, for example after a `break` out of `async for`."""

    def __init__(self, hub: Hub, stream: Stream, convert: Callable[[Event], T]) -> None:
        """`convert`: what it shows of each event."""
        self._hub, self._stream, self._convert = hub, stream, convert
        self._is_open = False
        self._is_awaited = False

    def __aiter__(self) -> AsyncIterator[T]:
        return self

    async def __anext__(self) -> T:
        """Waits for the next one. Raises `HubError`, once."""
        stream = self._stream
        if not self._is_open:
            self.open()
        if not stream.is_due:
            await self._wait(stream)
        event = stream.take()
        if event is None:
            raise StopAsyncIteration
        return self._convert(event)

    async def _wait(self, stream: Stream) -> None:
        if self._is_awaited:
            raise HubError(Code.misused, "another task is waiting for this iteration: open one for each task")
        loop = self._hub._bind()
        if stream.is_due:  # It has ended with the loop before.
            return
        if stream.waiter is None:
            stream.waiter = Waiter(loop)
            stream.on_event = functools.partial(self._hub._wake_task, stream.waiter)
        self._is_awaited = True
        try:
            while not stream.is_due:
                await stream.waiter
        finally:
            self._is_awaited = False

    def open(self) -> "Iteration[T]":
        """Starts now, not with the first `await`, so that no change from here on is missed."""
        if not self._is_open:
            self._hub._bind()
            self._is_open = True
            self._hub._core.open(self._stream)
            self._hub._tend()
        return self

    def close(self) -> None:
        """Ends it, and its watch in the hub."""
        self._hub._core.end(self._stream)
        self._is_open = True
        self._hub._tend()

    def __del__(self) -> None:
        stream: Optional[Stream] = getattr(self, "_stream", None)
        if stream is None or not self._is_open or stream.has_ended:
            return
        hub, loop = self._hub, self._hub._loop
        stream.on_event = None
        hub._core.abandoned.append(stream)
        if loop is not None and not loop.is_closed():
            # Any thread may collect it.
            loop.call_soon_threadsafe(hub._tend)

    async def __aenter__(self) -> "Iteration[T]":
        return self.open()

    async def __aexit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<statehub.aio.Iteration of {', '.join(self._stream.patterns)}>"
