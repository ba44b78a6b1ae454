"""What a watch shows beyond the scripts: options, ends, errors, what is not its own."""

import select
import struct

import wire
from adapter import plain
from played import LONGEST_WAIT, Failure
from scenarios import collect

SCENARIOS, scenario = collect()


@scenario("watch: the value first, then the changes, with what was skipped")
def course(play):
    client = play.client()
    client.watch("A", "a")
    connection = play.hub.begin()
    request = connection.watch(wire.current(1, 5, 3, "a", 40), wire.synced(10))
    if request.patterns != ["a"] or request.bookmark is not None or not request.flags & 1:
        raise Failure(f"the watch asks {request}")
    connection.send(wire.change(1, 11, 4, 41), wire.change(1, 20, 9, 42))
    client.shows(
        "A",
        {"event": "initial", "name": "a", "value": wire.integer(40), "revision": 5, "version": 3, "skipped": 0,
         "epoch": wire.EPOCH},
        {"event": "synced", "revision": 10},
        {"event": "changed", "value": wire.integer(41), "version": 4, "skipped": 0},
        {"event": "changed", "value": wire.integer(42), "version": 9, "skipped": 4})


@scenario("watch: latest is asked for without the flag every, and shows the last value")
def latest(play):
    client = play.client()
    client.watch("A", "a", every=False)
    connection = play.hub.begin()
    request = connection.watch(wire.current(1, 5, 1, "a", 0), wire.synced(10))
    if request.flags & 1:
        raise Failure(f"the watch asks {request}")
    connection.send(*(wire.change(1, 10 + index, 1 + index, index) for index in range(1, 2001)))
    last = plain(wire.integer(2000))
    client.until(lambda reports: any(plain(report.get("value")) == last for report in reports[-4:]), "the last value is not shown")
    events = [event for event in client.shown("A") if "value" in event]
    counted = sum(1 + event["skipped"] for event in events)
    if counted != 2001:
        raise Failure(f"{len(events)} events and what they skipped are {counted} changes, expected 2001")


@scenario("watch: a slow reader's every change is counted")
def counted(play):
    client = play.client()
    client.watch("A", "a.*")
    connection = play.hub.begin()
    connection.watch(wire.current(1, 5, 1, "a.x", 0), wire.current(2, 6, 1, "a.y", 0), wire.synced(10))
    changes = 3000
    for index in range(1, changes + 1):
        connection.send(wire.change(1 + index % 2, 10 + index, 1 + (index + 1) // 2, index))
    last = {plain(wire.integer(changes))["value"], changes - 1}
    client.until(
        lambda reports: last <= {int(report["value"]["value"]) for report in reports[-8:] if report.get("value")},
        "the last values are not shown")
    events = [event for event in client.shown("A") if event.get("event") in ("initial", "changed")]
    total = sum(1 + event["skipped"] for event in events)
    if total != changes + 2:
        raise Failure(f"events and what they skipped are {total} changes, expected {changes + 2}")


@scenario("watch: an error ends it, and nothing else")
def refused(play):
    client = play.client()
    client.watch("A", "a")
    connection = play.hub.begin()
    connection.send(wire.error(connection.next("watch").number, 31, "too many patterns"))
    client.shows("A", {"ended": "quota"})
    client.watch("B", "b")
    connection.watch(wire.synced(10))
    client.shows("B", "synced")


@scenario("watch: unwatch ends it in the hub, and its events are ignored")
def unwatch(play):
    client = play.client()
    client.watch("A", "a")
    client.watch("B", "b")
    connection = play.hub.begin()
    numbers = {}
    for _ in range(2):
        request = connection.next("watch")
        numbers[request.patterns[0]] = request.number
        connection.send(wire.watching(request.number))
    connection.send(wire.current(1, 5, 1, "a", 1), wire.current(2, 6, 1, "b", 2), wire.synced(10))
    client.shows("A", "initial", "synced")
    client.shows("B", "initial", "synced")
    client.unwatch("A")
    request = connection.next("unwatch")
    if int.from_bytes(request.payload, "little") != numbers["a"]:
        raise Failure(f"{request} does not name the watch {numbers['a']}")
    connection.send(wire.change(1, 11, 2, 3), wire.unwatched(request.number), wire.change(2, 12, 2, 4))
    client.shows("B", "initial", "synced", "changed")
    if [event for event in client.shown("A") if event.get("event") == "changed"]:
        raise Failure("a watch that has ended shows a change")
    connection.close()
    if play.hub.begin().watch(wire.resumed(11)).patterns != ["b"]:
        raise Failure("a watch that has ended is opened again")


@scenario("watch: stores are told apart by number, and events without a number that is known are ignored")
def numbers(play):
    client = play.client()
    client.watch("A", "a")
    connection = play.hub.begin()
    connection.watch(wire.current(1, 5, 1, "a", 1), wire.synced(10))
    connection.send(wire.change(99, 11, 2, 5), wire.change(1, 12, 2, 6))
    client.shows("A", "initial", "synced", {"event": "changed", "value": wire.integer(6)})


@scenario("watch: patterns with many ** match in time")
def patterns(play):
    client = play.client()
    pattern = ".".join(["**", "a"] * 40)
    client.watch("A", pattern)
    connection = play.hub.begin()
    connection.watch()
    name = ".".join("a" * 120)
    connection.send(wire.current(1, 5, 1, name, 1), wire.current(2, 6, 1, name + ".b", 1), wire.synced(10))
    client.shows("A", {"event": "initial", "name": name}, "synced")


@scenario("watch: reset and other epochs: everything is shown again, and what was skipped is unknown or counted")
def reset(play):
    client = play.client()
    client.watch("A", "a.*")
    connection = play.hub.begin()
    connection.watch(wire.current(1, 5, 3, "a.x", 1), wire.synced(10))
    client.shows("A", "initial", "synced")
    connection.send(wire.forget(wire.EPOCH, 30), wire.current(1, 25, 7, "a.x", 2), wire.synced(30))
    client.shows("A", "initial", "synced", "reset", "initial", "synced")
    connection.send(wire.forget(wire.OTHER_EPOCH, 3), wire.current(1, 2, 9, "a.x", 3), wire.synced(3))
    client.shows(
        "A", {"event": "initial", "skipped": 0}, "synced", {"event": "reset", "revision": 30},
        {"event": "initial", "skipped": 3}, {"event": "synced", "revision": 30},
        {"event": "reset", "epoch": wire.OTHER_EPOCH}, {"event": "initial", "skipped": None}, "synced")


def asking(play):
    """The connection on which the client asks next. A client may have another one for its filtered watches."""
    begun = [play.hub.begin()]
    while True:
        ready, _, _ = select.select([each.socket for each in begun] + [play.hub.listener], [], [], LONGEST_WAIT)
        if not ready:
            raise Failure("the client does not ask for anything")
        asks = [each for each in begun if each.socket in ready]
        if asks:
            return asks[0]
        begun.append(play.hub.begin())


@scenario("watch: a filter is asked for with the watch, and again on the next connection")
def filtered(play):
    client = play.client(filter={
        "milliseconds": 100, "deadband": 0.5, "condition": {"comparison": 5, "operands": [wire.integer(80)]}})
    fields = struct.pack("<BIdBBBIq", 11, 100, 0.5, 5, 1, 1, 8, 80)
    client.watch("A", "a")
    connection = asking(play)
    request = connection.watch(wire.current(1, 5, 3, "a", 40), wire.synced(10))
    if request.flags != 8 or not request.payload.endswith(fields):
        raise Failure(f"the watch asks {request}")
    connection.send(wire.current(1, 20, 9, "a", 81), wire.synced(20))
    shown = ["initial", "synced", {"event": "changed", "value": wire.integer(81), "skipped": 5}, "synced"]
    client.shows("A", *shown)
    connection.close()
    request = asking(play).watch(wire.resumed(20), wire.current(1, 30, 12, "a", 3), wire.synced(30))
    if request.flags != 10 or not request.payload.endswith(fields):
        raise Failure(f"the watch asks {request}")
    client.shows("A", *shown, "resumed", {"event": "changed", "skipped": 2}, "synced")


@scenario("watch: with a deadline a store is overdue once, and in time again once it is written")
def overdue(play):
    client = play.client(filter={"milliseconds": 100, "deadline": 5000})
    client.watch("A", "a")
    connection = asking(play)
    request = connection.watch(wire.current(1, 5, 3, "a", 40), wire.synced(10))
    if request.flags != 8 or not request.payload.endswith(struct.pack("<BII", 17, 100, 5000)):
        raise Failure(f"the watch asks {request}")
    missed, written = 0x10, 0x20
    connection.send(*[wire.current(1, 5, 3, "a", 40, missed)] * 2, wire.synced(10))
    connection.send(wire.current(1, 5, 3, "a", 40, written), wire.synced(10))
    connection.send(wire.current(1, 5, 3, "a", 40, written), wire.current(1, 20, 6, "a", 41, missed), wire.synced(20))
    shown = [
        {"event": "initial", "version": 3}, "synced",
        {"event": "changed", "version": 3, "skipped": 0, "value": wire.integer(40), "overdue": True}, "synced",
        {"event": "changed", "version": 3, "skipped": 0, "value": wire.integer(40), "overdue": False},
        "synced", {"event": "changed", "version": 6, "skipped": 2, "value": wire.integer(41), "overdue": True}, "synced"]
    client.shows("A", *shown)
    connection.close()
    # What the client knows of the deadline outlives the connection.
    connection = asking(play)
    connection.watch(
        wire.resumed(20), wire.current(1, 20, 6, "a", 41), wire.current(1, 20, 6, "a", 41, missed), wire.synced(20))
    connection.send(wire.current(1, 20, 6, "a", 41, written), wire.synced(20))
    client.shows(
        "A", *shown, "resumed", "synced", {"event": "changed", "version": 6, "overdue": False}, "synced")
