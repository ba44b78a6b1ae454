"""What one hostile client can order: each attack is what one connection, or a few, send as fast as they can."""

import math
import select
import socket
import struct
import time

import wire

TTL = 1 << 5
ABSENT, EPHEMERAL = 1 << 3, 1 << 6
STRING, JSON = 4, 6


def value(text, kind=STRING):
    return struct.pack("<BI", kind, len(text)) + text.encode()


def put(name, text="x", kind=STRING, flags=0, request=1, ttl=None):
    """A set; `ttl` in milliseconds."""
    end = b"" if ttl is None else struct.pack("<Q", ttl)
    return wire.frame(wire.SET, wire.named(name) + value(text, kind) + end, flags | (TTL if end else 0), request)


def create(name, description):
    """A store whose schema has a description and nothing else."""
    fields = struct.pack("<BBH", STRING, 1 << 6, len(description)) + description.encode()
    return wire.frame(wire.CREATE, wire.named(name) + struct.pack("<I", len(fields)) + fields)


def listing(pattern, limit=1000):
    return wire.frame(wire.LIST, struct.pack("<I", limit) + wire.named(pattern) + wire.named(""))


def watching(patterns, request):
    names = b"".join(wire.named(pattern) for pattern in patterns)
    return wire.frame(wire.WATCH, struct.pack("<H", len(patterns)) + names, 0, request)


def unwatching(watch, request):
    return wire.frame(wire.UNWATCH, struct.pack("<I", watch), 0, request)


def transaction(operations):
    return wire.frame(wire.TRANSACTION, b"".join(operations))


class Client(wire.Connection):
    """A connection that does not mind errors."""

    def barrier(self, request=0xFFFF):
        """Waits until everything that was sent before is answered."""
        self.flood(wire.frame(wire.PING, request=request))
        while not self._take(request):
            self._read()

    def flood(self, data):
        """Sends while reading what comes: neither side's buffer may fill."""
        self.socket.setblocking(False)
        offset = 0
        while offset < len(data):
            readable, writable, _ = select.select([self.socket], [self.socket], [], 120)
            if not readable and not writable:
                raise TimeoutError("the hub takes nothing")
            # First, so that the answer to the end of what is sent is left.
            if readable:
                self._read()
                self._take(None)
            if writable:
                offset += self.socket.send(data[offset:offset + (1 << 18)])
        self.socket.settimeout(120)

    def _read(self):
        data = self.socket.recv(1 << 20)
        if not data:
            raise RuntimeError("the hub closed the connection")
        self.rest += data

    def _take(self, request):
        """Drops whole frames, up to the reply of that number; whether it was there."""
        offset = 0
        found = False
        while not found and len(self.rest) - offset >= 12:
            length, _, _, _, number = struct.unpack_from("<IBBHI", self.rest, offset)
            if len(self.rest) - offset < 12 + length:
                break
            offset += 12 + length
            found = number == request
        self.rest = self.rest[offset:]
        return found


SCALE = 1.0


def scaled(count):
    """Fewer of it in a short run."""
    return max(1, int(count * SCALE))


def fill(path, count, prefix="s"):
    """Stores for attacks to walk over."""
    client = Client(path)
    for start in range(0, count, 2000):
        client.flood(b"".join(put(f"{prefix}.{index}") for index in range(start, min(count, start + 2000))))
        client.barrier()
    client.socket.close()


def hold(path, lengths):
    """Values of these lengths, by name."""
    client = Client(path)
    for name, length in lengths.items():
        client.flood(put(name, "x" * length))
    client.barrier()
    client.socket.close()


def flow(path, request, connections, seconds=math.inf):
    """Sends a request again and again over so many connections, as fast as the hub takes it, and reads what comes."""
    data = request * max(1, (1 << 16) // len(request))
    clients = [Client(path).socket for _ in range(connections)]
    offsets, poll, answers = {}, select.epoll(), bytearray(1 << 15)
    for one in clients:
        one.setblocking(False)
        poll.register(one, select.EPOLLIN | select.EPOLLOUT)
        offsets[one.fileno()] = (one, 0)
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        for descriptor, events in poll.poll():
            one, offset = offsets[descriptor]
            try:
                if events & select.EPOLLIN and not one.recv_into(answers):
                    raise RuntimeError("the hub closed the connection")
                if events & select.EPOLLOUT:
                    offsets[descriptor] = one, (offset + one.send(memoryview(data)[offset:offset + (1 << 15)])) % len(data)
            except BlockingIOError:
                pass
    for one in clients:
        one.close()


# As many as a connection may watch, and as many of them as fit into a frame.
PER_CONNECTION, PER_WATCH = 10_000, 4000


def watch_many(path, name, count):
    """Watches `count` patterns; returns the connections."""
    clients = []
    for first in range(0, count, PER_CONNECTION):
        clients.append(Client(path))
        last = min(count, first + PER_CONNECTION)
        for start in range(first, last, PER_WATCH):
            clients[-1].send(watching([name(n) for n in range(start, min(last, start + PER_WATCH))], start + 2))
            clients[-1].barrier()
    return clients


def refused(work):
    """Does something until the hub refuses it."""
    try:
        work()
    except (OSError, RuntimeError):
        return True
    return False


def lists(path):
    """Lists that match nothing, 3,000 at once, then the connection is closed."""
    client = Client(path)
    client.flood(listing("**.zz") * scaled(3000))
    client.socket.close()


def deep_lists(path):
    """The same with names of 121 parts."""
    client = Client(path)
    client.flood(b"".join(put(".".join(["a"] * 120) + f".{index}") for index in range(2000)))
    client.barrier()
    client.flood(listing("**.a.**.a.**.zz") * scaled(300))
    client.socket.close()


def watches(path):
    """500 pairs of watch and unwatch of a pattern that matches nothing."""
    client = Client(path)
    pairs = b"".join(watching(["**.zz"], 2 * n) + unwatching(2 * n, 2 * n + 1) for n in range(1, scaled(500) + 1))
    client.flood(pairs)
    client.socket.close()


def ending_globs(path):
    """100,000 globs, then their connections are closed."""
    for client in watch_many(path, lambda n: f"q{n}.*", scaled(100_000)):
        client.socket.close()


def ending_names(path):
    """100,000 watched names, then their connections are closed."""
    for client in watch_many(path, lambda n: f"q.{n}", scaled(100_000)):
        client.socket.close()


def unwatching_globs(path):
    """The same, ended by unwatch."""
    clients = watch_many(path, lambda n: f"q{n}.*", scaled(100_000))
    for index, client in enumerate(clients):
        first = index * PER_CONNECTION
        last = min(scaled(100_000), first + PER_CONNECTION)
        client.send(b"".join(unwatching(start + 2, start + 3) for start in range(first, last, PER_WATCH)))
    for client in clients:
        client.barrier()
        client.socket.close()


def deep_globs(path):
    """10,000 globs that nearly match, then a transaction of 3,500 stores."""
    client = Client(path)
    tail = ".".join(["a"] * 90)
    globs = []
    for n in range(scaled(10_000)):
        front = ".".join("*" if n >> bit & 1 else "a" for bit in range(15))
        globs.append(f"{front}.{tail}.b")
    for start in range(0, len(globs), 4000):
        client.send(watching(globs[start:start + 4000], start + 2))
    client.barrier()
    names = [".".join(["a"] * 105) + f".c{n}" for n in range(scaled(3500))]
    client.flood(transaction([put(name) for name in names]))
    client.barrier()
    client.socket.close()


def failing(path):
    """400 transactions of 4,095 writes whose last one fails."""
    client = Client(path)
    operations = [put(f"t.{n % 1000}", str(n)) for n in range(4094)]
    operations.append(put("t.1", flags=ABSENT))
    client.flood(transaction(operations) * scaled(400))
    client.barrier()
    client.socket.close()


def clients(path):
    """20,000 requests for the list of clients."""
    client = Client(path)
    client.flood(wire.frame(wire.CLIENTS, struct.pack("<Ii", 1000, -1)) * scaled(20_000))
    client.barrier()
    client.socket.close()


def json(path):
    """100 JSON texts of 200 KB, 120 levels deep."""
    client = Client(path)
    text = "[" * 119 + "[" + ",".join(["1"] * 100_000) + "]" + "]" * 119
    client.flood(b"".join(put("j.x", text[:-120] + "]" * 120, JSON) for _ in range(scaled(100))))
    client.barrier()
    client.socket.close()


def ephemerals(path):
    """200,000 ephemeral values that end at once."""
    client = Client(path)
    for start in range(0, scaled(200_000), 2000):
        client.flood(b"".join(put(f"e.{n}", flags=EPHEMERAL) for n in range(start, start + 2000)))
        client.barrier()
    client.socket.close()


def owning(path):
    """100,000 values that are there become ephemeral in no order, and end at once."""
    client = Client(path)
    names = [f"o.{n * 7919 % scaled(100_000)}" for n in range(scaled(100_000))]
    for flags in (0, EPHEMERAL):
        for start in range(0, len(names), 2000):
            client.flood(b"".join(put(name, str(flags), flags=flags) for name in names[start:start + 2000]))
            client.barrier()
    client.socket.close()


def renewing(path):
    """100,000 values with a deadline, renewed three times; then all of them end together."""
    client = Client(path)
    for ttl in (60_000, 50_000, 40_000, 1_000):
        for start in range(0, scaled(100_000), 2000):
            client.flood(b"".join(put(f"t.{n}", str(ttl), ttl=ttl) for n in range(start, start + 2000)))
            client.barrier()
    time.sleep(1.5)
    client.barrier()
    client.socket.close()


def catching_up(path):
    """Ten connections that watch 10,000 names read nothing while all of these change 20 times; then they read."""
    writer = Client(path)
    names = [f"c.{n}" for n in range(scaled(10_000))]
    watchers = [Client(path) for _ in range(10)]
    for client in watchers:
        for start in range(0, len(names), PER_WATCH):
            client.send(watching(names[start:start + PER_WATCH], start + 2))
        client.barrier()
    for turn in range(20):
        for start in range(0, len(names), 2000):
            writer.flood(b"".join(put(name, f"{turn} " + "x" * 100) for name in names[start:start + 2000]))
            writer.barrier()
    for client in watchers:
        client.barrier()
    for client in [writer, *watchers]:
        client.socket.close()


def sets(path):
    """200,000 writes to one store, pipelined."""
    client = Client(path)
    client.flood(b"".join(put("f.x", str(n)) for n in range(scaled(200_000))))
    client.barrier()
    client.socket.close()


def long_gets(path):
    """20 connections that ask for a value of 1 MB and read it, again and again, and leave with thousands of requests unanswered."""
    hold(path, {"l.v": 1_000_000})
    flow(path, wire.get(wire.named("l.v")), 20, 3 * SCALE)


def connects(path):
    """Connections that are closed at once, for three seconds, as fast as they go."""
    until = time.monotonic() + 3 * SCALE
    while time.monotonic() < until:
        refused(lambda: Client(path).socket.close())


def hellos(path):
    """1,000 connections that begin with nonsense, and 1,000 that say half a hello."""
    opened = []

    def open_one(index):
        opened.append(socket.socket(socket.AF_UNIX, socket.SOCK_STREAM))
        opened[-1].settimeout(60)
        opened[-1].connect(path)
        opened[-1].sendall(b"\xff" * 64 if index % 2 else wire.frame(wire.HELLO, b"\0" * 64)[:9])

    for index in range(scaled(2000)):
        refused(lambda: open_one(index))
    for one in opened:
        one.close()


def never_reading(path):
    """500 watchers of everything that read nothing, while 20,000 values of 1 KB are written."""
    watchers = []
    for _ in range(scaled(500)):
        refused(lambda: watchers.append(Client(path)))
    for client in watchers:
        client.send(watching(["w.**"], 2))
    writer = Client(path)
    for start in range(0, scaled(20_000), 1000):
        writer.flood(b"".join(put(f"w.{n % 100}", f"{start + n} " + "x" * 1000) for n in range(1000)))
    writer.barrier()
    for client in [writer, *watchers]:
        client.socket.close()


def descriptions(path):
    """100,000 stores, each with a description of 32 KB."""
    client = Client(path)
    for start in range(0, scaled(100_000), 20):
        client.flood(b"".join(create(f"d.{start + n}", "x" * 32_000) for n in range(20)))
    client.barrier()
    client.socket.close()


def patterns(path):
    """2,400,000 patterns of 200 bytes."""
    for client in watch_many(path, lambda n: "p." + "y" * 180 + f".{n}.*", scaled(2_400_000)):
        client.socket.close()


def values(path):
    """841 values of 1 MB."""
    client = Client(path)
    for index in range(scaled(841)):
        client.flood(put(f"v.{index}", "x" * 1_000_000))
    client.barrier()
    client.socket.close()


def stores(path):
    """A million stores, until there can be no more."""
    client = Client(path)
    for start in range(0, scaled(1_000_000), 2000):
        client.flood(b"".join(put(f"m.{start + n}") for n in range(2000)))
    client.barrier()
    client.socket.close()


def connections(path):
    """16,384 connections that stay."""
    clients = []
    for _ in range(scaled(16_384)):
        if refused(lambda: clients.append(Client(path))):
            time.sleep(0.001)
    for client in clients:
        client.socket.close()


# Those that walk over what there is, and those that fill the hub: each of these gets one of its own.
WORK = [
    lists, deep_lists, watches, ending_globs, ending_names, unwatching_globs, failing, clients, json, ephemerals, owning,
    renewing, catching_up, sets, long_gets, connects, hellos, never_reading,
]
FILLING = [deep_globs, descriptions, patterns, values, stores, connections]
