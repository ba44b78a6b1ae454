"""A core on a real socket that never blocks: connecting, reading and writing when asked to. It waits for nothing."""

from __future__ import annotations

import errno
import os
import socket
import sys
import time
from collections import deque
from typing import Callable, Optional

from . import path as paths
from .core import Core, Order
from .errors import Code, HubError
from .filters import Filter
from .values import shown

_CHUNK = 1 << 16
_now = time.monotonic


def program_name() -> str:
    return os.path.basename(sys.argv[0] if sys.argv else "") or "python"


class Driver:
    def __init__(self, path: str, name: Optional[str], left_out: Optional[Filter] = None) -> None:
        if not (name is None or isinstance(name, str)):
            raise HubError(Code.misused, f"a Hub's name must be a string, not {shown(name)}")
        self.path = path
        self.core = Core(name if name is not None else program_name(), paths.silence(path))
        self.core.watches.left_out = left_out
        self.socket: Optional[socket.socket] = None
        # What was read, in order; empty bytes: the hub closed the connection.
        self._inbox: deque[bytes] = deque()
        self.is_in_use = False
        """A thread waits in the socket without the lock of its hub: that thread closes it."""
        self.will_close: Optional[Callable[[], None]] = None
        """Called before a socket is closed: an event loop that watches it has to leave it first. Its hub closes the socket
        when it is collected."""

    @property
    def wants_write(self) -> bool:
        return self.socket is not None and len(self.core.output) > 0

    def tend(self, now: float) -> float:
        """Connects or disconnects if it is time to, and sends what there is. Returns when to do so again."""
        order = self.core.step(now)
        if order is Order.DISCONNECT or self.core.is_closed:
            self.disconnect()
        elif order is Order.CONNECT:
            self._connect(now)
        if self.core.output:
            self.flush()
        return self.core.next_deadline

    def _connect(self, now: float) -> None:
        connection, problem = None, paths.problem(self.path)
        if problem is not None:
            self.core.connect_failed(HubError(Code.noHub, problem), now, True)
            return
        try:
            connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
            connection.setblocking(False)
            connection.connect(self.path)
            # A blocking client waits in `recv` itself; everything else says MSG_DONTWAIT.
            connection.setblocking(True)
        except OSError as error:
            if connection is not None:
                connection.close()
            self.core.connect_failed(self._refusal(error), now)
            return
        self.socket = connection
        self.core.connected(now)

    def _refusal(self, error: OSError) -> HubError:
        number = error.errno
        if number in (errno.EACCES, errno.EPERM):
            return HubError(
                Code.denied, f"not permitted to connect to {self.path}: check the mode and group of the socket")
        if number == errno.EAGAIN:
            return HubError(Code.timeout, self.core.silence)
        if number in (errno.ENOENT, errno.ECONNREFUSED):
            return HubError(Code.noHub, paths.absence(self.path))
        if number == errno.ENOTDIR:
            return HubError(Code.noHub, f"no hub can listen at {self.path}: a part of the path is not a directory")
        return HubError(Code.noHub, f"cannot connect to {self.path}: {error}")

    def flush(self) -> None:
        """Sends what the socket takes."""
        output = self.core.output
        while self.socket is not None and output:
            try:
                output.did_send(self.socket.send(output.unsent, socket.MSG_NOSIGNAL | socket.MSG_DONTWAIT))
            except (BlockingIOError, InterruptedError):
                return
            except OSError:
                # The reader finds out: the hub's last message may explain it.
                return

    def read(self) -> None:
        """Reads once, without waiting. `receive` handles what came."""
        if self.socket is not None:
            self.take_in(self.socket, socket.MSG_DONTWAIT)

    def take_in(self, connection: socket.socket, flags: int = 0) -> None:
        """Reads once; without flags it waits until there is something.

        The bytes go from the system to `_inbox` in one step of the interpreter: an exception that a signal handler raises
        comes before it or after it, and none of them is lost."""
        try:
            self._inbox.extend(map(connection.recv, (_CHUNK,), (flags,)))
        except (BlockingIOError, InterruptedError):
            pass
        except OSError:
            self._inbox.append(b"")

    def receive(self) -> bool:
        """Handles one frame of what was read; False: there is no whole one."""
        core = self.core
        try:
            while self.socket is not None:
                if core.handled < len(core.input) and core.receive(_now()):
                    return True
                if not self._inbox:
                    return False
                content = self._inbox.popleft()
                if not content:
                    raise HubError(Code.connectionLost, "the hub closed the connection")
                core.feed(content)
        except HubError as error:
            self.disconnect()
            core.lost(error, _now())
        return False

    def disconnect(self) -> None:
        if self.socket is not None:
            if self.will_close is not None:
                self.will_close()
            if self.is_in_use:
                # Its number may not become another file's while a system call uses it; this ends the call.
                self.socket.shutdown(socket.SHUT_RDWR)
            else:
                self.socket.close()
            self.socket = None
            self._inbox.clear()

    def came_back(self, connection: socket.socket) -> None:
        """The thread that waited in the socket does not any more."""
        self.is_in_use = False
        if connection is not self.socket:
            connection.close()
            self._inbox.clear()

    def __del__(self) -> None:
        connection: Optional[socket.socket] = getattr(self, "socket", None)
        if connection is not None and self.will_close is None:
            connection.close()

    def begin_again(self, error: HubError) -> None:
        """Leaves the connection and everything that used it, which belongs to another process or event loop: its requests
        and its streams end with `error`."""
        left = self.core
        self.core = Core(left.name, left.silence)
        self.core.watches.left_out = left.watches.left_out
        self.core.is_closed, self.core.restriction = left.is_closed, left.restriction
        self.is_in_use = False
        self.disconnect()
        left.leave(error)
