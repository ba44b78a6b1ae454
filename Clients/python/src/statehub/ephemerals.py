"""The ephemeral values that this process has set and still owns, to be set again on its next connection."""

from __future__ import annotations

from typing import Optional

from .requests import Add, Set, Toggle, Create, Write, with_value
from .values import Value


class Ephemerals:
    """An ephemeral value ends with its connection. It is set again under its original condition if that was `absent` or a
    value, unconditionally if there was none, and not at all if it depended on a revision: that has passed."""

    def __init__(self) -> None:
        self._values: dict[str, Set] = {}

    def __len__(self) -> int:
        return len(self._values)

    @property
    def writes(self) -> list[Set]:
        """What has to be sent on a new connection."""
        return list(self._values.values())

    def note(self, write: Write, value: Optional[Value]) -> None:
        """Takes note of a write that has succeeded: the last one decides. `value` is the one afterwards, of `add` and
        `toggle`."""
        name = write.store
        if not isinstance(name, str):
            return
        if isinstance(write, Set) and write.ephemeral and write.condition.revision is None:
            self._values[name] = write
        elif not isinstance(write, (Add, Toggle, Create)):
            self._values.pop(name, None)
        elif value is not None and name in self._values:
            self._values[name] = with_value(self._values[name], value)

    def forget(self, write: Write) -> None:
        """The hub has refused it: another process owns the store now."""
        if isinstance(write.store, str):
            self._values.pop(write.store, None)
