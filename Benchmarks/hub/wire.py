"""What the benchmarks say to a hub, in the frames of the Python client, and a connection that counts what it gets. It measures
nothing."""

import pathlib
import socket
import struct
import sys

sys.path.append(str(pathlib.Path(__file__).resolve().parents[2] / "Clients/python/src"))
from statehub import requests, values  # noqa: E402
from statehub.kinds import (  # noqa: E402, F401
    CHANGE, CLIENTS, CREATE, CREATED, CURRENT, ERROR, GET, HELLO, LIST, PING, RELOAD, REMOVE, SET, SYNCED, TRANSACTION, UNWATCH,
    VALUE, WATCH, WELCOME, WRITTEN)

EVERY = 1


def frame(kind, payload=b"", flags=0, request=1):
    return requests.frame(kind, flags, request, payload)


def hello(name):
    return requests.hello(name).frame(1)


def named(name):
    return requests.short(name)


def numbered(store):
    """A store by its number: an empty name, then the number."""
    return requests.reference(store)


def get(store):
    return frame(GET, store)


def set_(store, value):
    """A value of sixteen digits: the length that all rows of the benchmarks use."""
    return frame(SET, store + values.encode(f"{value:016d}"))


def set_integer(store, value):
    return frame(SET, store + values.encode(value))


class Connection:
    """A blocking connection that counts the frames it gets."""

    def __init__(self, path):
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.socket.settimeout(60)
        self.socket.connect(path)
        self.rest = b""
        self.send(hello("steady"))
        self.receive(1)

    def send(self, data):
        self.socket.sendall(data)

    def receive(self, count):
        """The kinds and payloads of the next `count` frames."""
        frames = []
        while len(frames) < count:
            while len(self.rest) >= 12 and len(frames) < count:
                length, kind = struct.unpack_from("<IB", self.rest)
                if len(self.rest) < 12 + length:
                    break
                if kind == ERROR:
                    raise RuntimeError(f"the hub answered {self.rest[12:12 + length]!r}")
                frames.append((kind, self.rest[12 : 12 + length]))
                self.rest = self.rest[12 + length :]
            if len(frames) < count:
                data = self.socket.recv(1 << 20)
                if not data:
                    raise RuntimeError("the hub closed the connection")
                self.rest += data
        return frames

    def store(self, name):
        """The number of a store."""
        self.send(get(named(name)))
        return struct.unpack_from("<Q", self.receive(1)[0][1], 4)[0]

    def watch(self, pattern, flags=0):
        """Opens a watch and waits until it is live."""
        self.send(frame(WATCH, struct.pack("<H", 1) + named(pattern), flags, request=2))
        while self.receive(1)[0][0] != SYNCED:
            pass
