"""The bounded queue between a watch and its reader: it conflates by its policy and counts what it skips.

A store's event makes room by dropping an older event of the same store, never its last one. With one store that keeps the
queue at the policy's count. With several it has at most one event more of each store: an event before the last `synced` is
not conflated with one after it, which would break that `synced`'s promise.
"""

from __future__ import annotations

from collections import OrderedDict, deque
from typing import Optional, Union

from .events import Event


class Latest:
    """Keep the newest `count` values of each store. The hub too sends only the newest values to a slow connection."""

    def __init__(self, count: int = 1) -> None:
        self.count = max(1, count)

    wants_every = False


class Every:
    """Keep every change, up to `limit` of them; beyond that, a store's newer changes replace its oldest."""

    def __init__(self, limit: int = 1024) -> None:
        self.limit = max(1, limit)

    wants_every = True


Policy = Union[Latest, Every]


class EventQueue:
    def __init__(self, policy: Policy, is_single: bool) -> None:
        self._policy = policy
        self._is_single = is_single
        # Stores' events by ascending index, and the indices of each store's, oldest first.
        self._entries: OrderedDict[int, Event] = OrderedDict()
        self._chains: dict[str, deque[int]] = {}
        self._next = 0
        # `resumed`, `synced`, `reset`: each comes before the entry of its index.
        self._markers: list[tuple[int, Event]] = []
        # The index after the last `synced`.
        self._seal = 0
        # For stores whose events a `reset` has dropped: the version that was delivered last; None: unknown.
        self._delivered: dict[str, Optional[int]] = {}

    def __len__(self) -> int:
        return len(self._entries) + len(self._markers)

    def pop(self) -> Event:
        """The next event of a queue that is not empty."""
        if self._markers and (not self._entries or self._markers[0][0] <= next(iter(self._entries))):
            return self._markers.pop(0)[1]
        _, event = self._entries.popitem(last=False)
        chain = self._chains[event.name]
        chain.popleft()
        if not chain:
            del self._chains[event.name]
        return event

    def push(self, event: Event) -> None:
        if event.name:
            if self._delivered:
                self._recount(event)
            self._append(event)
        elif event.kind == "synced":
            self._close(event)
        elif event.kind == "reset":
            self._restart(event)
        else:
            self._mark(event)

    def _mark(self, event: Event) -> None:
        """Puts a marker at the end, instead of one of its kind that stands there already."""
        markers = self._markers
        if markers and markers[-1][0] == self._next and markers[-1][1].kind == event.kind:
            markers.pop()
        markers.append((self._next, event))

    def _append(self, event: Event) -> None:
        index = self._next
        self._entries[index] = event
        self._next = index + 1
        chain = self._chains.get(event.name)
        if chain is None:
            self._chains[event.name] = deque((index,))
        else:
            chain.append(index)
            self._trim(chain)

    def _excess(self, chain: deque[int]) -> int:
        policy = self._policy
        return len(self._entries) - policy.limit if isinstance(policy, Every) else len(chain) - policy.count

    def _trim(self, chain: deque[int]) -> None:
        """Drops as many of the store's oldest events as the policy requires and the last `synced` allows."""
        place = 0
        while place + 1 < len(chain) and self._excess(chain) > 0:
            victim, successor = chain[place], chain[place + 1]
            if self._is_single or (victim < self._seal) == (successor < self._seal):
                del chain[place]
                self._drop(victim, successor)
            else:
                place += 1

    def _drop(self, victim: int, successor: int) -> None:
        dropped, event = self._entries.pop(victim), self._entries[successor]
        is_restated = event._is_repeat and event.version == dropped.version and event.epoch == dropped.epoch
        is_restated = is_restated and dropped.kind != "removed"
        event.skipped = dropped.skipped if is_restated else _skipped(dropped, event)
        if is_restated:
            event._is_repeat = dropped._is_repeat
        if dropped.kind == "removed" or dropped._spans_removal:
            event._spans_removal = True
        if dropped.kind == "initial" and event.kind == "changed":
            event.kind = "initial"
        if not self._markers:
            return
        # What was promised in between no longer holds.
        void = [marker for marker in self._markers if marker[1].kind == "synced" and victim < marker[0] <= successor]
        if not void:
            return
        self._markers = [marker for marker in self._markers if marker not in void]
        # Of one store it holds behind the second event, unless that is part of a transaction or of a catch-up: the hub
        # ends these with a `synced` of its own.
        if self._is_single and event._is_last:
            last = void[-1][1]
            last.revision = max(last.revision, event.revision)
            place = next(
                (place for place, marker in enumerate(self._markers) if marker[0] > successor), len(self._markers))
            self._markers.insert(place, (successor + 1, last))

    def _close(self, event: Event) -> None:
        self._mark(event)
        opened, self._seal = self._seal, self._next
        self._delivered.clear()
        if not self._is_single:
            # Events behind the old seal may now give way to newer ones before the new one.
            for chain in [chain for chain in self._chains.values() if len(chain) > 1 and chain[-1] >= opened]:
                self._trim(chain)

    def _restart(self, event: Event) -> None:
        for name, chain in self._chains.items():
            first = self._entries[chain[0]]
            if first.epoch == event.epoch:
                events = [self._entries[index] for index in chain]
                is_one = all(each.kind != "removed" and not each._spans_removal for each in events)
                self._delivered[name] = _version_before(first) if is_one else None
        self._entries.clear()
        self._chains.clear()
        self._markers = [(self._next, event)]
        self._seal = self._next

    def _recount(self, event: Event) -> None:
        """A store's event after a `reset`, counted from what was delivered before it."""
        if event.name not in self._delivered:
            return
        base = self._delivered.pop(event.name)
        if base is None or event.skipped is None:
            event.skipped = None
            return
        event._is_repeat = event.version <= base
        event.skipped = 0 if event._is_repeat else event.version - base - 1
        if event.kind != "removed":
            self._delivered[event.name] = max(base, event.version)


def _version_before(event: Event) -> Optional[int]:
    """The store's version that was delivered before its oldest waiting event, if the event says so."""
    if event._is_repeat:
        return event.version
    if event.skipped is None or event.skipped >= event.version:
        return None
    return event.version - event.skipped - 1


def _skipped(dropped: Event, event: Event) -> Optional[int]:
    """What an event skips once the one before it is not delivered."""
    if dropped.skipped is None or event.skipped is None:
        return None
    return dropped.skipped + event.skipped + (0 if dropped._is_repeat else 1)
