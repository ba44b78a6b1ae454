"""Frames that are cut, slow, damaged, longest, too long or unknown."""

import json

import wire
from played import Failure
from scenarios import Scenario, collect
from scenarios.values import vectors

SCENARIOS, scenario = collect()

SNAPSHOT = (wire.current(1, 5, 3, "a", {"type": "string", "value": "Grüße"}) + wire.synced(10) + wire.change(1, 11, 4, 41)
            + wire.removed(1, 12, 5, "a") + wire.created(2, 13, 1, "a", {"type": "json", "value": "[1]"}))
SHOWN = [
    {"event": "initial", "version": 3, "value": {"type": "string", "value": "Grüße"}}, "synced",
    {"event": "changed", "value": wire.integer(41), "skipped": 0}, {"event": "removed", "version": 5, "skipped": 0},
    {"event": "changed", "version": 1, "value": {"type": "json", "value": "[1]"}, "skipped": 0}]


@scenario("slow: one byte at a time")
def slow(play):
    client = play.client()
    client.watch("A", "a")
    connection = play.hub.begin()
    request = connection.next("watch")
    for byte in wire.watching(request.number) + SNAPSHOT:
        connection.send(bytes([byte]))
    client.shows("A", *SHOWN)


def cut(part, parts):
    """The connection ends at every byte of one part, and the next one shows everything."""
    def play_it(play):
        client = play.client()
        for at in range(part, len(SNAPSHOT), parts):
            client.reopen()
            client.watch(f"A{at}", "a")
            connection = play.hub.begin()
            request = connection.next("watch")
            connection.send(wire.watching(request.number), SNAPSHOT[:at])
            connection.close()
            connection = play.hub.begin()
            again = connection.next("watch")
            # Everything that came whole was shown, and nothing else; the rest is told as after a restart.
            if again.bookmark is None:
                connection.send(wire.watching(again.number), SNAPSHOT)
            else:
                connection.send(wire.watching(again.number), wire.resumed(again.bookmark[1]), SNAPSHOT, wire.synced(13))
            wait_for_end(client, f"A{at}")
    return Scenario(f"cut: the connection ends within every frame, part {part + 1}", play_it)


def wait_for_end(client, label):
    """The last version of the last store is shown exactly once, and every store's events count every change."""
    last = {"type": "json", "value": "[1]"}
    client.until(
        lambda reports: any(report.get("watch") == label and report.get("value") == last for report in reports),
        "the last event is not shown")
    events = [event for event in client.shown(label) if "event" in event]
    since_reset = events
    for index, event in enumerate(events):
        if event["event"] == "reset":
            since_reset = events[index + 1:]
    seen = [(event["event"], event["version"]) for event in since_reset if "version" in event and event.get("name")]
    if len(seen) != len(set(seen)):
        raise Failure(f"something is shown twice: {json.dumps(events)}")
    first = [event for event in since_reset if event.get("version") in (3, 4, 5) and event.get("name")]
    total = sum(1 + event["skipped"] for event in first if event["skipped"] is not None)
    if total != 3 or first[-1]["event"] != "removed":
        raise Failure(f"the changes of the first store are {total}: {json.dumps(events)}")


SCENARIOS += [cut(part, 6) for part in range(6)]


@scenario("split: the stream in two writes, at every byte")
def split_all(play):
    for at in range(0, len(SNAPSHOT), 3):
        client = play.client() if at == 0 else client  # noqa: F821
        label = f"W{at}"
        client.watch(label, "a")
        if at == 0:
            connection = play.hub.begin()
        request = connection.next("watch")
        base = 100 * (at + 1)
        content = (wire.watching(request.number, base) + wire.current(base, base + 1, 3, "a", 7) + wire.synced(base + 2)
                   + wire.change(base, base + 3, 4, 8) + wire.removed(base, base + 4, 5, "a"))
        middle = 1 + at * (len(content) - 2) // len(SNAPSHOT)
        connection.send(content[:middle])
        ping = client.request("ping")
        number = connection.next("ping").number
        connection.send(content[middle:], wire.pong(number))
        client.reply(ping)
        client.shows(label, {"event": "initial", "value": wire.integer(7)}, {"event": "synced", "revision": base + 2},
                     {"event": "changed", "skipped": 0}, {"event": "removed", "skipped": 0})
        client.unwatch(label)
        connection.send(wire.unwatched(connection.next("unwatch").number))


@scenario("refused: a frame that no hub may send ends the connection, and the watch resumes")
def refused(play):
    client = play.client(timeout=120)
    client.watch("A", "a")
    connection = play.hub.begin()
    connection.watch(wire.current(1, 5, 1, "a", 1), wire.synced(10))
    client.shows("A", "initial", "synced")
    # Two of them: the others are for a client's own test of the vectors, since the back-off makes each take longer.
    for vector in vectors("messages")["refused"]:
        frame = bytes.fromhex(vector["hex"])
        if frame[4] not in (0x40, 0x44) or "7 bytes" not in vector["about"] and "boolean" not in vector["about"]:
            continue
        request = client.request("get", store="b")
        number = connection.next("get").number
        connection.send(frame)
        connection.is_closed_by_client()
        connection = play.hub.begin()
        for _ in range(2):
            sent = connection.next("watch", "get")
            if sent.kind == "watch":
                connection.send(wire.watching(sent.number), wire.resumed(10), wire.synced(10))
            else:
                connection.send(wire.got(sent.number, number))
        client.reply(request)


@scenario("later: fields and flags of a later version, and unknown events, change nothing")
def later(play):
    client = play.client()
    client.watch("A", "a")
    connection = play.hub.begin()
    request = connection.next("watch")
    state = wire.state(1, 5, 3) + wire.short("a") + wire.value(40)
    connection.send(
        wire.frame(0x87, b"\x0a" + bytes(7) + b"later", request.number), wire.frame(0x43, state + b"later", 0, 0xF0),
        wire.frame(0x7E, b"an event of a later version"), wire.frame(0x44, b"\x0a" + bytes(7) + b"later"),
        wire.frame(0x40, wire.state(1, 11, 4) + wire.value(41) + b"later", 0, 0xF8))
    client.shows("A", {"event": "initial", "value": wire.integer(40)}, "synced", {"event": "changed", "value": wire.integer(41)})


@scenario("longest: a frame of the longest length is taken, a longer one ends the connection")
def longest(play):
    client = play.client(timeout=120)
    client.watch("A", "a")
    connection = play.hub.begin(longest=100_000)
    length = 100_000 + 65_536 - 12 - len(wire.state(1, 5, 1)) - 2 - 5
    whole = {"type": "data", "hex": "61" * length}
    connection.watch(wire.current(1, 5, 1, "a", whole), wire.synced(10))
    client.shows("A", {"event": "initial", "value": whole}, "synced")
    connection.send(wire.change(1, 11, 2, {"type": "data", "hex": "61" * (length + 3)}))
    connection.is_closed_by_client()
    play.hub.begin().watch(wire.resumed(10), wire.synced(10))
    client.shows("A", "initial", "synced", "resumed", "synced")


@scenario("longest: a value of a mebibyte")
def mebibyte(play):
    client = play.client(timeout=120)
    request = client.request("get", store="a")
    connection = play.hub.begin()
    value = {"type": "string", "value": "ü" * (1 << 19)}
    connection.send(wire.got(connection.next("get").number, value))
    if client.reply(request)["value"] != value:
        raise Failure("another value is reported")
