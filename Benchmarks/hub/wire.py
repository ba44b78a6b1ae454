"""The few frames of docs/protocol.md that the counting runs need, and a connection that speaks them. It measures nothing."""

import socket
import struct

HELLO, GET, SET, WATCH = 0x01, 0x03, 0x04, 0x0D
CHANGE, CURRENT, SYNCED, VALUE, WRITTEN, ERROR = 0x40, 0x43, 0x44, 0x82, 0x83, 0xFF
EVERY = 1


def frame(kind, payload=b"", flags=0, request=1):
    return struct.pack("<IBBHI", len(payload), kind, flags, 0, request) + payload


def named(name):
    return bytes([len(name)]) + name.encode()


def numbered(store):
    """A store by its number: an empty name, then the number."""
    return struct.pack("<BQ", 0, store)


def string(text):
    return struct.pack("<BI", 4, len(text)) + text.encode()


def get(store):
    return frame(GET, store)


def set_(store, value):
    """A value of sixteen digits: the length that all rows of the benchmarks use."""
    return frame(SET, store + string(f"{value:016d}"))


class Connection:
    """A blocking connection that counts the frames it gets."""

    def __init__(self, path):
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.socket.settimeout(60)
        self.socket.connect(path)
        self.rest = b""
        self.send(frame(HELLO, struct.pack("<4sHHQ", b"SHUB", 1, 1, 0) + named("steady")))
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
