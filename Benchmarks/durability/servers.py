"""A hub or a Redis in a directory of its own, and a connection that fills it."""

import os
import signal
import socket
import struct
import subprocess
import sys
import time
from pathlib import Path


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


class Hub:
    """A connection that speaks frames, for filling a hub."""

    def __init__(self, path):
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.connect(path)
        self.call(1, struct.pack("<IHHQB", 0x42554853, 1, 1, 0, 0))

    def frame(self, kind, payload):
        return struct.pack("<IBBHI", len(payload), kind, 0, 0, 1) + payload

    def read(self, count):
        data = b""
        while len(data) < count:
            piece = self.socket.recv(count - len(data))
            if not piece:
                sys.exit("the hub closed the connection")
            data += piece
        return data

    def reply(self):
        header = self.read(12)
        body = self.read(struct.unpack_from("<I", header)[0])
        if header[4] == 0xFF:
            sys.exit(f"the hub refused: {body[13:]!r}")
        return body

    def call(self, kind, payload):
        self.socket.sendall(self.frame(kind, payload))
        return self.reply()

    @staticmethod
    def set(name, value):
        text = name.encode()
        return bytes([len(text)]) + text + struct.pack("<BIq", 1, 8, value)

    def fill(self, count, name):
        """Sets, many in flight, each a record or a part of one."""
        sent = 0
        while sent < count:
            batch = min(256, count - sent)
            self.socket.sendall(b"".join(self.frame(4, self.set(name(i), i + 1)) for i in range(sent, sent + batch)))
            for _ in range(batch):
                self.reply()
            sent += batch
