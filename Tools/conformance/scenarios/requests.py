"""Requests on a connection that holds: replies by number, errors, compare-and-set, transactions, what is held back."""

import struct

import wire
from adapter import plain
from played import Failure
from scenarios import collect

SCENARIOS, scenario = collect()


@scenario("pipelining: replies are matched by number, in any order")
def pipelining(play):
    client = play.client()
    asked = [client.request("get", store=f"s{index}") for index in range(20)]
    connection = play.hub.begin()
    requests = [connection.next("get") for _ in asked]
    if len({request.number for request in requests}) != len(requests) or any(not each.number for each in requests):
        raise Failure("requests that wait share a number, or have 0")
    for request in reversed(requests):
        connection.send(wire.got(request.number, int(request.store[1:])))
    for index, request in enumerate(asked):
        if plain(client.reply(request)["value"]) != wire.integer(index):
            raise Failure(f"request {index} got {client.reply(request)}")


@scenario("providers: a get that one answers comes after later requests, or fails as a write does")
def computed(play):
    client = play.client()
    asked = [client.request("get", store=f"s{index}") for index in range(4)]
    connection = play.hub.begin()
    numbers = {request.store: request.number for request in (connection.next("get") for _ in asked)}
    later = client.request("set", store="b", value=wire.integer(1))
    connection.send(wire.written(connection.next("set").number))
    client.reply(later)
    connection.send(wire.got(numbers["s0"], 7))
    if plain(client.reply(asked[0])["value"]) != wire.integer(7):
        raise Failure("the late value is not reported")
    for index, (code, name) in enumerate(((33, "unavailable"), (34, "unanswered"), (35, "refused")), 1):
        connection.send(wire.error(numbers[f"s{index}"], code, "asleep", f"s{index}"))
        failure = client.failure(asked[index], name)
        if failure["store"] != f"s{index}":
            raise Failure(f"the failure is of another store: {failure}")


@scenario("errors: code, store, operation and revision arrive")
def errors(play):
    client = play.client()
    request = client.request("set", store="a", value=wire.integer(1))
    connection = play.hub.begin()
    connection.send(wire.error(connection.next("set").number, 15, "13 is above the maximum, 10", "a"))
    if client.failure(request, "outOfRange")["store"] != "a":
        raise Failure("the error's store is not reported")
    request = client.request("transaction", operations=[
        {"request": "set", "store": "a", "value": wire.integer(1)}, {"request": "toggle", "store": "b"}])
    connection.send(wire.error(connection.next("transaction").number, 14, "why", "b", operation=1))
    if int(client.failure(request, "typeMismatch")["operation"]) != 1:
        raise Failure("the failed operation is not reported")


@scenario("errors: of a code that the client does not know, a failure like others")
def unknown_code(play):
    client = play.client()
    request = client.request("ping")
    connection = play.hub.begin()
    connection.send(wire.error(connection.next("ping").number, 77))
    client.failure(request)
    request = client.request("ping")
    connection.send(wire.pong(connection.next("ping").number))
    client.reply(request)


@scenario("replies: one of another kind is a failure of that request only")
def other_kind(play):
    client = play.client()
    request = client.request("get", store="a")
    connection = play.hub.begin()
    connection.send(wire.pong(connection.next("get").number))
    client.failure(request, "protocolViolation")
    request = client.request("get", store="a")
    connection.send(wire.got(connection.next("get").number, 3))
    client.reply(request)


@scenario("replies: one of an unknown kind is a failure of that request only")
def unknown_kind(play):
    client = play.client()
    request = client.request("get", store="a")
    connection = play.hub.begin()
    connection.send(wire.frame(0x99, b"later", connection.next("get").number))
    client.failure(request)
    request = client.request("get", store="a")
    connection.send(wire.got(connection.next("get").number, 3))
    client.reply(request)


@scenario("replies: a request that the client has given up is answered in vain")
def late(play):
    client = play.client(timeout=0.3)
    request = client.request("get", store="a")
    connection = play.hub.begin()
    number = connection.next("get").number
    client.failure(request, "timeout")
    connection.send(wire.got(number, 3))
    request = client.request("get", store="a")
    connection.send(wire.got(connection.next("get").number, 4))
    if plain(client.reply(request)["value"]) != wire.integer(4):
        raise Failure("a late reply was taken for the next request's")


@scenario("compare-and-set: the condition is sent, and a conflict names the revision")
def conflict(play):
    client = play.client()
    request = client.request("set", store="a", value=wire.integer(1), ifRevision=998, ifEpoch=wire.EPOCH)
    connection = play.hub.begin()
    sent = connection.next("set")
    if sent.flags != 3 or not sent.payload.endswith(struct.pack("<Q", 998) + wire.epoch_bytes(wire.EPOCH)):
        raise Failure(f"the condition is not sent: {sent}")
    connection.send(wire.error(sent.number, 11, "the store is at revision 1003, not 998", "a", revision=1003))
    if int(client.failure(request, "conflict")["revision"]) != 1003:
        raise Failure("the conflict's revision is not reported")


@scenario("compare-and-set: update reads, sets under the revision that it read, and starts over after a conflict")
def update(play):
    client = play.client()
    request = client.request("update", store="a", add=5)
    connection = play.hub.begin()
    connection.send(wire.got(connection.next("get").number, 10, revision=7))
    sent = connection.next("set")
    if sent.flags != 3 or sent.value != wire.integer(15) or struct.pack("<Q", 7) not in sent.payload:
        raise Failure(f"update sends {sent}")
    connection.send(wire.error(sent.number, 11, "why", "a", revision=9))
    connection.send(wire.got(connection.next("get").number, 20, revision=9))
    sent = connection.next("set")
    if sent.value != wire.integer(25) or struct.pack("<Q", 9) not in sent.payload:
        raise Failure(f"update sends {sent} after the conflict")
    connection.send(wire.written(sent.number))
    if plain(client.reply(request)["value"]) != wire.integer(25):
        raise Failure("update does not report the value")


@scenario("compare-and-set: update of no store begins with the default, if there still is none")
def update_absent(play):
    client = play.client()
    request = client.request("update", store="a", add=5, default=1)
    connection = play.hub.begin()
    connection.send(wire.error(connection.next("get").number, 10, "why", "a"))
    sent = connection.next("set")
    if sent.value != wire.integer(6) or not sent.flags & 0x09:
        raise Failure(f"update sends {sent}")
    connection.send(wire.written(sent.number))
    client.reply(request)
    request = client.request("update", store="a", add=5)
    connection.send(wire.error(connection.next("get").number, 10, "why", "a"))
    client.failure(request, "noSuchStore")


@scenario("transaction: one revision, a result for each write")
def transaction(play):
    client = play.client()
    request = client.request("transaction", operations=[
        {"request": "add", "store": "a", "delta": wire.integer(-10)},
        {"request": "set", "store": "b", "value": wire.integer(1)}])
    connection = play.hub.begin()
    number = connection.next("transaction").number
    inner = struct.pack("<Q", 20) + wire.frame(0x83, wire.written_payload(1, 20, 5, 32), 0, 3)
    connection.send(wire.frame(0x84, inner + wire.frame(0x83, wire.written_payload(2, 20, 1), 0, 1), number))
    reply = client.reply(request)
    if reply["revision"] != 20 or [plain(each.get("value")) for each in reply["results"]] != [wire.integer(32), None]:
        raise Failure(f"the transaction reports {reply}")


@scenario("writes: an answer is held back until the client's own watches show what was written")
def held(play):
    client = play.client()
    client.watch("A", "a.*")
    connection = play.hub.begin()
    connection.watch(wire.current(1, 5, 1, "a.x", 5), wire.synced(10))
    client.shows("A", "initial", "synced")
    request = client.request("set", store="a.x", value=wire.integer(6))
    connection.send(wire.written(connection.next("set").number, store=1, revision=11, version=2))
    client.has_not_answered(request)
    connection.send(wire.change(1, 11, 2, 6))
    client.reply(request)
    client.shows("A", "initial", "synced", {"event": "changed", "skipped": 0})


@scenario("writes: a store without a watch is answered at once, and one whose watch is late in the end")
def not_held(play):
    client = play.client(timeout=0.4)
    client.watch("A", "a.*")
    connection = play.hub.begin()
    connection.watch(wire.current(1, 5, 1, "a.x", 5), wire.synced(10))
    client.shows("A", "initial", "synced")
    request = client.request("set", store="b", value=wire.integer(6))
    connection.send(wire.written(connection.next("set").number, store=2))
    client.reply(request)
    request = client.request("set", store="a.x", value=wire.integer(6))
    connection.send(wire.written(connection.next("set").number, store=1, revision=11, version=2))
    client.reply(request)


@scenario("list: pages are asked for until there are no more")
def pages(play):
    client = play.client()
    request = client.request("list", pattern="**")
    connection = play.hub.begin()
    for page, (names, more) in enumerate([(["a", "b"], 1), (["c"], 0)]):
        sent = connection.next("list")
        if not sent.payload.endswith(wire.short("**") + wire.short("b" if page else "")):
            raise Failure(f"page {page} is asked for by {sent}")
        connection.send(wire.listed(sent.number, names, more))
    if [store["name"] for store in client.reply(request)["stores"]] != ["a", "b", "c"]:
        raise Failure(f"the list is {client.reply(request)}")


@scenario("close: requests and watches end with closed, and so does the connection")
def close(play):
    client = play.client()
    client.watch("A", "a")
    request = client.request("get", store="a")
    connection = play.hub.begin()
    connection.next("watch", "get")
    connection.next("watch", "get")
    client.close_hub()
    client.failure(request, "closed")
    client.shows("A", {"ended": "closed"})
    connection.is_closed_by_client()
    client.failure(client.request("ping"), "closed")


@scenario("limits: a request that is longer than the hub takes fails, and the connection stays")
def too_large(play):
    client = play.client()
    request = client.request("ping")
    connection = play.hub.begin(longest=1000)
    connection.send(wire.pong(connection.next("ping").number))
    client.reply(request)
    request = client.request("set", store="a", value={"type": "string", "value": "x" * 1000})
    client.failure(request, "frameTooLarge")
    request = client.request("set", store="a", value={"type": "string", "value": "x" * (1000 - 12 - 2 - 5)})
    connection.send(wire.written(connection.next("set").number))
    client.reply(request)
