"""When the next attempt to connect is due. It neither waits nor connects."""

from __future__ import annotations

from typing import Optional

FIRST, SOON_LIMIT, SOON, LIMIT = 0.1, 1.0, 10.0, 5.0


class Backoff:
    """The first attempt within 100 ms of the loss, none more than 1 s after the one before in the first 10 s, then at
    most 5 s. Half of every delay is random, so that a hub's clients do not all reconnect at once."""

    def __init__(self) -> None:
        self._lost_at: Optional[float] = None
        self._attempts = 0
        self.failures = 0
        """Attempts that failed since the last success."""

    def succeed(self) -> None:
        self._lost_at = None
        self._attempts = self.failures = 0

    def fail(self) -> None:
        self.failures += 1

    def next(self, now: float, random: float) -> float:
        """When to try again. `random` is in 0 ..< 1."""
        if self._lost_at is None:
            self._lost_at = now
        attempts, self._attempts = self._attempts, self._attempts + 1
        if attempts == 0:
            return now + FIRST * random
        ceiling: float = min(FIRST * 2 ** min(attempts, 6), SOON_LIMIT if now < self._lost_at + SOON else LIMIT)
        return now + ceiling / 2 + ceiling / 2 * random
