"""One request and its waiting caller: where caller and answer meet. It knows neither the hub nor time."""

from __future__ import annotations

from typing import Any, Callable, Optional

from .errors import HubError


class Answer:
    """What the hub answered, and in which epoch its revisions count."""

    __slots__ = ("reply", "epoch")

    def __init__(self, reply: Any, epoch: str) -> None:
        self.reply, self.epoch = reply, epoch


class Call:
    """Finished once: the first result counts."""

    __slots__ = ("is_due", "_answer", "_error", "on_done")

    def __init__(self) -> None:
        self.is_due = False
        """`result` has something to say."""
        self._answer: Optional[Answer] = None
        self._error: Optional[HubError] = None
        self.on_done: Optional[Callable[[], None]] = None

    def finish(self, answer: Answer) -> None:
        self._end(answer, None)

    def fail(self, error: HubError) -> None:
        self._end(None, error)

    def _end(self, answer: Optional[Answer], error: Optional[HubError]) -> None:
        if self.is_due:
            return
        self.is_due, self._answer, self._error = True, answer, error
        if self.on_done is not None:
            self.on_done()

    def result(self) -> Answer:
        """Of a call that is due. Raises the `HubError` that it failed with."""
        if self._error is not None:
            raise self._error
        assert self._answer is not None
        return self._answer
