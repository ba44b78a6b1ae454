"""Ephemeral values: set again on the next connection, as long as they are this client's."""

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


@scenario("ephemeral: set again after a lost connection, before the watches")
def again(play):
    client, connection, first = owner(play)
    client.watch("A", "here")
    connection.watch(wire.current(1, 11, 4, "here", 1), wire.synced(11))
    client.shows("A", "initial", "synced")
    for _ in range(2):
        connection.close()
        connection = play.hub.begin()
        sent = connection.next("set")
        if sent.payload != first.payload or sent.flags != 0x40:
            raise Failure(f"{first} is set again as {sent}")
        connection.send(wire.written(sent.number))
        request = connection.next("watch")
        connection.send(wire.watching(request.number), wire.resumed(11), wire.synced(11))


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


@scenario("ephemeral: what add has made of it is set again")
def add(play):
    client, connection, _ = owner(play)
    request = client.request("add", store="here", delta=wire.integer(41))
    connection.send(wire.written(connection.next("add").number, after=42))
    client.reply(request)
    connection.close()
    connection = play.hub.begin()
    sent = connection.next("set")
    if sent.value != wire.integer(42) or sent.flags != 0x40:
        raise Failure(f"it is set again as {sent}")
