"""What the counting runs make a hub do: each workload is a fixed number of equal operations, without a clock."""

import contextlib
import itertools
import os

import wire

_values = itertools.count(1)


@contextlib.contextmanager
def connecting_as(user):
    """The kernel tells the hub who one is when one connects. Takes root if there is a user."""
    before = os.geteuid()
    if user is not None:
        os.seteuid(user)
    try:
        yield
    finally:
        os.seteuid(before)


class Workload:
    """`per` says what one operation is; `deliveries` how many of them one update causes."""

    def __init__(self, name, count, depth, request, watchers=0, pattern="k1", flags=0):
        self.name, self.count, self.depth, self.request = name, count, depth, request
        self.watchers, self.pattern, self.flags = watchers, pattern, flags

    def prepare(self, path, user=None):
        """Connects, as another user if the hub is to know one."""
        with connecting_as(user):
            self._connect(path)

    def _connect(self, path):
        self.connection = wire.Connection(path)
        self.connection.send(wire.set_(wire.named("k1"), next(_values)))
        self.connection.receive(1)
        self.store = wire.numbered(self.connection.store("k1"))
        self.subscribers = [wire.Connection(path) for _ in range(self.watchers)]
        for subscriber in self.subscribers:
            subscriber.watch(self.pattern, self.flags)

    def run(self, count):
        depth = self.depth
        for _ in range(0, count, depth):
            self.connection.send(b"".join(self.request(self) for _ in range(depth)))
            self.connection.receive(depth)
            for subscriber in self.subscribers:
                subscriber.receive(depth)

    def finish(self):
        for connection in [self.connection, *self.subscribers]:
            connection.socket.close()


def _get(_):
    return wire.get(wire.named("k1"))


def _get_numbered(workload):
    return wire.get(workload.store)


def _set(_):
    return wire.set_(wire.named("k1"), next(_values))


ALL = [
    Workload("get", 2048, 1, _get),
    Workload("get, 64 in one write", 16384, 64, _get),
    Workload("get by number, 64 in one write", 16384, 64, _get_numbered),
    Workload("set", 2048, 1, _set),
    Workload("set, 64 in one write", 16384, 64, _set),
    Workload("set with 64 subscribers", 256, 1, _set, watchers=64, flags=wire.EVERY),
    Workload("64 sets in one write with 64 subscribers", 2048, 64, _set, watchers=64, flags=wire.EVERY),
]
