"""What one hostile client can order: each attack is what one connection, or a few, send as fast as they can."""

import socket
import struct

import wire

TRANSACTION, LIST, UNWATCH, CLIENTS, PING = 0x0A, 0x0B, 0x0E, 0x0F, 0x02
ABSENT, EPHEMERAL = 1 << 3, 1 << 6
STRING, JSON = 4, 6


def value(text, kind=STRING):
    return struct.pack("<BI", kind, len(text)) + text.encode()


def put(name, text="x", kind=STRING, flags=0, request=1):
    return wire.frame(wire.SET, wire.named(name) + value(text, kind), flags, request)


def listing(pattern, limit=1000):
    return wire.frame(LIST, struct.pack("<I", limit) + wire.named(pattern) + wire.named(""))


def watching(patterns, request):
    names = b"".join(wire.named(pattern) for pattern in patterns)
    return wire.frame(wire.WATCH, struct.pack("<H", len(patterns)) + names, 0, request)


def unwatching(watch, request):
    return wire.frame(UNWATCH, struct.pack("<I", watch), 0, request)


def transaction(operations):
    return wire.frame(TRANSACTION, b"".join(operations))


class Client(wire.Connection):
    """A connection that does not mind errors."""

    def barrier(self, request=0xFFFF):
        self.send(wire.frame(PING, request=request))
        while True:
            while len(self.rest) >= 12:
                length, kind, _, _, number = struct.unpack_from("<IBBHI", self.rest)
                if len(self.rest) < 12 + length:
                    break
                self.rest = self.rest[12 + length:]
                if number == request:
                    return
            data = self.socket.recv(1 << 20)
            if not data:
                raise RuntimeError("the hub closed the connection")
            self.rest += data

    def flood(self, data):
        """Sends while reading what comes: neither side's buffer may fill."""
        self.socket.setblocking(False)
        offset = 0
        while offset < len(data):
            try:
                offset += self.socket.send(data[offset:offset + (1 << 18)])
            except BlockingIOError:
                pass
            try:
                self.rest += self.socket.recv(1 << 20)
                self.rest = b"" if len(self.rest) > 1 << 24 else self.rest
            except BlockingIOError:
                pass
        self.socket.settimeout(120)


def fill(path, count, prefix="s"):
    """Stores for attacks to walk over."""
    client = Client(path)
    for start in range(0, count, 2000):
        client.send(b"".join(put(f"{prefix}.{index}") for index in range(start, min(count, start + 2000))))
        client.barrier()
    client.socket.close()


def lists(path):
    """3,000 lists that match nothing, then the connection is closed."""
    client = Client(path)
    client.flood(listing("**.zz") * 3000)
    client.socket.close()


def deep_lists(path):
    """The same with names of 121 parts."""
    client = Client(path)
    client.send(b"".join(put(".".join(["a"] * 120) + f".{index}") for index in range(2000)))
    client.barrier()
    client.flood(listing("**.a.**.a.**.zz") * 300)
    client.socket.close()


def watches(path):
    """500 pairs of watch and unwatch of a pattern that matches nothing."""
    client = Client(path)
    pairs = b"".join(watching(["**.zz"], 2 * n) + unwatching(2 * n, 2 * n + 1) for n in range(1, 501))
    client.flood(pairs)
    client.socket.close()


def ending_globs(path):
    """100,000 globs, then the connection is closed."""
    client = Client(path)
    for start in range(0, 100_000, 10_000):
        client.send(watching([f"q{n}.*" for n in range(start, start + 10_000)], start + 2))
    client.barrier()
    client.socket.close()


def unwatching_globs(path):
    """The same, ended by unwatch."""
    client = Client(path)
    for start in range(0, 100_000, 10_000):
        client.send(watching([f"q{n}.*" for n in range(start, start + 10_000)], start + 2))
    client.barrier()
    client.send(b"".join(unwatching(start + 2, start + 3) for start in range(0, 100_000, 10_000)))
    client.barrier()
    client.socket.close()


def deep_globs(path):
    """20,000 globs that nearly match, then a transaction of 3,500 stores."""
    client = Client(path)
    tail = ".".join(["a"] * 90)
    globs = []
    for n in range(20_000):
        front = ".".join("*" if n >> bit & 1 else "a" for bit in range(15))
        globs.append(f"{front}.{tail}.b")
    for start in range(0, len(globs), 4000):
        client.send(watching(globs[start:start + 4000], start + 2))
    client.barrier()
    names = [".".join(["a"] * 105) + f".c{n}" for n in range(3500)]
    client.send(transaction([put(name) for name in names]))
    client.barrier()
    client.socket.close()


def failing(path):
    """200 transactions of 8,191 writes whose last one fails."""
    client = Client(path)
    operations = [put(f"t.{n % 1000}", str(n)) for n in range(8190)]
    operations.append(put("t.1", flags=ABSENT))
    client.flood(transaction(operations) * 200)
    client.barrier()
    client.socket.close()


def clients(path):
    """20,000 requests for the list of clients."""
    client = Client(path)
    client.flood(wire.frame(CLIENTS, struct.pack("<Ii", 1000, -1)) * 20_000)
    client.barrier()
    client.socket.close()


def json(path):
    """500 JSON texts of 200 KB, 120 levels deep."""
    client = Client(path)
    text = "[" * 119 + "[" + ",".join(["1"] * 100_000) + "]" + "]" * 119
    client.flood(b"".join(put("j.x", text[:-120] + "]" * 120, JSON) for _ in range(100)))
    client.barrier()
    client.socket.close()


def ephemerals(path):
    """200,000 ephemeral values that end at once."""
    client = Client(path)
    for start in range(0, 200_000, 2000):
        client.send(b"".join(put(f"e.{n}", flags=EPHEMERAL) for n in range(start, start + 2000)))
        client.barrier()
    client.socket.close()


def sets(path):
    """200,000 writes to one store, pipelined."""
    client = Client(path)
    client.flood(b"".join(put("f.x", str(n)) for n in range(200_000)))
    client.barrier()
    client.socket.close()


ALL = [lists, deep_lists, watches, ending_globs, unwatching_globs, deep_globs, failing, clients, json, ephemerals, sets]
