"""What a task of asyncio awaits until something comes, and what resumes it at once."""

from __future__ import annotations

import asyncio
from contextvars import Context
from typing import Any, Callable, Generator, Optional


class Waiter:
    """A future that can be used again, for one task at a time. A future resumes its task in the loop's next round, which takes
    a system call more for each event; `wake` resumes it right here. So it is for callbacks of the loop, as their last act:
    within another task, use `wake_soon`.

    It does what `asyncio.isfuture` asks for, and what a task needs of a future.
    """

    __slots__ = ("_asyncio_future_blocking", "_loop", "_callback", "_context", "_is_cancelled")

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self._asyncio_future_blocking = False
        self._callback: Optional[Callable[["Waiter"], object]] = None
        self._context: Optional[Context] = None
        self._is_cancelled = False

    def __await__(self) -> Generator["Waiter", None, None]:
        self._asyncio_future_blocking = True
        yield self

    def wake(self) -> None:
        """Resumes the task that waits, if one does."""
        callback, self._callback = self._callback, None
        if callback is not None and self._context is not None:
            self._context.run(callback, self)

    def wake_soon(self) -> None:
        """Resumes it in the loop's next round, if there will be one."""
        callback, self._callback = self._callback, None
        if callback is not None and not self._loop.is_closed():
            self._loop.call_soon(callback, self, context=self._context)

    # What a task calls

    def get_loop(self) -> asyncio.AbstractEventLoop:
        return self._loop

    def add_done_callback(self, callback: Callable[["Waiter"], object], *, context: Optional[Context] = None) -> None:
        self._callback, self._context = callback, context

    def cancel(self, msg: Any = None) -> bool:
        """The task is cancelled: `result` raises that."""
        if self._callback is None:
            return False
        self._is_cancelled = True
        self.wake_soon()
        return True

    def result(self) -> None:
        if self._is_cancelled:
            self._is_cancelled = False
            raise asyncio.CancelledError
