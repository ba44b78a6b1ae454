"""One iteration of a watch of the blocking client."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Callable, Generic, Iterator, Optional, TypeVar

from .events import Event
from .flights import FOREVER
from .stream import Stream

if TYPE_CHECKING:
    from .blocking import Hub

T = TypeVar("T")
_now = time.monotonic


class Iteration(Generic[T]):
    """One iteration of a watch. It begins with the first `next`, survives lost connections, and ends with `close`."""

    def __init__(self, hub: Hub, stream: Stream, convert: Optional[Callable[[Event], T]] = None) -> None:
        """`convert`: what it shows of each event; None: the event itself."""
        self._hub, self._stream, self._convert = hub, stream, convert
        hub._core.open(stream)

    def __iter__(self) -> Iterator[T]:
        return self

    def __next__(self) -> T:
        """Waits for the next one. Raises `HubError`, once."""
        event = self._hub._next(self._stream, FOREVER)
        if event is None:
            raise StopIteration
        return event if self._convert is None else self._convert(event)  # type: ignore[return-value]

    def next(self, timeout: Optional[float] = None) -> Optional[T]:
        """The next one within so many seconds (None: any number), else None."""
        event = self._hub._next(self._stream, FOREVER if timeout is None else _now() + timeout)
        return event if event is None or self._convert is None else self._convert(event)  # type: ignore[return-value]

    def take(self) -> Optional[T]:
        """The next one that has come already: for programs that call `Hub.step`."""
        event = self._stream.take()
        return event if event is None or self._convert is None else self._convert(event)  # type: ignore[return-value]

    def close(self) -> None:
        """Ends it, and its watch in the hub."""
        self._hub._core.end(self._stream)
        self._hub._driver.flush()

    def __enter__(self) -> "Iteration[T]":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
