"""A watch's replica of its stores: the hub's events in, named events out. It decides what is new and what was skipped.

The rules are those of docs/protocol-watching.md ("What a client does"); the scripts of docs/vectors play them. A view outlives
connections: on the next one the watch is opened with its bookmark, and continues.
"""

from __future__ import annotations

from typing import Optional

from .events import Event
from .values import Value


class _Store:
    __slots__ = ("name", "version", "revision", "value", "overdue")

    def __init__(self, name: str, version: int, revision: int, value: Value, overdue: bool) -> None:
        self.name, self.version, self.revision, self.value = name, version, revision, value
        self.overdue = overdue


_FIRST, _AGAIN, _FOLLOWING = range(3)


class View:
    """Every change comes out at most once, and never after a later one of its store; `skipped` is exact."""

    def __init__(self) -> None:
        self.epoch = ""
        """Of everything below; empty before the first connection."""
        self.revision: Optional[int] = None
        """The bookmark's; None: the watch is opened without bookmark."""
        self.is_synced = False
        """The whole state was received on this connection."""
        self.stores: dict[int, _Store] = {}
        self.numbers: dict[str, int] = {}
        self._newest = 0
        self._in_batch = False
        self._shown = False
        self._phase = _FIRST
        # In phase again: versions that were shown before, in the same epoch.
        self._before: dict[int, int] = {}
        # Removals that the hub may send again: those after the bookmark.
        self._gone: dict[int, int] = {}
        # Names whose store was removed within a snapshot: the next one is not part of it.
        self._ended: set[str] = set()

    @classmethod
    def starting_over(cls) -> "View":
        """One that takes everything that was shown back with its first event, a `reset`."""
        view = cls()
        # Of no hub, so that no version counts from what was shown.
        view.epoch, view._shown = "void", True
        return view

    @property
    def bookmark(self) -> Optional[tuple[str, int]]:
        return None if self.revision is None else (self.epoch, self.revision)

    def opened(self, epoch: str) -> Optional[Event]:
        """The hub has confirmed the watch on a new connection."""
        self.is_synced = False
        if self.revision is not None:
            return None
        if self._shown:
            return self.forget(epoch, 0)
        self.epoch, self._newest, self._gone, self._ended = epoch, 0, {}, set()
        return None

    def see(
        self, number: int, name: Optional[str], version: int, revision: int, value: Value, time: int, uid: int,
        is_last: bool, overdue: Optional[bool] = None,
    ) -> Optional[Event]:
        """`current`, `created`; `change`, where `name` is None. `overdue`: what the hub says of a deadline; None: nothing."""
        self._in_batch = True
        if revision > self._newest:
            self._newest = revision
        if self.is_synced and revision - 1 > self.revision:  # type: ignore[operator]
            if self._gone:
                self.advance(revision - 1)
            else:
                self.revision = revision - 1
        store = self.stores.get(number)
        if store is not None:
            last = store.version
            if version <= last:
                if overdue is None or version < last or overdue == store.overdue:
                    return None
                store.overdue = overdue
                return Event(
                    "changed", store.name, value, revision, self.epoch, version, 0, time, uid, is_last, True, overdue)
            store.version, store.revision, store.value, store.overdue = version, revision, value, bool(overdue)
            if self._phase == _AGAIN:
                last = max(last, self._before.get(number, 0))
            skipped = version - last - 1
            return Event(
                "changed", store.name, value, revision, self.epoch, version, skipped if skipped > 0 else 0, time, uid,
                is_last, skipped < 0, store.overdue)
        return self._appear(number, name, version, revision, value, time, uid, is_last, bool(overdue))

    def _appear(
        self, number: int, name: Optional[str], version: int, revision: int, value: Value, time: int, uid: int,
        is_last: bool, overdue: bool,
    ) -> Optional[Event]:
        if name is None or revision <= (self.revision or 0) or number in self._gone:
            return None
        replaced = self.numbers.get(name)
        if replaced is not None:
            del self.stores[replaced]
        self.stores[number] = _Store(name, version, revision, value, overdue)
        self.numbers[name] = number
        self._shown = True
        kind, skipped, is_repeat = "initial", None, False
        if self._phase == _FOLLOWING or name in self._ended:
            kind, skipped = "changed", version - 1 if replaced is None else None
        elif self._phase == _FIRST:
            skipped = 0
        elif number in self._before:
            skipped = version - self._before[number] - 1
            skipped, is_repeat = max(0, skipped), skipped < 0
        return Event(kind, name, value, revision, self.epoch, version, skipped, time, uid, is_last, is_repeat, overdue)

    def removed(
        self, number: int, name: str, version: int, revision: int, time: int, uid: int, is_last: bool
    ) -> Optional[Event]:
        self._in_batch = True
        self._newest = max(self._newest, revision)
        self.advance(revision - 1)
        store = self.stores.get(number)
        last = 0 if store is None else store.version
        if version <= last:
            return None
        if store is not None:
            del self.stores[number], self.numbers[store.name]
        elif self._phase != _FOLLOWING or revision <= (self.revision or 0) or number in self._gone:
            return None
        if self._phase != _FOLLOWING:
            self._ended.add(name)
        self._gone[number] = revision
        return Event("removed", name, None, revision, self.epoch, version, version - last - 1, time, uid, is_last)

    def synced(self, revision: int) -> Optional[Event]:
        if revision < self._newest:
            return None
        is_news = not self.is_synced or self._in_batch
        self.is_synced, self._in_batch, self._phase, self._newest = True, False, _FOLLOWING, revision
        self.revision = max(revision, self.revision or 0)
        if self._gone:
            self._gone = {number: at for number, at in self._gone.items() if at > revision}
        if self._ended:
            self._ended = set()
        return Event("synced", "", None, revision, self.epoch) if is_news else None

    def resumed(self, revision: int) -> Event:
        return Event("resumed", "", None, revision, self.epoch)

    def forget(self, epoch: str, revision: int) -> Optional[Event]:
        is_news = self._shown or self._phase == _FOLLOWING
        versions = {number: store.version for number, store in self.stores.items()}
        if self._phase == _AGAIN:
            versions = {**self._before, **versions}
        if self.epoch and self.epoch != epoch:
            self._phase, self._before = _AGAIN, {}
        elif is_news:
            self._phase, self._before = _AGAIN, versions
        self.epoch, self.revision, self.is_synced, self._newest, self._shown = epoch, None, False, 0, False
        self.stores, self.numbers, self._gone, self._ended = {}, {}, {}, set()
        return Event("reset", "", None, revision, epoch) if is_news else None

    def advance(self, revision: int) -> None:
        """Everything up to here was received."""
        if self.is_synced and revision > self.revision:  # type: ignore[operator]
            self.revision = revision
            if self._gone:
                self._gone = {number: at for number, at in self._gone.items() if at > revision}
