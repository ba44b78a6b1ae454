"""A hub of its own for each test: it runs the daemon, keeps nothing, and is gone afterwards.

    from statehub.testing import RunningHub

    def test_volume():
        with RunningHub() as running, statehub.Hub(running.path) as hub:
            hub.value("audio.volume", int).set(6)
"""

from __future__ import annotations

import os
import pathlib
import select
import shutil
import socket
import subprocess
import tempfile
import time
import weakref
from typing import Optional

from .errors import Code, HubError


def _environment() -> dict[str, str]:
    """Without the variables that a service manager sets for the service in which the test runs."""
    others = ("LISTEN_", "WATCHDOG_", "STATEHUB_SOCKET")
    return {
        name: value for name, value in os.environ.items() if not name.startswith(others) and not name.endswith("_DIRECTORY")}


def _end(owner: int, processes: list[subprocess.Popen[bytes]], directory: str) -> None:
    if os.getpid() == owner:
        for process in processes:
            process.kill()
            process.wait()
        shutil.rmtree(directory, ignore_errors=True)


class RunningHub:
    """A hub at `path`, started at once, with its files in a temporary directory."""

    def __init__(self, program: Optional[str] = None, keeps: bool = False, timeout: float = 60.0) -> None:
        """`program`: by default `$STATEHUB`, else `statehub` on the path. `keeps`: it keeps its state, so that `kill` and
        `start` simulate a crash. `timeout`: the seconds within which it must be ready."""
        found = program or os.environ.get("STATEHUB") or shutil.which("statehub")
        if found is None:
            raise HubError(Code.noHub, "statehub was not found: install it, or set $STATEHUB to its path")
        self._program, self._timeout = found, timeout
        self._directory = directory = tempfile.mkdtemp(prefix="statehub-")
        self.path = os.path.join(directory, "hub.sock")
        self._options = ["--state-dir", os.path.join(directory, "state")] if keeps else ["--volatile"]
        self.process: Optional[subprocess.Popen[bytes]] = None
        self._processes: list[subprocess.Popen[bytes]] = []
        # Also at the end of a program that does not close it.
        self._end = weakref.finalize(self, _end, os.getpid(), self._processes, directory)
        try:
            self.start()
        except BaseException:
            self.close()
            raise

    def start(self) -> None:
        """Starts it, and waits until it reports that it is ready. If it exits instead, raises `noHub` with its output."""
        directory = self._directory
        configuration = pathlib.Path(directory, "statehub.json5")
        configuration.write_text("{}")
        notify, log = os.path.join(directory, "notify.sock"), pathlib.Path(directory, "hub.log")
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as ready, log.open("wb") as output:
            ready.bind(notify)
            self.process = subprocess.Popen(
                [self._program, "--socket", self.path, "--config", str(configuration), *self._options],
                stdout=subprocess.DEVNULL, stderr=output, env={**_environment(), "NOTIFY_SOCKET": notify})
            self._processes.append(self.process)
            is_ready = self._wait(ready)
        os.unlink(notify)
        if not is_ready:
            self.kill()
            raise HubError(Code.noHub, f"the hub is not ready: {log.read_text()}")

    def _wait(self, ready: socket.socket) -> bool:
        assert self.process is not None
        deadline = time.monotonic() + self._timeout
        while self.process.poll() is None and time.monotonic() < deadline:
            if select.select([ready], [], [], 0.05)[0] and b"READY=1" in ready.recv(4096).split(b"\n"):
                return True
        return False

    def kill(self) -> None:
        """Kills it, as in a crash."""
        if self.process is not None:
            self.process.kill()
            self.process.wait()

    def close(self) -> None:
        """Ends it and removes its files. In a forked child it does nothing."""
        self._end()

    def __enter__(self) -> "RunningHub":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
