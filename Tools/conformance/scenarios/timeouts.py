"""Time-outs: every kind of request fails within its time-out, whatever stands where the hub should be."""

import os
import threading
import time

import wire
from played import LONGEST_WAIT, Failure
from scenarios import collect

SCENARIOS, scenario = collect()

TIMEOUT, ALLOWANCE = 0.5, 0.2
# A busy machine makes one attempt late, and hardly so many.
ATTEMPTS = 6

REQUESTS = {
    "ping": {}, "get": {"store": "a"}, "set": {"store": "a", "value": {"type": "integer", "value": "1"}},
    "add": {"store": "a", "delta": {"type": "integer", "value": "1"}}, "toggle": {"store": "a"},
    "reset": {"store": "a"}, "remove": {"store": "a"}, "create": {"store": "a", "schema": {"type": "integer"}},
    "transaction": {"operations": [{"request": "toggle", "store": "a"}]}, "describe": {"store": "a"}, "stats": {},
    "list": {"pattern": "**"}, "update": {"store": "a", "add": 1, "default": 0}}


def absent(hub):
    """There is no socket."""
    hub.stop_listening()


def refusing(hub):
    """The socket is there, and nothing listens."""
    hub.listener.close()


def stopped(hub):
    """It listens and accepts nothing, as a stopped process does."""


def each(play_one):
    """Plays every connection of a client so, until the hub is closed."""
    def play(hub):
        listener = hub.listener

        def accept():
            while True:
                try:
                    connection = hub.accept()
                except (Failure, OSError):
                    return
                threading.Thread(target=guarded, args=(play_one, connection), daemon=True).start()
        listener.settimeout(LONGEST_WAIT)
        threading.Thread(target=accept, daemon=True).start()
    play.__doc__ = play_one.__doc__
    play.__name__ = play_one.__name__
    return play


def guarded(play_one, connection):
    try:
        play_one(connection)
    except (Failure, OSError):
        pass


@each
def stopped_later(connection):
    """It has welcomed the client, and is stopped then."""
    connection.welcome()


@each
def replaced(connection):
    """It takes a request, and the connection ends, each time."""
    connection.welcome()
    connection.next()
    connection.close()


@each
def full(connection):
    """It serves no more clients."""
    connection.send(wire.error(0, 31))
    connection.close()


def trickle(connection, content):
    for byte in content:
        time.sleep(0.1)
        connection.send(bytes([byte]))


@each
def slow_welcome(connection):
    """It sends its welcome a byte at a time."""
    trickle(connection, wire.welcome(connection.next("hello").number))


@each
def slow(connection):
    """It sends its answer a byte at a time."""
    connection.welcome()
    trickle(connection, wire.pong(connection.next().number))


def late_ones(client, requests):
    """Makes these requests; the names of those that end too late, and by how much."""
    late = {}
    # A blocking client makes several requests for these two, and nothing else meanwhile.
    alone = [name for name in requests if name in ("list", "update")]
    for names in [[name for name in requests if name not in alone], *([name] for name in alone)]:
        began = time.monotonic()
        for name, request in [(name, client.request(name, **REQUESTS[name])) for name in names]:
            client.failure(request)
            taken = time.monotonic() - began
            if taken > TIMEOUT + ALLOWANCE:
                late[name] = round(taken, 2)
    return late


def hold_to_it(play, requests, client=None):
    """Fails if a request is late each time."""
    if client is None:
        client = play.client(timeout=TIMEOUT)
        # The adapter's start is not the client's.
        client.failure(client.request("ping"))
    late = {name: [] for name in requests}
    for _ in range(ATTEMPTS):
        found = late_ones(client, late)
        late = {name: late[name] + [taken] for name, taken in found.items()}
        if not late:
            return
    raise Failure(f"later than {TIMEOUT} s and {ALLOWANCE} s, each time: {late}")


def add(obstacle):
    @scenario(f"time-outs: every request fails in time with a hub that is {obstacle.__name__.replace('_', ' ')}")
    def play(play):
        obstacle(play.hub)
        hold_to_it(play, REQUESTS)


for _obstacle in (absent, refusing, stopped, stopped_later, replaced, full, slow_welcome, slow):
    add(_obstacle)


@scenario("time-outs: a list in pages, each of which comes in time, takes no longer than the time-out as a whole")
def pages(play):
    @each
    def paging(connection):
        connection.welcome()
        for page in range(100):
            request = connection.next("list", "ping")
            time.sleep(TIMEOUT / 3)
            if request.kind == "ping":
                connection.send(wire.error(request.number, 4))
                continue
            connection.send(wire.listed(request.number, [f"a{page:04}"], more=True))

    paging(play.hub)
    hold_to_it(play, ["list"])


@scenario("time-outs: every request fails in time while the hub sends changes without a pause")
def flooded(play):
    client = play.client(timeout=TIMEOUT)
    client.watch("A", "a")
    connection = play.hub.begin()
    connection.watch(wire.synced(10))
    client.shows("A", "synced")

    def flood():
        for index in range(1, 1 << 20):
            connection.send(wire.change(1, 10 + index, 1 + index, index))
            time.sleep(0.001)

    threading.Thread(target=guarded, args=(lambda _: flood(), connection), daemon=True).start()
    hold_to_it(play, REQUESTS, client)


@scenario("time-outs: an update that other programs are always ahead of ends with the time-out")
def overtaken(play):
    @each
    def conflicting(connection):
        connection.welcome()
        while True:
            request = connection.next("get", "set", "ping")
            time.sleep(TIMEOUT / 5)
            connection.send(
                wire.got(request.number, 1) if request.kind == "get" else wire.error(request.number, 11))

    conflicting(play.hub)
    hold_to_it(play, ["update"])


@scenario("time-outs: a path that no socket can have fails at once, and the error names it")
def impossible_path(play):
    long_path = os.path.join(os.path.dirname(play.hub.path), "x" * 120)
    for path, words in ((long_path, long_path), ("@hub", "./@hub"), ("", "empty")):
        client = play.client(timeout=600)
        client.options["path"] = path
        client.reopen()
        failure = client.failure(client.request("get", store="a"), "noHub")
        if words not in failure["message"]:
            raise Failure(f"the message lacks {words}: {failure['message']}")
        client.watch("A", "a")
        client.shows("A", {"ended": "noHub"})
