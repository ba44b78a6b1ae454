"""A core on a real socket that never blocks: connecting, reading and writing when asked to. It waits for nothing."""

from __future__ import annotations

import errno
import os
import socket
import sys
import time
from typing import Callable, Optional

from .core import Core, Order
from .errors import Code, HubError

_CHUNK = 1 << 16
_now = time.monotonic


def program_name() -> str:
    return os.path.basename(sys.argv[0] if sys.argv else "") or "python"


class Driver:
    def __init__(self, path: str, name: Optional[str]) -> None:
        self.path = path
        self.core = Core(name if name is not None else program_name())
        self.socket: Optional[socket.socket] = None
        # Why nothing more comes, once what was read is handled.
        self._end: Optional[HubError] = None
        self.will_close: Optional[Callable[[], None]] = None
        """Called before a socket is closed: whoever waits for it has to leave it first."""

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
        connection = None
        try:
            connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
            connection.setblocking(False)
            connection.connect(self.path)
            # A blocking client waits in `recv` itself; everything else says MSG_DONTWAIT.
            connection.setblocking(True)
        except (OSError, ValueError) as error:
            if connection is not None:
                connection.close()
            self.core.connect_failed(self._refusal(error), now)
            return
        self.socket, self._end = connection, None
        self.core.connected(now)

    def _refusal(self, error: Exception) -> HubError:
        number = error.errno if isinstance(error, OSError) else None
        if number in (errno.EACCES, errno.EPERM):
            return HubError(
                Code.denied, f"no right to connect to {self.path}: look at the mode and group of the socket")
        if number == errno.EAGAIN:
            return HubError(Code.timeout, f"the hub at {self.path} did not accept the connection in time")
        if number in (errno.ENOENT, errno.ECONNREFUSED):
            return HubError(Code.noHub, f"no hub listens at {self.path}; start it with `statehub --socket {self.path}`")
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

    def read(self, waits: bool = False) -> bool:
        """Reads once; False: there was nothing. `receive` handles what came. `waits`: blocks until there is something."""
        if self.socket is None or self._end is not None:
            return False
        try:
            content = self.socket.recv(_CHUNK, 0 if waits else socket.MSG_DONTWAIT)
        except (BlockingIOError, InterruptedError):
            return False
        except OSError:
            content = b""
        if content:
            self.core.feed(content)
        else:
            self._end = HubError(Code.connectionLost, "the hub has closed the connection")
        return True

    def receive(self, waits: bool = False) -> bool:
        """Handles one frame of what was read; False: there is none. `waits`: reads until there is one, unless there is
        something else to do."""
        core = self.core
        try:
            while self.socket is not None:
                if core.handled < len(core.input) and core.receive(_now()):
                    return True
                if self._end is not None:
                    raise self._end
                if not (waits and core.only_receives):
                    return False
                self.read(True)
        except HubError as error:
            self.disconnect()
            core.lost(error, _now())
        return False

    def disconnect(self) -> None:
        if self.socket is not None:
            if self.will_close is not None:
                self.will_close()
            self.socket.close()
            self.socket = None
