"""The adapter of the Python clients for Tools/conformance; the contract is in Clients/README.md.

usage: adapter.py asyncio|blocking|threads
"""

import asyncio
import json
import os
import pathlib
import select
import sys
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "src"))

import statehub  # noqa: E402
from statehub import Condition, Every, Filter, HubError, Json, Latest, Schema, aio, requests  # noqa: E402

out, one_at_a_time = sys.stdout, threading.Lock()


def report(**fields):
    with one_at_a_time:
        out.write(json.dumps(fields) + "\n")
        out.flush()


def value_from(field):
    kind = field["type"]
    if kind == "data":
        return bytes.fromhex(field["hex"])
    value = field["value"]
    return {"integer": int, "double": float, "boolean": bool, "string": str, "json": Json}[kind](value)


def shown(value):
    if value is None:
        return None
    if isinstance(value, bytes):
        return {"type": "data", "hex": value.hex()}
    kinds = {bool: "boolean", int: "integer", float: "double", Json: "json", str: "string"}
    number = str(value) if type(value) is int and abs(value) > 1 << 53 else value
    return {"type": kinds[type(value)], "value": number}


def schema_from(field):
    options = {key: value_from(field[key]) for key in ("minimum", "maximum", "initial") if key in field}
    return Schema(
        field["type"], choices=tuple(map(value_from, field.get("choices", []))), max_bytes=field.get("maxBytes"),
        durability=field.get("durability"), description=field.get("description"), **options)


def write_from(field):
    kind, store = field["request"], field["store"]
    condition = Condition(
        None if "ifRevision" not in field else int(field["ifRevision"]), field.get("ifEpoch"),
        value_from(field["ifValue"]) if "ifValue" in field else None, field.get("ifAbsent", False))
    if kind == "set":
        ttl = field.get("ttl")
        return requests.Set(
            store, value_from(field["value"]), condition, ttl, field.get("ephemeral", False), field.get("force", False))
    if kind == "add":
        return requests.Add(store, value_from(field["delta"]), field.get("clamp", False))
    if kind == "create":
        return requests.Create(store, schema_from(field["schema"]), field.get("ifAbsent", False))
    if kind == "remove":
        return requests.Remove(store, condition)
    return {"toggle": requests.Toggle, "reset": requests.Reset}[kind](store)


def request_from(field):
    kind = field["request"]
    if kind == "get":
        return requests.get(field["store"])
    if kind == "describe":
        return requests.describe(field["store"])
    if kind == "restrict":
        return requests.restrict(field["to"])
    if kind in ("ping", "stats"):
        return getattr(requests, kind)()
    if kind == "transaction":
        return requests.transaction([write_from(each) for each in field["operations"]])
    return requests.write(write_from(field))


def result(written):
    return {
        "revision": written.revision, "version": written.version, "changed": written.changed,
        "durability": written.durability, "value": shown(written.value)}


def reply_of(reply, epoch):
    if isinstance(reply, statehub.State):
        return {"value": shown(reply.value), "revision": reply.revision, "version": reply.version, "epoch": epoch}
    if isinstance(reply, statehub.Written):
        return result(reply)
    if isinstance(reply, statehub.Committed):
        return {"revision": reply.revision, "results": [result(each) for each in reply.results]}
    if isinstance(reply, statehub.Description):
        return {"name": reply.name, "value": shown(reply.state.value)}
    if isinstance(reply, dict):
        return {"counters": reply}
    return {} if reply is None else {"revision": reply.revision}


def report_error(number, error):
    report(
        id=number, error=error.word, message=error.message, store=error.store, operation=error.operation,
        revision=error.revision)


def report_event(label, event):
    fields = {"event": event.kind, "revision": event.revision, "epoch": event.epoch}
    if event.is_about_store:
        fields.update(name=event.name, version=event.version, skipped=event.skipped)
        if event.kind != "removed":
            fields["value"] = shown(event.value)
            fields["overdue"] = event.overdue
    report(watch=label, **fields)


def filter_of(field):
    fields = field.get("filter")
    if fields is None:
        return None
    comparisons = ("==", "!=", "<", "<=", ">", ">=", "present", "absent")
    condition, interval, deadline = fields.get("condition"), fields.get("milliseconds"), fields.get("deadline")
    return Filter(
        interval and interval / 1000, fields.get("deadband"), fields.get("percent"),
        condition and (comparisons[condition["comparison"] - 1], *map(value_from, condition["operands"])),
        deadline and deadline / 1000)


def policy_of(field):
    return Every() if field["every"] else Latest()


class Asynchronous:
    """Drives `statehub.aio`."""

    def __init__(self):
        self.hub, self.watches, self.tasks = None, {}, set()

    async def run(self):
        reader = asyncio.StreamReader(limit=1 << 26)
        await asyncio.get_running_loop().connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
        while True:
            line = await reader.readline()
            if not line:
                break
            field = json.loads(line)
            what = field["do"]
            if what == "open":
                if self.hub is not None:
                    self.hub.close()
                self.hub = aio.Hub(field["path"], field["name"], field["timeout"], filter_of(field))
            elif what == "request":
                self.start(self.request(field))
            elif what == "watch":
                self.watches[field["watch"]] = self.hub.watch(*field["patterns"], policy=policy_of(field)).open()
                self.start(self.watch(field["watch"]))
            elif what == "unwatch":
                self.watches.pop(field["watch"]).close()
            elif what == "close":
                self.hub.close()
        self.hub.close()

    def start(self, work):
        task = asyncio.ensure_future(work)
        self.tasks.add(task)
        task.add_done_callback(self.tasks.discard)

    async def request(self, field):
        try:
            if field["request"] == "update":
                value = await self.hub.value(field["store"], int).update(
                    lambda value: value + field["add"], field.get("default"))
                report(id=field["id"], reply={"value": shown(value)})
            elif field["request"] == "list":
                stores = await self.hub.list(field["pattern"])
                report(id=field["id"], reply={"stores": [{"name": store.name} for store in stores]})
            else:
                answer = await self.hub._perform(request_from(field))
                report(id=field["id"], reply=reply_of(answer.reply, answer.epoch))
        except HubError as error:
            report_error(field["id"], error)

    async def watch(self, label):
        try:
            async for event in self.watches[label]:
                report_event(label, event)
        except HubError as error:
            report(watch=label, ended=error.word)


class Blocking:
    """Drives `statehub.Hub` through its descriptor, as an event loop would; `update` and `list` really block."""

    def __init__(self):
        self.hub, self.calls, self.watches, self.input = None, {}, {}, b""

    def run(self):
        while self.turn():
            pass
        self.hub.close()

    def turn(self):
        hub = self.hub
        descriptors, writing, timeout = [0], [], None
        if hub is not None:
            self.tell()
            timeout = hub.poll_timeout()
            if hub.fileno() >= 0:
                descriptors.append(hub.fileno())
                writing = [hub.fileno()] if hub.wants_write else []
        ready, _, _ = select.select(descriptors, writing, [], timeout)
        if 0 in ready:
            content = os.read(0, 1 << 16)
            if not content:
                return False
            *lines, self.input = (self.input + content).split(b"\n")
            for line in lines:
                self.instruct(json.loads(line))
        if hub is not None:
            hub.step()
        return True

    def instruct(self, field):
        what = field["do"]
        if what == "open":
            if self.hub is not None:
                self.hub.close()
                self.tell()
            self.hub = statehub.Hub(field["path"], field["name"], field["timeout"], filter_of(field))
        elif what == "request":
            self.request(field)
        elif what == "watch":
            self.watches[field["watch"]] = self.hub.watch(*field["patterns"], policy=policy_of(field))
        elif what == "unwatch":
            self.tell()
            self.watches.pop(field["watch"]).close()
        elif what == "close":
            self.hub.close()
        if what != "open":
            self.hub.step()

    def request(self, field):
        try:
            if field["request"] == "update":
                value = self.hub.value(field["store"], int).update(
                    lambda value: value + field["add"], field.get("default"))
                report(id=field["id"], reply={"value": shown(value)})
            elif field["request"] == "list":
                report(id=field["id"], reply={"stores": [{"name": store.name} for store in self.hub.list(field["pattern"])]})
            else:
                deadline = time.monotonic() + self.hub.timeout
                self.calls[field["id"]] = self.hub._core.begin(request_from(field), deadline)
        except HubError as error:
            report_error(field["id"], error)

    def tell(self):
        for label, watch in list(self.watches.items()):
            try:
                while True:
                    event = watch.take()
                    if event is None:
                        break
                    report_event(label, event)
            except HubError as error:
                report(watch=label, ended=error.word)
                del self.watches[label]
        for number, call in list(self.calls.items()):
            if call.is_due:
                del self.calls[number]
                try:
                    answer = call.result()
                    report(id=number, reply=reply_of(answer.reply, answer.epoch))
                except HubError as error:
                    report_error(number, error)


class Threads:
    """Drives one `statehub.Hub` by calls that wait, each in a thread of its own; this one calls `step` meanwhile."""

    def __init__(self):
        self.hub, self.watches = None, {}

    def run(self):
        with open(0, "rb", buffering=0, closefd=False) as instructions:
            lines, rest = [], b""
            while True:
                for line in lines:
                    self.instruct(json.loads(line))
                lines = []
                if self.hub is not None:
                    self.hub.step()
                if select.select([instructions], [], [], 0.05)[0]:
                    content = instructions.read(1 << 16)
                    if not content:
                        break
                    *lines, rest = (rest + content).split(b"\n")
        self.hub.close()

    def instruct(self, field):
        what = field["do"]
        if what == "open":
            if self.hub is not None:
                self.hub.close()
            self.hub = statehub.Hub(field["path"], field["name"], field["timeout"], filter_of(field))
        elif what == "request":
            self.start(self.request, self.hub, field)
        elif what == "watch":
            watch = self.watches[field["watch"]] = self.hub.watch(*field["patterns"], policy=policy_of(field))
            self.start(self.watch, field["watch"], watch)
        elif what == "unwatch":
            self.watches.pop(field["watch"]).close()
        elif what == "close":
            self.hub.close()

    def start(self, work, *arguments):
        threading.Thread(target=work, args=arguments, daemon=True).start()

    def request(self, hub, field):
        try:
            if field["request"] == "update":
                value = hub.value(field["store"], int).update(lambda value: value + field["add"], field.get("default"))
                report(id=field["id"], reply={"value": shown(value)})
            elif field["request"] == "list":
                stores = hub.list(field["pattern"])
                report(id=field["id"], reply={"stores": [{"name": store.name} for store in stores]})
            else:
                answer = hub._perform(request_from(field))
                report(id=field["id"], reply=reply_of(answer.reply, answer.epoch))
        except HubError as error:
            report_error(field["id"], error)

    def watch(self, label, watch):
        try:
            for event in watch:
                report_event(label, event)
        except HubError as error:
            report(watch=label, ended=error.word)


if sys.argv[1:] == ["asyncio"]:
    asyncio.run(Asynchronous().run())
elif sys.argv[1:] == ["threads"]:
    Threads().run()
else:
    Blocking().run()
