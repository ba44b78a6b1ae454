"""Which hub a program talks to: where its socket is."""

from __future__ import annotations

import os
from typing import Union

Path = Union[str, "os.PathLike[str]", None]

SYSTEM = "/run/statehub/hub.sock"


def user() -> str:
    """The hub of this login session's user."""
    directory = os.environ.get("XDG_RUNTIME_DIR") or f"/run/user/{os.getuid()}"
    return f"{directory}/statehub/hub.sock"


def automatic() -> str:
    """`$STATEHUB_SOCKET`, else the user's hub if the directory of its socket exists, else the system's."""
    named = os.environ.get("STATEHUB_SOCKET")
    if named:
        return named
    path = user()
    return path if os.path.isdir(os.path.dirname(path)) else SYSTEM


def resolved(path: Path) -> str:
    """Looked up once: reconnects go to the same socket."""
    return os.fspath(path) if path is not None else automatic()
