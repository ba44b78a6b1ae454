"""What a watch reports: one event, as programs see it."""

from __future__ import annotations

from typing import Optional

from .values import Value


class Event:
    """One event of a watch.

    `kind` is one of
    - `initial`: a store's value when the watch began, or started over after a `reset`;
    - `changed`: a store has a new value, or was created with it;
    - `removed`: a store was removed. The watch continues;
    - `resumed`: the connection was lost and re-established; what changed meanwhile follows;
    - `synced`: the events so far are the hub's state at exactly `revision`;
    - `reset`: all earlier events are void; all values follow as `initial`.

    `skipped` is the number of changes of the store between the previous event and this one; None if it is unknown,
    because the history was interrupted. A store that was created and removed between two events is reported as
    `removed`, with its changes as skipped, so `removed` may name a store that no event has shown. `time` is in
    nanoseconds since 1970; `uid` is the user who made the change. `overdue`, of a Hub whose filter has a deadline: nobody has
    written the store for that long. It begins and ends with a `changed`, whose `version` may be that of the event before.
    """

    __slots__ = (
        "kind", "name", "value", "revision", "epoch", "version", "skipped", "time", "uid", "_is_last", "_is_repeat",
        "_spans_removal", "overdue")

    def __init__(
        self, kind: str, name: str, value: Optional[Value], revision: int, epoch: str, version: int = 0,
        skipped: Optional[int] = 0, time: int = 0, uid: int = 0, is_last: bool = False, is_repeat: bool = False,
        overdue: bool = False,
    ) -> None:
        self.kind = kind
        self.name = name
        self.value = value
        self.revision = revision
        self.epoch = epoch
        self.version = version
        self.skipped = skipped
        self.time = time
        self.uid = uid
        self.overdue = overdue
        # For the queue: no other change of the same revision follows; its value was delivered before, and a reset or a deadline
        # repeats it; what it skips includes the removal of another store of that name.
        self._is_last = is_last
        self._is_repeat = is_repeat
        self._spans_removal = False

    @property
    def is_about_store(self) -> bool:
        """Whether it is about one store rather than the whole watch."""
        return self.kind in ("initial", "changed", "removed")

    def __repr__(self) -> str:
        if not self.is_about_store:
            return f"Event({self.kind!r}, revision={self.revision})"
        return f"Event({self.kind!r}, {self.name!r}, {self.value!r}, revision={self.revision}, skipped={self.skipped})"


def itself(event: Event) -> Event:
    """What an iteration of events shows of each."""
    return event
