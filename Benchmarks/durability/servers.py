"""A hub or a Redis in a directory of its own, and what fills a hub."""

import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[1] / "hub"))
import wire  # noqa: E402


class Server:
    """A hub or a Redis in a directory of its own."""

    def __init__(self, name, directory, options):
        self.name, self.directory, self.options = name, Path(directory), options
        self.directory.mkdir(parents=True, exist_ok=True)
        self.socket = str(self.directory / "s")
        self.process = None

    @property
    def is_redis(self):
        return self.name.startswith("redis")

    def start(self):
        if os.path.exists(self.socket):
            os.unlink(self.socket)
        if self.is_redis:
            words = ["redis-server", "--port", "0", "--unixsocket", self.socket, "--save", "", "--daemonize", "no",
                     "--dir", str(self.directory)] + self.options
        else:
            words = self.options[:1] + ["--socket", self.socket, "--config", str(self.directory / "c.json5")] + self.options[1:]
            if not (self.directory / "c.json5").exists():
                (self.directory / "c.json5").write_text("{}")
        began = time.monotonic()
        self.process = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=open(self.directory / "log", "a"))
        while time.monotonic() - began < 120:
            probe = socket.socket(socket.AF_UNIX)
            try:
                probe.connect(self.socket)
                return time.monotonic() - began
            except OSError:
                if self.process.poll() is not None:
                    sys.exit(f"{self.name} did not start: see {self.directory / 'log'}")
                time.sleep(0.0005)
            finally:
                probe.close()
        sys.exit(f"{self.name} accepts no connection")

    def cpu(self):
        fields = Path(f"/proc/{self.process.pid}/stat").read_text().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def end(self, how=signal.SIGTERM):
        if self.process and self.process.poll() is None:
            self.process.send_signal(how)
            try:
                self.process.wait(20)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
        self.process = None


def fill(path, count, name):
    """Sets, many in flight, each a record or a part of one."""
    hub = wire.Connection(path)
    for start in range(0, count, 256):
        batch = range(start, min(start + 256, count))
        hub.send(b"".join(wire.set_integer(wire.named(name(index)), index + 1) for index in batch))
        hub.receive(len(batch))
