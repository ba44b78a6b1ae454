"""Lost connections and restarted hubs: how a client comes back, and what its watches show then."""

import time

import wire
from played import LONGEST_WAIT, Failure
from scenarios import Scenario, collect

SCENARIOS, scenario = collect()


def restart(reason):
    def play_it(play):
        client = play.client()
        client.watch("A", "a")
        connection = play.hub.begin()
        connection.watch(wire.current(1, 5, 1, "a", 1), wire.synced(10))
        client.shows("A", "initial", "synced")
        if reason is not None:
            connection.send(wire.ended(reason))
        connection.close()
        connection = play.hub.begin()
        request = connection.watch(wire.resumed(10), wire.change(1, 12, 4, 9), wire.synced(12))
        if request.bookmark != (wire.EPOCH, 10):
            raise Failure(f"the watch asks with {request.bookmark}")
        client.shows(
            "A", "initial", "synced", {"event": "resumed", "revision": 10},
            {"event": "changed", "name": "a", "value": wire.integer(9), "skipped": 2}, {"event": "synced", "revision": 12})
    name = {None: "is killed", 1: "stops", 2: "says notReading", 99: "ends it for a reason of a later version"}[reason]
    return Scenario(f"restart: the hub {name}, and the watch resumes", play_it)


SCENARIOS += [restart(reason) for reason in (None, 1, 2, 99)]


@scenario("restart: a hub of another epoch starts over")
def other_epoch(play):
    client = play.client()
    client.watch("A", "a.*")
    connection = play.hub.begin()
    connection.watch(wire.current(1, 5, 1, "a.x", 1), wire.synced(10))
    client.shows("A", "initial", "synced")
    connection.close()
    connection = play.hub.begin(epoch=wire.OTHER_EPOCH, revision=2)
    connection.watch(
        wire.forget(wire.OTHER_EPOCH, 2), wire.change(1, 2, 7, 99), wire.current(1, 2, 1, "a.y", 5), wire.synced(2),
        revision=2)
    client.shows(
        "A", "initial", "synced", "reset", {"event": "initial", "name": "a.y", "skipped": None, "epoch": wire.OTHER_EPOCH},
        "synced")


@scenario("restart: several in a row")
def several(play):
    client = play.client()
    client.watch("A", "a")
    connection = play.hub.begin()
    connection.watch(wire.current(1, 5, 1, "a", 1), wire.synced(10))
    shown = ["initial", "synced"]
    client.shows("A", *shown)
    for turn in range(1, 6):
        connection.close()
        connection = play.hub.begin()
        request = connection.watch(
            wire.resumed(9 + turn), wire.change(1, 10 + turn, 1 + turn, turn), wire.synced(10 + turn))
        if request.bookmark != (wire.EPOCH, 9 + turn):
            raise Failure(f"turn {turn} asks with {request.bookmark}")
        shown += ["resumed", {"event": "changed", "skipped": 0}, {"event": "synced", "revision": 10 + turn}]
        client.shows("A", *shown)


@scenario("hand-off: a pause in the middle of a frame, and nothing else, is not noticed")
def hand_off(play):
    client = play.client()
    client.watch("A", "a")
    connection = play.hub.begin()
    connection.watch(wire.current(1, 5, 1, "a", 1), wire.synced(10))
    client.shows("A", "initial", "synced")
    frame = wire.change(1, 11, 2, 2)
    request = client.request("get", store="a")
    connection.send(frame[:20])
    time.sleep(0.5)
    connection.send(frame[20:])
    connection.send(wire.got(connection.next("get").number, 2))
    client.reply(request)
    client.shows("A", "initial", "synced", {"event": "changed", "skipped": 0})


@scenario("restrict: a client that comes back restricts itself before anything else, to the least that it has asked for")
def restrict(play):
    client = play.client()
    client.watch("A", "a")
    connection = play.hub.begin()
    connection.watch(wire.current(1, 5, 1, "a", 1), wire.synced(10))
    owned = client.request("set", store="b", value=wire.integer(1), ifAbsent=True, ephemeral=True)
    connection.send(wire.written(connection.next("set").number, revision=11, store=2))
    client.reply(owned)

    def ask(to, payload, reply):
        request = client.request("restrict", to=to)
        received = connection.next("restrict")
        if received.payload != payload or received.flags:
            raise Failure(f"the client sends {received}")
        connection.send(reply(received.number))
        return request

    client.reply(ask("reading", b"\1", wire.restricted))
    client.reply(ask("nothing", b"\2", wire.restricted))
    client.failure(ask("reading", b"\1", lambda number: wire.error(number, 30)), "denied")
    connection.close()
    connection = play.hub.accept()
    connection.welcome()
    received = connection.next("restrict")
    if received.payload != b"\2":
        raise Failure(f"the client comes back with {received}")
    connection.next("set", "describe", "watch")
    # A hub that refuses it gets another chance, and nothing else.
    connection.send(wire.error(received.number, 2))
    connection.is_closed_by_client()
    play.hub.begin().next("restrict")


@scenario("back-off: the first attempt within 100 ms, then not more often than sensible, at most 1 s apart")
def backoff(play):
    # A busy machine makes one client late, and hardly three.
    for last in (False, False, True):
        client = play.client()
        client.watch("A", "a")
        times = []
        for _ in range(7):
            connection = play.hub.accept()
            times.append(time.monotonic())
            connection.close()
        client.close_hub()
        client.end()
        play.adapters.remove(client)
        gaps = [later - earlier for earlier, later in zip(times, times[1:])]
        if gaps[0] <= 0.6 and all(gap <= 1.6 for gap in gaps) and sum(gaps) >= 0.8:
            return
        if last:
            raise Failure(f"the client comes back after {[round(gap, 3) for gap in gaps]} s")
        play.hub.listen()


@scenario("a client reads while it writes")
def both_ways(play):
    client = play.client(timeout=LONGEST_WAIT)
    client.watch("A", "a")
    connection = play.hub.begin()
    connection.watch(wire.current(1, 5, 1, "a", 0), wire.synced(10))
    client.shows("A", "initial", "synced")
    asked = [
        client.request("set", store="b", value={"type": "string", "value": "x" * 300_000}) for _ in range(6)]
    # Nothing is read from the client before it has taken all this.
    large = {"type": "string", "value": "y" * 200_000}
    connection.send(*(wire.change(1, 10 + index, 1 + index, large) for index in range(1, 31)))
    for request in asked:
        connection.send(wire.written(connection.next("set").number, store=2))
    for request in asked:
        client.reply(request)
    deadline = time.monotonic() + LONGEST_WAIT
    while [event for event in client.shown("A") if event.get("version") == 31] == []:
        if time.monotonic() > deadline:
            raise Failure("the last change is not shown")
        time.sleep(0.01)


@scenario("an error that answers no request ends the connection")
def error_zero(play):
    client = play.client()
    client.watch("A", "a")
    connection = play.hub.begin()
    connection.watch(wire.current(1, 5, 1, "a", 1), wire.synced(10))
    client.shows("A", "initial", "synced")
    connection.send(wire.error(0, 31))
    connection.is_closed_by_client()
    play.hub.begin().watch(wire.resumed(10), wire.synced(10))
    client.shows("A", "initial", "synced", "resumed", "synced")
