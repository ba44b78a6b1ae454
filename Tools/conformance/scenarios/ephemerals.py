"""Ephemeral values: set again on the next connection, as long as they are this client's.

The client asks the hub to describe the store first: it may only set it again if the store is absent, has not changed since this
client's own last write, or has returned to its initial value.
"""

import struct

import wire
from played import Failure
from scenarios import collect

SCENARIOS, scenario = collect()
ONE = wire.integer(1)


def owner(play, **fields):
    """A client that has set an ephemeral value, and its connection."""
    client = play.client()
    request = client.request("set", store="here", value=ONE, ephemeral=True, **fields)
    connection = play.hub.begin()
    sent = connection.next("set")
    connection.send(wire.written(sent.number))
    client.reply(request)
    return client, connection, sent


def not_set_again(play, client, connection):
    connection.close()
    request = client.request("ping")
    connection = play.hub.begin()
    connection.send(wire.pong(connection.next("ping").number))
    client.reply(request)


def asked_about(connection, answer, **fields):
    """Answers the client's question about the store."""
    request = connection.next("describe")
    if request.store != "here":
        raise Failure(f"the client asks about {request}")
    connection.send(answer(request.number, **fields))


def missing(number):
    return wire.error(number, 10, "why", "here")


def found(number, **fields):
    return wire.described(number, "here", **{"of": 1, **fields})


def set_again(connection, flags, condition=b"", value=ONE):
    sent = connection.next("set")
    if sent.store != "here" or sent.value != value or sent.flags != flags or not sent.payload.endswith(condition):
        raise Failure(f"it is set again as {sent}, expected flags {flags:#x} and {condition.hex()}")
    return sent


def at_revision(revision, epoch=wire.EPOCH):
    return struct.pack("<Q", revision) + wire.epoch_bytes(epoch)


@scenario("ephemeral again: set under absent where the store is gone, before the watches")
def again(play):
    client, connection, _ = owner(play)
    client.watch("A", "here")
    connection.watch(wire.current(1, 11, 4, "here", 1), wire.synced(11))
    client.shows("A", "initial", "synced")
    for _ in range(2):
        connection.close()
        connection = play.hub.begin()
        asked_about(connection, missing)
        connection.send(wire.written(set_again(connection, 0x48).number))
        request = connection.next("watch")
        connection.send(wire.watching(request.number), wire.resumed(11), wire.synced(11))


@scenario("ephemeral again: not set where another program has set the store")
def overtaken(play):
    client, connection, _ = owner(play)
    connection.close()
    request = client.request("ping")
    connection = play.hub.begin()
    asked_about(connection, found, of=2, revision=12)
    connection.send(wire.pong(connection.next("ping").number))
    client.reply(request)
    not_set_again(play, client, connection)


@scenario("ephemeral again: not set where another program has set the store between the answer and the set")
def overtaken_later(play):
    client, connection, _ = owner(play)
    connection.close()
    connection = play.hub.begin()
    asked_about(connection, found)
    sent = set_again(connection, 0x43, at_revision(11))
    connection.send(wire.error(sent.number, 11, "why", "here", revision=12))
    request = client.request("ping")
    connection.send(wire.pong(connection.next("ping").number))
    client.reply(request)
    not_set_again(play, client, connection)


@scenario("ephemeral again: set where the last change is the client's own, each time")
def own(play):
    client, connection, _ = owner(play)
    for turn in range(3):
        connection.close()
        connection = play.hub.begin()
        asked_about(connection, found, revision=11 + turn)
        sent = set_again(connection, 0x43, at_revision(11 + turn))
        connection.send(wire.written(sent.number, revision=12 + turn))
        request = client.request("ping")
        connection.send(wire.pong(connection.next("ping").number))
        client.reply(request)


@scenario("ephemeral again: the same revision of another epoch is not the client's own")
def other_epoch(play):
    client, connection, _ = owner(play)
    connection.close()
    request = client.request("ping")
    connection = play.hub.begin(epoch=wire.OTHER_EPOCH)
    asked_about(connection, found)
    connection.send(wire.pong(connection.next("ping").number))
    client.reply(request)
    not_set_again(play, client, connection)


@scenario("ephemeral again: set where the store has returned to its initial value")
def initial(play):
    client, connection, _ = owner(play)
    connection.close()
    connection = play.hub.begin(epoch=wire.OTHER_EPOCH)
    asked_about(connection, found, of=0, initial=0, revision=3)
    sent = set_again(connection, 0x43, at_revision(3, wire.OTHER_EPOCH))
    connection.send(wire.written(sent.number, revision=4))


@scenario("ephemeral again: a connection that is lost meanwhile begins with the question again")
def lost_meanwhile(play):
    client, connection, _ = owner(play)
    connection.close()
    request = client.request("get", store="b")
    connection = play.hub.begin()
    connection.next("describe")
    connection.close()
    connection = play.hub.begin()
    asked_about(connection, missing)
    connection.send(wire.written(set_again(connection, 0x48).number))
    connection.send(wire.got(connection.next("get").number, 3))
    client.reply(request)


@scenario("ephemeral: under absent it is set again under absent, and given up after a conflict")
def absent(play):
    client, connection, _ = owner(play, ifAbsent=True)
    connection.close()
    connection = play.hub.begin()
    sent = connection.next("set")
    if sent.flags != 0x48:
        raise Failure(f"it is set again as {sent}")
    connection.send(wire.error(sent.number, 11, "why", "here", revision=12))
    request = client.request("ping")
    connection.send(wire.pong(connection.next("ping").number))
    client.reply(request)
    not_set_again(play, client, connection)


@scenario("ephemeral: under a revision it is not set again")
def revision(play):
    client, connection, _ = owner(play, ifRevision=5, ifEpoch=wire.EPOCH)
    not_set_again(play, client, connection)


@scenario("ephemeral: a later set without it, a reset or a removal ends it")
def ends(play):
    for kind, fields in (("set", {"value": ONE}), ("reset", {}), ("remove", {})):
        client, connection, _ = owner(play)
        request = client.request(kind, store="here", **fields)
        connection.send(wire.written(connection.next(kind).number, after=1 if kind == "reset" else None))
        client.reply(request)
        not_set_again(play, client, connection)


@scenario("ephemeral again: what add has made of it is set")
def add(play):
    client, connection, _ = owner(play)
    request = client.request("add", store="here", delta=wire.integer(41))
    connection.send(wire.written(connection.next("add").number, after=42))
    client.reply(request)
    connection.close()
    connection = play.hub.begin()
    asked_about(connection, missing)
    set_again(connection, 0x48, value=wire.integer(42))
