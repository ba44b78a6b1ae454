"""What hubs do in the child of a fork, before anything else runs there."""

from __future__ import annotations

import os
import weakref
from typing import Protocol


class Forked(Protocol):
    def forked(self) -> None:
        """Leaves everything that belongs to the parent."""


_all: "weakref.WeakSet[Forked]" = weakref.WeakSet()
in_child = _all.add


def _tell() -> None:
    for each in list(_all):
        each.forked()


os.register_at_fork(after_in_child=_tell)
