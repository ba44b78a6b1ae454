"""One iteration of a watch of the blocking client."""

from __future__ import annotations

import time
from typing import Callable, Generic, Iterator, Optional, TypeVar

from .errors import HubError
from .events import Event
from .pending import FOREVER
from .stream import Stream
from .worker import Worker

T = TypeVar("T")
_now = time.monotonic


class Iteration(Generic[T]):
    """One iteration of a watch. It starts at once, and survives lost connections. It ends with `close`, at the end of a `with`
    block, or when it is no longer referenced, for example after a `break` out of `for`.

    Several threads may share one: each event goes to one of them."""

    def __init__(
        self, worker: Worker, stream: Stream, convert: Callable[[Event], T], is_foreign: bool = False
    ) -> None:
        """`convert`: what it shows of each event; `is_foreign`: by means of the program's own code, whose errors are its own."""
        self._worker, self._stream, self._convert, self._is_foreign = worker, stream, convert, is_foreign
        worker.open(stream)

    def __iter__(self) -> Iterator[T]:
        return self

    # An event that a signal handler's exception keeps from the program must not be lost. So what catches it stands in the
    # function that the program calls: nothing can come between its `return` and the program.

    def __next__(self) -> T:
        """Waits for the next one. Raises the `HubError` that ends the iteration, once."""
        event = None
        try:
            event = self._worker.next(self._stream, FOREVER)
            if event is not None:
                return self._convert(event)
        except HubError:
            raise
        except BaseException as error:
            if event is None or not (self._is_foreign and isinstance(error, Exception)):
                self._worker.interrupted()
            raise
        raise StopIteration

    def next(self, timeout: Optional[float] = None) -> Optional[T]:
        """The next one if it arrives within `timeout` seconds (None: no limit), otherwise None."""
        event = None
        try:
            event = self._worker.next(self._stream, FOREVER if timeout is None else _now() + max(0.0, timeout))
            return None if event is None else self._convert(event)
        except HubError:
            raise
        except BaseException as error:
            if event is None or not (self._is_foreign and isinstance(error, Exception)):
                self._worker.interrupted()
            raise

    def take(self) -> Optional[T]:
        """The next one if it has already arrived, otherwise None; for programs that call `Hub.step`."""
        event = None
        try:
            event = self._worker.take(self._stream)
            return None if event is None else self._convert(event)
        except HubError:
            raise
        except BaseException as error:
            if event is None or not (self._is_foreign and isinstance(error, Exception)):
                self._worker.interrupted()
            raise

    def close(self) -> None:
        """Ends it, and its watch in the hub."""
        self._worker.end(self._stream)

    def __del__(self) -> None:
        stream: Optional[Stream] = getattr(self, "_stream", None)
        if stream is not None and not stream.has_ended:
            self._worker.core.abandoned.append(stream)

    def __enter__(self) -> "Iteration[T]":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<statehub.Iteration of {', '.join(self._stream.patterns)}>"
