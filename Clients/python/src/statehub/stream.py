"""One iteration of a watch: what it has seen, and what waits for its reader. It knows no connection."""

from __future__ import annotations

from typing import Callable, Optional

from .errors import Code, HubError
from .events import Event
from .names import check_pattern, is_name, matcher
from .queue import EventQueue, Every, Latest, Policy
from .values import shown
from .view import View
from .waiter import Waiter


class Stream:
    """Filled by the core, emptied by one reader. It survives the connections."""

    def __init__(self, patterns: tuple[str, ...], policy: Policy, values_only: bool) -> None:
        if not 0 < len(patterns) < 1 << 16:
            raise HubError(Code.invalidPattern, f"a watch takes 1 to 65535 stores or patterns, not {len(patterns)}")
        if not isinstance(policy, (Latest, Every)):
            raise HubError(Code.misused, f"a policy must be Latest or Every, not {shown(policy)}")
        self.patterns = patterns
        self.policy = policy
        self.values_only = values_only
        """Values only, each once, without removals and markers."""
        self.name = patterns[0] if len(patterns) == 1 and is_name(patterns[0]) else None
        self._matchers = tuple(matcher(check_pattern(pattern)) for pattern in patterns)
        self.is_glob = any("*" in pattern for pattern in patterns)
        self.view = View()
        self.number: Optional[int] = None
        """Of the watch request on this connection."""
        self.is_open = False
        """The hub has confirmed the watch on this connection."""
        self.on_event: Optional[Callable[[], None]] = None
        """Called when `is_due` becomes true."""
        self.waiter: Optional[Waiter] = None
        """Of asyncio: what the reader's task awaits. It is here so that nothing of the hub keeps the reader."""
        self._only: Optional[Event] = None
        self._queue: Optional[EventQueue] = None
        self._error: Optional[HubError] = None
        self.has_ended = False
        """Nothing comes any more."""
        self.is_due = False
        """`take` has something to say: an event, a failure, or that it has ended."""

    def matches(self, name: str) -> bool:
        return any(match(name) for match in self._matchers)

    # The core's side

    def push(self, event: Optional[Event]) -> None:
        if event is None or self.has_ended:
            return
        if self.values_only and (event.value is None or event._is_repeat):
            return
        if self.is_due:
            self._enqueue(event)
        else:
            self._only = event
            self._becomes_due()

    def _becomes_due(self) -> None:
        if not self.is_due:
            self.is_due = True
            if self.on_event is not None:
                self.on_event()

    def _enqueue(self, event: Event) -> None:
        """Behind what waits already."""
        if self._queue is None:
            self._queue = EventQueue(self.policy, self.name is not None)
        if self._only is not None:
            self._queue.push(self._only)
            self._only = None
        self._queue.push(event)

    def fail(self, error: HubError) -> None:
        """Ends it after what waits. The first failure counts."""
        if not self.has_ended and self._error is None:
            self._error = error
            self._becomes_due()

    def void(self) -> None:
        """What it has shown is uncertain, and so is what waits: it starts over."""
        self.view = View.starting_over()
        self._only = self._queue = None
        self.is_due = self.has_ended or self._error is not None

    def close(self) -> None:
        """Ends it at once."""
        self.has_ended = True
        self._only = self._queue = None
        self._becomes_due()

    # The reader's side

    def take(self) -> Optional[Event]:
        """The next event, without waiting. Raises what the stream has failed with, once."""
        event = self._only
        if event is not None:
            self._only, self.is_due = None, self._error is not None
            return event
        if self._queue:
            event = self._queue.pop()
            self.is_due = self._error is not None or bool(self._queue)
            return event
        if self._error is not None and not self.has_ended:
            self.has_ended = True
            raise self._error
        return None
