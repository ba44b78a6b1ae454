"""Which hub a program talks to: where its socket is, and what to do if no hub answers there. It opens nothing."""

from __future__ import annotations

import os
import shlex
import stat
from typing import Optional, Union

Path = Union[str, bytes, "os.PathLike[str]", None]

SYSTEM = "/run/statehub/hub.sock"
LONGEST = 107
"""Bytes; the system's address of a socket has room for one more, which ends it."""

_KINDS = {
    stat.S_IFREG: "a file", stat.S_IFDIR: "a directory", stat.S_IFIFO: "a FIFO",
    stat.S_IFLNK: "a dangling symbolic link"}


def user() -> str:
    """The hub of this login session's user."""
    return f"{_runtime_directory()}/statehub/hub.sock"


def automatic() -> str:
    """`$STATEHUB_SOCKET`; otherwise the user's hub if there is a socket at its path; otherwise the system's."""
    named = os.environ.get("STATEHUB_SOCKET")
    if named:
        return named
    path = user()
    return path if _kind(path) == stat.S_IFSOCK else SYSTEM


def resolved(path: Path) -> str:
    """Looked up once: reconnects go to the same socket."""
    return os.fsdecode(path) if path is not None else automatic()


def _runtime_directory() -> str:
    """A variable that names another user's directory, as after `sudo -E`, does not count: that user's hub could answer
    anything."""
    own, named = f"/run/user/{os.getuid()}", os.environ.get("XDG_RUNTIME_DIR")
    if not named:
        return own
    try:
        return named if os.stat(named).st_uid == os.geteuid() else own
    except OSError:
        return named


def _kind(path: str) -> Optional[int]:
    """What a path leads to; None: nothing."""
    try:
        return stat.S_IFMT(os.stat(path).st_mode)
    except OSError:
        return stat.S_IFLNK if os.path.islink(path) else None


# Messages


def problem(path: str) -> Optional[str]:
    """Why no socket can be at `path`, whatever exists there; None if one can."""
    try:
        length = len(os.fsencode(path))
    except UnicodeEncodeError:
        return f"the path of the hub's socket contains half of a surrogate pair: {path}"
    if not path:
        return "the path of the hub's socket is empty"
    if path.startswith("@"):
        return f"{path} is an abstract name, but a hub listens at a path: for a file with that name, give ./{path}"
    if "\0" in path:
        return "the path of the hub's socket contains a NUL"
    if length > LONGEST:
        return f"the path of the hub's socket takes {length} bytes, and at most {LONGEST} are allowed: {path}"
    return None


def absence(path: str) -> str:
    """Why no hub listens at `path`, and what to do about it."""
    kind = _kind(path)
    if kind is None or kind == stat.S_IFSOCK:
        return f"no hub listens at {path}; start it with {_start(path)}"
    return f"{path} is {_KINDS.get(kind, 'a device')}, not a socket: check where the path comes from, for example STATEHUB_SOCKET"


def silence(path: str) -> str:
    """That the hub at `path` does not answer, and where to look."""
    manager = _manager(path)
    return f"the hub at {path} did not answer in time" + (f": `{manager} status statehub` may show why" if manager else "")


def _manager(path: str) -> Optional[str]:
    """The command that controls the hub at `path`; None if systemd does not start it."""
    if _kind("/run/systemd/system") != stat.S_IFDIR:
        return None
    if path == SYSTEM:
        return "systemctl"
    # A hub of root's is the machine's, unless its path is given.
    is_own = os.geteuid() != 0 and os.environ.get("XDG_RUNTIME_DIR") and path == user()
    return "systemctl --user" if is_own else None


def _start(path: str) -> str:
    manager, is_root = _manager(path), os.geteuid() == 0
    has_own = _kind(_runtime_directory()) == stat.S_IFDIR
    if path == SYSTEM:
        start = f"`{manager} start statehub`" if manager else "`statehub`" if is_root else "`statehub` as root"
        own = "`statehub`" if has_own else "`statehub --socket PATH`, and set STATEHUB_SOCKET to PATH"
        # The machine's hub is what is left when the user has none.
        return start if is_root else f"{start}, or one of your own with {own}"
    if path == user() and has_own and not is_root:
        return f"`{manager} start statehub` or `statehub`" if manager else "`statehub`"
    return f"`statehub --socket {shlex.quote(path)}`"
