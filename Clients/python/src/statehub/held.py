"""Writes that the hub has acknowledged but this process's own streams do not show yet.

The hub answers a writer before it tells watchers. The answer is held back until the watches that cover the store have
caught up with it, so that a program that reads its streams after a `set` sees what it set.
"""

from __future__ import annotations

from typing import Any, Callable

from .call import Call
from .stream import Stream


class _Held:
    __slots__ = ("call", "answer", "deadline", "waits")

    def __init__(self, call: Call, answer: Any, deadline: float, waits: list[tuple[Stream, int, int]]) -> None:
        self.call, self.answer, self.deadline, self.waits = call, answer, deadline, waits


class HeldWrites:
    def __init__(self) -> None:
        self.writes: list[_Held] = []

    @property
    def deadline(self) -> float:
        return min((held.deadline for held in self.writes), default=float("inf"))

    def hold(self, call: Call, answer: Any, deadline: float, waits: list[tuple[Stream, int, int]]) -> None:
        """`waits` are streams, the number of the store each has to show, and the revision."""
        self.writes.append(_Held(call, answer, deadline, waits))

    def see(self, stream: Stream, store: int, revision: int) -> None:
        """A watch has shown a change of that store. A later change of another store proves nothing: the hub sends the newer
        change of a store where an older, superseded one would have come."""
        self._release(lambda wait: wait[0] is stream and wait[1] == store and revision >= wait[2])

    def synced(self, revision: int) -> None:
        """Every watch that is open has reached `revision`."""
        self._release(lambda wait: wait[2] <= revision and wait[0].is_open)

    def drop(self, stream: Stream) -> None:
        """A watch has ended, or starts over."""
        self._release(lambda wait: wait[0] is stream)

    def release_all(self) -> None:
        self._release(lambda wait: True)

    def release(self, call: Call) -> bool:
        """Its caller waits no longer."""
        found = [held for held in self.writes if held.call is call]
        self.writes = [held for held in self.writes if held.call is not call]
        for held in found:
            call.finish(held.answer)
        return bool(found)

    def expire(self, now: float) -> None:
        """The write was made: that its streams are late is not its failure."""
        over = [held for held in self.writes if held.deadline <= now]
        if over:
            self.writes = [held for held in self.writes if held.deadline > now]
            for held in over:
                held.call.finish(held.answer)

    def _release(self, is_over: Callable[[tuple[Stream, int, int]], bool]) -> None:
        for held in self.writes:
            held.waits = [wait for wait in held.waits if not is_over(wait)]
        done = [held for held in self.writes if not held.waits]
        if done:
            self.writes = [held for held in self.writes if held.waits]
            for held in done:
                held.call.finish(held.answer)
