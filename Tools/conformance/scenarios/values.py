"""Values of every type, both ways, and requests to the byte: docs/vectors."""

import json
import pathlib

import wire
from adapter import plain
from played import Failure
from scenarios import Scenario

VECTORS = pathlib.Path(__file__).resolve().parents[3] / "docs" / "vectors"


def vectors(name):
    return json.loads((VECTORS / f"{name}.json").read_text())


def values_of(play):
    """get, set and a watch, with each valid value."""
    client = play.client()
    client.watch("A", "a")
    connection = play.hub.begin()
    connection.watch(wire.synced(10))
    shown = [{"event": "synced"}]
    for version, vector in enumerate(vectors("values")["values"], 1):
        encoded = bytes.fromhex(vector["bytes"])
        expected, _ = wire.decode_value(encoded)
        get = client.request("get", store="b")
        connection.send(wire.got(connection.next("get").number, encoded))
        if plain(client.reply(get)["value"]) != plain(expected):
            raise Failure(f"get of {expected} gives {client.reply(get)}")
        setting = client.request("set", store="b", value=given(expected))
        request = connection.next("set")
        if request.payload != wire.short("b") + encoded:
            raise Failure(f"set of {expected} sends {request}")
        connection.send(wire.written(request.number))
        client.reply(setting)
        connection.send(wire.created(1, 10 + version, version, "a", encoded))
        shown.append({"event": "changed", "value": expected})
        client.shows("A", *shown)


def given(value):
    """As an instruction: numbers above 2^53 as digits."""
    if value["type"] == "integer" and abs(value["value"]) > 1 << 53:
        return {"type": "integer", "value": str(value["value"])}
    return value


ASKED = {"get", "set", "add", "toggle", "reset", "remove", "create", "transaction", "describe", "ping", "stats"}


def requests_of(play):
    """Every request of the vectors that names its stores, to the byte."""
    client = play.client()
    connection = None
    for message in vectors("messages")["messages"]:
        fields = message["fields"]
        if message["kind"] not in ASKED or not can_be_asked(message["kind"], fields):
            continue
        client.request(message["kind"], **instruction(message["kind"], fields))
        connection = connection or play.hub.begin()
        sent, expected = connection.next(message["kind"]), bytes.fromhex(message["hex"])
        if sent.bytes[:8] + sent.bytes[12:] != expected[:8] + expected[12:]:
            raise Failure(f"{message['name']} is sent as {sent.bytes.hex()}, expected {message['hex']}")


def can_be_asked(kind, fields):
    if kind == "transaction":
        return all(can_be_asked(each["kind"], each["fields"]) for each in fields["operations"])
    if kind == "set" and sum(key in fields for key in ("ifRevision", "ifValue", "ifAbsent")) > 1:
        return False
    if fields.get("delta", {}).get("type") == "double" and kind == "add" and isinstance(fields["store"], int):
        return False
    if "ifEpoch" in fields and "ifRevision" not in fields:
        return False
    return not isinstance(fields.get("store", fields.get("name", "")), int) and not str(fields.get("store", "")).isdigit()


def instruction(kind, fields):
    fields = dict(fields)
    if kind == "create":
        fields["store"] = fields.pop("name")
    if kind == "transaction":
        fields["operations"] = [
            {"request": each["kind"], **instruction(each["kind"], each["fields"])} for each in fields["operations"]]
    return fields


def names_of(play):
    """What is no name or no pattern is refused, by the client itself or by the hub."""
    client = play.client()
    found = vectors("names")
    client.request("ping")
    connection = play.hub.begin()
    connection.send(wire.pong(connection.next("ping").number))
    for case in found["noNames"]:
        try:
            text = bytes.fromhex(case["hex"]).decode()
        except UnicodeDecodeError:
            continue
        request = client.request("get", store=text)
        sentinel = client.request("ping")
        sent = connection.next()
        if sent.kind == "get":
            connection.send(wire.error(sent.number, 12))
            sent = connection.next("ping")
        connection.send(wire.pong(sent.number))
        client.failure(request, "invalidName")
        client.reply(sentinel)


SCENARIOS = [
    Scenario("values: each type, read, written and watched", values_of),
    Scenario("requests: to the byte", requests_of),
    Scenario("names: what is none is an invalidName", names_of),
]
