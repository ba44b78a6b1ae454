"""No request takes longer than its patience, whatever the hub does meanwhile."""

import os
import socket
import threading
import time

import wire
from played import Failure
from scenarios import collect

SCENARIOS, scenario = collect()
ONE = wire.integer(1)
PATIENCE = 0.25
ALLOWED = PATIENCE + 0.2

REQUESTS = {
    "ping": {}, "get": {"store": "a"}, "describe": {"store": "a"}, "stats": {}, "list": {"pattern": "**"},
    "set": {"store": "a", "value": ONE}, "add": {"store": "a", "delta": ONE}, "toggle": {"store": "a"},
    "reset": {"store": "a"}, "remove": {"store": "a"}, "create": {"store": "a", "schema": {"type": "integer"}},
    "transaction": {"operations": [{"request": "add", "store": "a", "delta": ONE}]}, "update": {"store": "a", "add": 1},
}


def in_time(client, kind, fields, *words):
    """The request fails in time. A busy machine may delay it: the best of three counts."""
    taken = []
    while len(taken) < 3:
        began = time.monotonic()
        error = client.failure(client.request(kind, **fields))["error"]
        taken.append(time.monotonic() - began)
        if error not in words:
            raise Failure(f"{kind} ends with {error}, expected {' or '.join(words)}")
        if taken[-1] <= ALLOWED:
            return
    raise Failure(f"{kind} takes {[round(each, 2) for each in taken]} s where its patience is {PATIENCE} s")


def all_in_time(play, *words, client=None):
    client = client or play.client(patience=PATIENCE)
    for kind, fields in REQUESTS.items():
        in_time(client, kind, fields, *words)


class Background:
    """Plays a part of the hub meanwhile. It ends with the sockets that it uses."""

    def __init__(self, work):
        def play_it():
            try:
                work()
            except (Failure, OSError):
                pass
        threading.Thread(target=play_it, daemon=True).start()


def ready(play):
    """A client that is connected, and its connection."""
    client = play.client(patience=PATIENCE)
    client.watch("A", "a")
    connection = play.hub.begin()
    connection.watch(wire.synced(10))
    client.shows("A", "synced")
    return client, connection


@scenario("in time: every request, if no hub is there")
def absent(play):
    play.hub.stop_listening()
    all_in_time(play, "noHub")


@scenario("in time: every request, if the hub refuses every connection")
def refusing(play):
    # A socket that was left behind.
    play.hub.stop_listening()
    left = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    left.bind(play.hub.path)
    left.close()
    all_in_time(play, "noHub")


@scenario("in time: every request, if the hub has no room")
def full(play):
    def refuse():
        while True:
            connection = play.hub.accept()
            connection.send(wire.error(0, 31, "the hub serves no more clients"))
            connection.close()
    Background(refuse)
    # Which of them depends on whether the hub has yet to refuse the last connection when the time is over.
    all_in_time(play, "quota", "timeout", "connectionLost")


@scenario("in time: every request, if the hub is stopped before it answers hello")
def stopped(play):
    all_in_time(play, "timeout")


@scenario("in time: every request, if the hub is stopped after it has answered hello")
def stopped_later(play):
    client, _ = ready(play)
    all_in_time(play, "timeout", client=client)


@scenario("in time: every request, if a stopped hub was replaced")
def replaced(play):
    client, _ = ready(play)
    os.unlink(play.hub.path)
    other = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    other.bind(play.hub.path)
    other.listen(16)
    all_in_time(play, "timeout", client=client)
    other.close()


@scenario("in time: every request, if the hub sends an answer byte by byte")
def slow(play):
    client, connection = ready(play)

    def drip():
        for byte in wire.change(1, 11, 2, {"type": "string", "value": "x" * 200}):
            connection.send(bytes([byte]))
            time.sleep(0.1)
    Background(drip)
    all_in_time(play, "timeout", client=client)


@scenario("in time: every request, while the hub tells of changes without a pause")
def flooded(play):
    client, connection = ready(play)

    def flood():
        for index in range(1, 1 << 20):
            connection.send(wire.change(1, 10 + index, 1 + index, index))
            time.sleep(0.001)
    Background(flood)
    all_in_time(play, "timeout", client=client)


@scenario("in time: an update that meets one conflict after the other")
def conflicts(play):
    client, connection = ready(play)

    def contradict():
        while True:
            sent = connection.next("get", "set")
            time.sleep(0.05)
            connection.send(
                wire.got(sent.number, 1) if sent.kind == "get" else wire.error(sent.number, 11, "why", "b", revision=9))
    Background(contradict)
    in_time(client, "update", {"store": "b", "add": 1}, "timeout", "conflict")


@scenario("in time: a path that is too long for a socket fails at once, and is named")
def too_long(play):
    client = play.client(patience=20)
    client.options["path"] = play.hub.path + "x" * 108
    client.reopen()
    client.watch("A", "a")
    client.shows("A", {"ended": "noHub"})
    for kind, fields in REQUESTS.items():
        if client.options["path"] not in client.failure(client.request(kind, **fields), "noHub")["message"]:
            raise Failure("the message does not name the path")
