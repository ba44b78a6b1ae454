"""The ephemeral values that this process has set and still owns, to be set again on its next connection."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Optional, Union

from . import values
from .errors import HubError
from .replies import Description, Written
from .requests import Add, Condition, Create, Set, Toggle, Write, with_value


@dataclass(frozen=True)
class Owned:
    """What was set, and this process's last change of the store."""

    write: Set
    revision: int
    epoch: str


class Ephemerals:
    """An ephemeral value ends with its connection. It is set again under its original condition if that was `absent` or a
    value, and not at all if it depended on a revision: that has passed. One without a condition is set again unless another
    program has set the store meanwhile."""

    def __init__(self) -> None:
        self._owned: dict[str, Owned] = {}

    def __len__(self) -> int:
        return len(self._owned)

    @property
    def conditional(self) -> list[Set]:
        """What has to be sent on a new connection at once."""
        return [owned.write for owned in self._owned.values() if not owned.write.condition.is_none]

    @property
    def unconditional(self) -> list[Set]:
        """What the hub has to be asked about before: see `again`."""
        return [owned.write for owned in self._owned.values() if owned.write.condition.is_none]

    def again(self, write: Set, store: Union[Description, HubError], epoch: str) -> Optional[Set]:
        """How to set a value again, once the hub has described its store, or has said why not. None: another program has
        set the store, and owns it now."""
        owned = self._owned.get(str(write.store))
        if owned is None:
            return None
        if isinstance(store, HubError):
            return replace(owned.write, condition=Condition(absent=True))
        state, initial = store.state, store.schema.initial
        is_own = (state.revision, epoch) == (owned.revision, owned.epoch)
        # A store with an initial value has returned to that when the value ended.
        if is_own or initial is not None and values.are_equal(state.value, initial):
            return replace(owned.write, condition=Condition(revision=state.revision, epoch=epoch))
        self.forget(write)
        return None

    def note(self, write: Write, result: Written, epoch: str) -> None:
        """Takes note of a write that has succeeded: the last one decides."""
        name = write.store
        if not isinstance(name, str):
            return
        if isinstance(write, Set) and write.ephemeral and write.condition.revision is None:
            self._owned[name] = Owned(write, result.revision, epoch)
        elif not isinstance(write, (Add, Toggle, Create)):
            self._owned.pop(name, None)
        elif name in self._owned:
            write = self._owned[name].write
            self._owned[name] = Owned(
                write if result.value is None else with_value(write, result.value), result.revision, epoch)

    def was_set_again(self, write: Write, result: Written, epoch: str) -> None:
        owned = self._owned.get(str(write.store))
        if owned is not None:
            self._owned[str(write.store)] = replace(owned, revision=result.revision, epoch=epoch)

    def forget(self, write: Write) -> None:
        """Another process owns the store now."""
        self._owned.pop(str(write.store), None)
