"""Writes that the hub has acknowledged but this process's own streams do not show yet.

The hub answers a writer before it tells watchers. The answer is held back until the watches that cover the store have
caught up with it, so that a program that reads its streams after a `set` sees what it set.

A stream may not be allowed to see the store: a complete one that does not have it is waited for only for a moment.
"""

from __future__ import annotations

from typing import Any, Callable

from .call import Call
from .stream import Stream

GRACE = 0.05
"""Seconds that a write waits for a complete stream to show a store that it does not have."""


class _Held:
    __slots__ = ("call", "answer", "deadline", "grace", "waits")

    def __init__(self, call: Call, answer: Any, deadline: float, grace: float, waits: int) -> None:
        self.call, self.answer, self.deadline, self.grace, self.waits = call, answer, deadline, grace, waits


class HeldWrites:
    def __init__(self) -> None:
        # In the order of their answers; each counts the waits below that it has left.
        self.writes: dict[_Held, None] = {}
        # What a stream has yet to show: the write, the store's number, and the revision.
        self._waits: dict[Stream, list[tuple[_Held, int, int]]] = {}

    @property
    def deadline(self) -> float:
        return min((min(held.deadline, held.grace) for held in self.writes), default=float("inf"))

    def hold(self, call: Call, answer: Any, deadline: float, waits: list[tuple[Stream, int, int]], now: float) -> None:
        """`waits` are streams, the number of the store each has to show, and the revision."""
        held = _Held(call, answer, deadline, now + GRACE, len(waits))
        self.writes[held] = None
        for stream, store, revision in waits:
            self._waits.setdefault(stream, []).append((held, store, revision))

    def see(self, stream: Stream, store: int, revision: int) -> None:
        """A watch has shown a change of that store. A later change of another store proves nothing: the hub
        sends a store's newest change in place of a superseded one."""
        if stream in self._waits:
            self._release(stream, lambda wait: wait[1] == store and revision >= wait[2])

    def synced(self, revision: int) -> None:
        """Every open watch has reached `revision`."""
        for stream in [stream for stream in self._waits if stream.is_open]:
            self._release(stream, lambda wait: wait[2] <= revision)

    def drop(self, stream: Stream) -> None:
        """A watch has ended, or starts over."""
        if stream in self._waits:
            self._release(stream, lambda wait: True)

    def release_all(self) -> None:
        for held in list(self.writes):
            self._finish(held)

    def release(self, call: Call) -> bool:
        """Its caller waits no longer."""
        found = [held for held in self.writes if held.call is call]
        for held in found:
            self._finish(held)
        return bool(found)

    def expire(self, now: float) -> None:
        """The write was made: that its streams are late is not its failure."""
        for held in [held for held in self.writes if held.deadline <= now]:
            self._finish(held)
        late = {held for held in self.writes if held.grace <= now}
        for held in late:
            # A stream that is not complete yet may be then.
            held.grace = now + GRACE
        for stream in list(self._waits) if late else ():
            if stream.is_open and stream.view.is_synced:
                self._release(stream, lambda wait: wait[0] in late and wait[1] not in stream.view.stores)

    def _release(self, stream: Stream, is_over: Callable[[tuple[_Held, int, int]], bool]) -> None:
        """Ends those of a stream's waits, and answers the writes that have none left."""
        waits = self._waits.pop(stream, [])
        kept = [wait for wait in waits if not is_over(wait) and wait[0] in self.writes]
        if kept:
            self._waits[stream] = kept
        for wait in waits:
            if is_over(wait):
                wait[0].waits -= 1
                if wait[0].waits == 0:
                    self._finish(wait[0])

    def _finish(self, held: _Held) -> None:
        if self.writes.pop(held, held) is None:
            held.call.finish(held.answer)
        if not self.writes:
            self._waits.clear()
