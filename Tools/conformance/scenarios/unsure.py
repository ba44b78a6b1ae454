"""Requests whose connection is lost before the reply: what is repeated, and what is said to be unknown."""

import wire
from played import Failure
from scenarios import Scenario, collect

SCENARIOS, scenario = collect()
ONE = wire.integer(1)
LAST = {"ifRevision": 5, "ifEpoch": wire.EPOCH}
NOT_REPEATED = {
    "set": {"store": "a", "value": ONE},
    "add": {"store": "a", "delta": ONE},
    "toggle": {"store": "a"},
    "reset": {"store": "a"},
    "remove": {"store": "a"},
    "create": {"store": "a", "schema": {"type": "integer"}, "ifAbsent": True},
    # Other programs may have made these conditions true again after the first attempt.
    "set if-absent": {"store": "a", "value": ONE, "ifAbsent": True},
    "set if-value": {"store": "a", "value": ONE, "ifValue": wire.integer(0)},
    "set if-revision 0": {"store": "a", "value": ONE, "ifRevision": 0, "ifEpoch": wire.EPOCH},
    "transaction": {"operations": [
        {"request": "set", "store": "a", "value": ONE, **LAST}, {"request": "add", "store": "b", "delta": ONE}]},
    "transaction if-absent": {"operations": [
        {"request": "set", "store": "a", "value": ONE, **LAST},
        {"request": "set", "store": "b", "value": ONE, "ifAbsent": True}]},
}
REPEATED = {
    "set if-revision": {"store": "a", "value": ONE, **LAST},
    "remove if-revision": {"store": "a", **LAST},
    "transaction if-revision": {"operations": [
        {"request": "set", "store": "a", "value": ONE, **LAST}, {"request": "set", "store": "b", "value": ONE, **LAST}]},
}


def unknown(name, fields):
    kind = name.split()[0]

    def play_it(play):
        client = play.client()
        request = client.request(kind, **fields)
        connection = play.hub.begin()
        connection.next(kind)
        connection.close()
        client.failure(request, "outcomeUnknown")
        # What comes next on the new connection is not the write again.
        ping = client.request("ping")
        connection = play.hub.begin()
        connection.send(wire.pong(connection.next("ping").number))
        client.reply(ping)
    return Scenario(f"in doubt: {name} is not repeated, and said to be unknown", play_it)


def repeated(name, fields):
    kind = name.split()[0]

    def play_it(play):
        for outcome in ("done", "conflict"):
            client = play.client()
            request = client.request(kind, **fields)
            connection = play.hub.begin()
            first = connection.next(kind)
            connection.close()
            connection = play.hub.begin()
            again = connection.next(kind)
            if again.payload != first.payload or again.flags != first.flags:
                raise Failure(f"{first} is repeated as {again}")
            if outcome == "done" and kind == "transaction":
                payload = wire.written_payload()
                connection.send(wire.committed(again.number, 11, payload, payload))
                client.reply(request)
            elif outcome == "done":
                connection.send(wire.written(again.number))
                client.reply(request)
            else:
                # It may be in conflict with its own first attempt.
                connection.send(wire.error(again.number, 11, "why", "a", revision=11))
                client.failure(request, "outcomeUnknown")
    return Scenario(f"in doubt: {name} is repeated, and a conflict then leaves the outcome unknown", play_it)


SCENARIOS += [unknown(name, fields) for name, fields in NOT_REPEATED.items()]
SCENARIOS += [repeated(name, fields) for name, fields in REPEATED.items()]


@scenario("in doubt: reads are repeated")
def reads(play):
    client = play.client()
    asked = [client.request("get", store="a"), client.request("ping"), client.request("describe", store="a")]
    connection = play.hub.begin()
    for _ in asked:
        connection.next("get", "ping", "describe")
    connection.close()
    connection = play.hub.begin()
    for _ in asked:
        sent = connection.next("get", "ping", "describe")
        if sent.kind == "get":
            connection.send(wire.got(sent.number, 5))
        elif sent.kind == "ping":
            connection.send(wire.pong(sent.number))
        else:
            connection.send(wire.error(sent.number, 10))
    client.reply(asked[0])
    client.reply(asked[1])
    client.failure(asked[2], "noSuchStore")


@scenario("in doubt: what was made while there was no connection is sent once there is one")
def unsent(play):
    play.hub.stop_listening()
    client = play.client()
    request = client.request("add", store="a", delta=ONE)
    client.has_not_answered(request)
    play.hub.listen()
    connection = play.hub.begin()
    connection.send(wire.written(connection.next("add").number, after=3))
    client.reply(request)


@scenario("in doubt: the hub's shuttingDown says nothing about a write")
def ended(play):
    client = play.client()
    request = client.request("add", store="a", delta=ONE)
    connection = play.hub.begin()
    connection.next("add")
    connection.send(wire.ended(1))
    connection.close()
    client.failure(request, "outcomeUnknown")


@scenario("in doubt: a timeout of a write says that its outcome is unknown")
def slow(play):
    client = play.client(timeout=0.3)
    request = client.request("add", store="a", delta=ONE)
    connection = play.hub.begin()
    connection.next("add")
    if "unknown" not in client.failure(request, "timeout")["message"]:
        raise Failure("the message does not say that the outcome is unknown")
