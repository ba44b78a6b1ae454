"""Starts with very many stores, until the first true answer, and the disk that they take: the hub, and Redis with an RDB and with
an AOF, one after the other in every round."""

import os
import random
import shutil
import signal
import socket
import statistics
import sys
import time

from servers import Server, wire


class Redis:
    """A connection that speaks RESP, for filling a Redis."""

    def __init__(self, path):
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.connect(path)
        self.replies = self.socket.makefile("rb")

    @staticmethod
    def command(*words):
        return b"*%d\r\n" % len(words) + b"".join(b"$%d\r\n%s\r\n" % (len(word), word) for word in words)

    def call(self, *words):
        self.socket.sendall(self.command(*words))
        return self.replies.readline().rstrip()

    def get(self, name):
        """The value, or the error, which begins with a minus."""
        line = self.call(b"GET", name)
        return line if line[:1] == b"-" else self.replies.read(int(line[1:]) + 2)[:-2]

    def fill(self, pairs):
        for start in range(0, len(pairs), 256):
            batch = pairs[start:start + 256]
            self.socket.sendall(b"".join(self.command(b"SET", name, value) for name, value in batch))
            for _ in batch:
                self.replies.readline()


class Filled:
    """One of the servers, with the stores in it."""

    def __init__(self, server, pairs):
        self.server, self.pairs = server, pairs
        server.start()
        if server.is_redis:
            Redis(server.socket).fill(pairs)
        else:
            hub = wire.Connection(server.socket)
            for start in range(0, len(pairs), 256):
                batch = pairs[start:start + 256]
                hub.send(b"".join(self.set(*pair) for pair in batch))
                hub.receive(len(batch))

    @staticmethod
    def set(name, value):
        """The eight bytes of the value as a number."""
        return wire.set_integer(wire.named(name.decode()), int.from_bytes(value, "little", signed=True))

    def first_answer(self):
        """Seconds from the start of the program to its first true answer."""
        name, value = self.pairs[len(self.pairs) // 2]
        began = time.monotonic()
        self.server.start()
        if self.server.is_redis:
            redis = Redis(self.server.socket)
            while redis.get(name)[:8] == b"-LOADING":
                time.sleep(0.0005)
            told = redis.get(name)
        else:
            hub = wire.Connection(self.server.socket)
            hub.send(wire.get(wire.named(name.decode())))
            told = hub.receive(1)[0][1][-8:]
        took = time.monotonic() - began
        if told != value:
            sys.exit(f"{self.server.name} has lost a value: {told!r}, not {value!r}")
        return took

    def used(self):
        """Bytes of the blocks on the disk."""
        return sum(path.stat().st_blocks * 512 for path in self.server.directory.rglob("*")
                   if path.is_file() and path.name not in ("log", "c.json5"))

    def settled(self):
        """The same once nothing has changed for a second: a snapshot may be on its way."""
        used, since = self.used(), time.monotonic()
        while time.monotonic() - since < 1:
            time.sleep(0.05)
            if self.used() != used:
                used, since = self.used(), time.monotonic()
        return used

    def resident(self):
        with open(f"/proc/{self.server.process.pid}/statm") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def pairs(count, names):
    """Names of 17 bytes, and values of eight that no one writes shorter."""
    chance = random.Random(14)
    if names == "ordered":
        named = [b"store.%011d" % index for index in range(count)]
    else:
        named = [b"k%016x" % number for number in chance.sample(range(1 << 60), count)]
    letters = b"abcdefghijklmnopqrstuvwxyz"
    return [(name, bytes(chance.choices(letters, k=8))) for name in named]


def starts(given, work):
    content = pairs(given.many, given.names)
    (work / "starts-hub").mkdir()
    servers = [Server("statehub", work / "starts-hub", [given.hub, "--state-dir", str(work / "starts-hub/state")])]
    if shutil.which("redis-server"):
        servers += [Server("redis RDB", work / "starts-rdb", ["--save", "3600 1", "--appendonly", "no"]),
                    Server("redis AOF", work / "starts-aof", ["--appendonly", "yes", "--appendfsync", "everysec"])]
    filled, results = [], {}
    try:
        for server in servers:
            one = Filled(server, content)
            filled.append(one)
            results[server.name] = {"disk": one.settled(), "memory": one.resident()}
            # Its snapshot is what a kill leaves.
            if server.name == "redis RDB":
                Redis(server.socket).call(b"SAVE")
                results[server.name]["disk"] = one.used()
            server.end(signal.SIGKILL)
        for _ in range(given.rounds):
            for how, name in ((signal.SIGKILL, "killed"), (signal.SIGTERM, "stopped")):
                # What a stop leaves behind is what the next start reads: the first of each pair is not counted.
                for one in filled:
                    one.first_answer()
                    began = time.monotonic()
                    one.server.end(how)
                    ended = time.monotonic() - began
                    results[one.server.name].setdefault(name, []).append(one.first_answer())
                    results[one.server.name].setdefault(f"{name}, to end", []).append(ended)
                    results[one.server.name]["disk after a stop"] = one.used()
                    one.server.end(signal.SIGKILL)
    finally:
        for server in servers:
            server.end(signal.SIGKILL)
    print(f"\n{given.many} stores, {given.names} names: first answer after")
    print(f"{'':12} {'a clean stop':>13} {'a kill':>9} {'disk':>9} {'after a stop':>13} {'resident':>10} {'stopping':>9}")
    for name, one in results.items():
        for key in ("killed", "stopped", "killed, to end", "stopped, to end"):
            one[key] = statistics.median(one[key])
        print(f"{name:12} {one['stopped'] * 1000:10.0f} ms {one['killed'] * 1000:6.0f} ms {one['disk'] / 1e6:6.1f} MB "
              f"{one['disk after a stop'] / 1e6:10.1f} MB {one['memory'] / given.many:6.0f} B each {one['stopped, to end'] * 1000:6.0f} ms")
    return results
