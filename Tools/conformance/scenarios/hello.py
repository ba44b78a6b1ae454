"""Opening a connection: hello, and what a hub can answer to it."""

import struct

import wire
from adapter import plain
from played import Failure
from scenarios import collect

SCENARIOS, scenario = collect()


@scenario("hello: it is well formed, and the first frame")
def shape(play):
    client = play.client(name="Grüße")
    request = client.request("ping")
    connection = play.hub.accept()
    hello = connection.next("hello")
    magic, lowest, highest, capabilities = struct.unpack_from("<IHHQ", hello.payload)
    if (magic, lowest, highest, capabilities) != (0x42554853, 1, 1, 0) or hello.payload[16:] != wire.short("Grüße"):
        raise Failure(f"hello is {hello}")
    if hello.flags or hello.reserved:
        raise Failure(f"hello sets bits that the page does not define: {hello}")
    connection.send(wire.welcome(hello.number))
    connection.send(wire.pong(connection.next("ping").number, 77))
    if client.reply(request)["revision"] != 77:
        raise Failure("pong's revision is not reported")


@scenario("hello: a long name is cut between characters")
def long_name(play):
    client = play.client(name="ü" * 200)
    client.request("ping")
    text = play.hub.accept().next("hello").payload[17:]
    if not text.decode() or set(text.decode()) != {"ü"}:
        raise Failure(f"the name is {text!r}")


@scenario("welcome: fields and capabilities of a later hub are ignored")
def later(play):
    client = play.client()
    request = client.request("ping")
    connection = play.hub.begin(more=b"later fields", capabilities=(1 << 64) - 2, release="x" * 255)
    connection.send(wire.pong(connection.next("ping").number))
    client.reply(request)


@scenario("unsupportedVersion: requests and watches end with it")
def version(play):
    client = play.client()
    request = client.request("ping")
    client.watch("A", "a")
    connection = play.hub.accept()
    hello = connection.next("hello")
    for _ in range(2):
        connection.next("ping", "watch")
    connection.send(wire.error(hello.number, 3))
    connection.close()
    client.failure(request, "unsupportedVersion")
    client.shows("A", {"ended": "unsupportedVersion"})


@scenario("quota: a hub without room is tried again, and what was written to it was not carried out")
def quota(play):
    client = play.client()
    request = client.request("add", store="a", delta=wire.integer(1))
    refused = play.hub.accept()
    refused.send(wire.error(0, 31, "the hub serves no more clients"))
    refused.close()
    connection = play.hub.begin()
    connection.send(wire.written(connection.next("add").number, after=5))
    if plain(client.reply(request)["value"]) != wire.integer(5):
        raise Failure("the sum is not reported")


@scenario("quota: a request that finds no room in time fails with quota")
def quota_in_the_end(play):
    client = play.client(timeout=0.4)
    play.hub.listener.settimeout(0.1)
    # If the time ends while the hub has a connection still to refuse, the request was sent, and its outcome is unknown.
    for _ in range(5):
        request = client.request("set", store="a", value=wire.integer(1))
        while not client_has_answered(client, request):
            try:
                refused = play.hub.accept()
            except Failure:
                continue
            refused.send(wire.error(0, 31, "the hub serves no more clients"))
            refused.close()
        error = client.failure(request)["error"]
        if error != "timeout":
            break
    if error != "quota":
        raise Failure(f"the request ends with {error}, expected quota")


def client_has_answered(client, request):
    return any(report.get("id") == request for report in list(client.reports))


@scenario("noHub: a request says so after its time-out, and a watch waits for the hub")
def no_hub(play):
    play.hub.stop_listening()
    client = play.client(timeout=0.3)
    client.watch("A", "a")
    request = client.request("ping")
    client.failure(request, "noHub")
    play.hub.listen()
    play.hub.begin().watch(wire.current(1, 5, 1, "a", 5), wire.synced(10))
    client.shows("A", {"event": "initial", "value": wire.integer(5)}, "synced")


@scenario("timeout: a hub that does not answer")
def silent(play):
    client = play.client(timeout=0.3)
    request = client.request("ping")
    connection = play.hub.accept()
    connection.next("hello")
    client.failure(request, "timeout")


@scenario("welcome: something else in its place ends the connection")
def no_welcome(play):
    client = play.client()
    request = client.request("ping")
    connection = play.hub.accept()
    connection.send(wire.pong(connection.next("hello").number))
    connection.is_closed_by_client()
    connection = play.hub.begin()
    connection.send(wire.pong(connection.next("ping").number))
    client.reply(request)
