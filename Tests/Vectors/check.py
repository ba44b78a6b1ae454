"""A second reader of docs/vectors, which knows nothing but the code on the pages docs/protocol*.md: it runs that code.

usage: check.py [ROOT]      prints what it checked; exits with 1 and a line for each difference
"""

import json
import pathlib
import re
import struct
import sys

ROOT = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else __file__).resolve()
ROOT = ROOT if (ROOT / "docs").is_dir() else ROOT.parents[2]
PAGES = "".join(path.read_text() for path in sorted((ROOT / "docs").glob("protocol*.md")))
problems = []


def vectors(name):
    return json.loads((ROOT / f"docs/vectors/{name}.json").read_text())


def code(name):
    """The block of Python with that name on the pages."""
    return re.search(rf"^```python {name}\n(.*?)^```$", PAGES, re.M | re.S).group(1)


page = {}
exec(compile(code("names"), "names", "exec"), page)
exec(compile(code("view"), "view", "exec"), page)


def expect(actual, expected, where):
    if actual != expected:
        problems.append(f"{where}: {actual!r}, expected {expected!r}")


# Names and patterns.

names = vectors("names")
for text in names["names"]:
    expect(page["is_name"](text.encode()), True, f"the name {text}")
for text in names["patterns"]:
    expect(page["is_pattern"](text.encode()), True, f"the pattern {text}")
for text in names["noNames"]:
    expect(page["is_name"](bytes.fromhex(text["hex"])), False, f"no name, {text['about']}")
for text in names["noPatterns"]:
    expect(page["is_pattern"](bytes.fromhex(text["hex"])), False, f"no pattern, {text['about']}")
for match in names["matches"]:
    actual = page["matches"](match["pattern"].encode(), match["name"].encode())
    expect(actual, match["matches"], f"{match['pattern']} and {match['name']}")


# Frames: enough of them for scripts.

class Reader:
    def __init__(self, content):
        self.content, self.offset = content, 0

    def take(self, layout):
        fields = struct.unpack_from("<" + layout, self.content, self.offset)
        self.offset += struct.calcsize("<" + layout)
        return fields if len(fields) > 1 else fields[0]

    def bytes(self, length):
        self.offset += length
        return self.content[self.offset - length:self.offset]

    def text(self):
        return self.bytes(self.take("B"))

    def epoch(self):
        return "%016x%016x" % self.take("QQ")

    def value(self):
        kind, length = self.take("BI")
        return kind, self.bytes(length)


def frame(digits):
    """The kind and a reader of the payload."""
    content = bytes.fromhex(digits)
    length, kind, _, _, _ = struct.unpack_from("<IBBHI", content)
    expect(len(content), 12 + length, f"the length of {digits}")
    return kind, Reader(content[12:])


TYPES = {"integer": (1, "<q"), "double": (2, "<d"), "boolean": (3, "<?")}


def shown_value(value):
    """A value of the file as type and content."""
    if value is None:
        return None
    if value["type"] in TYPES:
        kind, layout = TYPES[value["type"]]
        number = value["value"]
        return kind, struct.pack(layout, int(number) if isinstance(number, str) else number)
    if value["type"] == "data":
        return 5, bytes.fromhex(value["hex"])
    return {"string": 4, "json": 6}[value["type"]], value["value"].encode()


# Scripts, from their frames alone.

def receive(client, digits):
    """Hands an event to the page's client."""
    kind, read = frame(digits)
    if kind in (0x40, 0x41, 0x42, 0x43):
        _, number, revision, version, _ = read.take("IQQQq")
        if kind == 0x40:
            return client.change(number, version, revision, read.value())
        name = read.text()
        if kind == 0x42:
            return client.removed(number, name, version, revision)
        if kind == 0x41:
            read.bytes(read.take("I"))
        flags = bytes.fromhex(digits)[5] if kind == 0x43 else 0
        return client.current(
            number, name, version, revision, read.value(), bool(flags & 0x10) if flags & 0x30 else None)
    if kind == 0x44:
        return client.synced(read.take("Q"))
    if kind == 0x45:
        return client.resumed(read.take("Q"))
    if kind == 0x46:
        return client.forget(read.epoch(), read.take("Q"))
    return []


def described(label, event):
    """An event of a view as the file shows it, with the value's bytes."""
    if len(event) == 2:
        return {"watch": label, "event": event[0], "revision": event[1]}
    kind, name, version, revision, value, skipped, *overdue = event
    shown = {"watch": label, "event": kind, "name": name.decode(), "revision": revision, "version": version}
    return {**shown, "value": value, "skipped": skipped, **({"overdue": True} if overdue == [True] else {})}


def known(view):
    stores = {
        store.name.decode(): {
            "store": number, "revision": store.revision, "version": store.version, "value": store.value}
        for number, store in view.stores.items()}
    expect({number: store.name for number, store in view.stores.items()},
           {number: name for name, number in view.numbers.items()}, "the two tables of stores")
    bookmark = None if view.bookmark is None else {"epoch": view.epoch, "revision": view.bookmark}
    return {"synced": view.synced, "bookmark": bookmark, "stores": stores}


def with_bytes(entry):
    return {**entry, "value": shown_value(entry["value"])} if "value" in entry else entry


scripts = vectors("views")
steps = 0
for script in scripts:
    client, views = page["Client"](), {}
    for index, step in enumerate(script["steps"]):
        steps += 1
        where = f"{script['name']}, step {index + 1}"
        told = []
        if step["step"] == "welcome":
            kind, read = frame(step["hex"])
            read.take("HQ")
            client.welcome(read.epoch())
        elif step["step"] == "watching":
            view = views.setdefault(step["watch"], page["View"]())
            expect(known(view)["bookmark"], step["bookmark"], f"{where}: the bookmark")
            kind, read = frame(step["asks"])
            if view.bookmark is not None:
                expect((read.epoch(), read.take("Q")), (view.epoch, view.bookmark), f"{where}: what is asked")
            patterns = [read.text() for _ in range(read.take("H"))]
            told = client.watching(patterns, view)
        elif step["step"] == "unwatched":
            client.unwatched(views.pop(step["watch"]))
        elif step["step"] == "lost":
            client.lost()
        else:
            told = receive(client, step["hex"])
        labels = {id(view): label for label, view in views.items()}
        shows = [described(labels[id(view)], event) for view, event in told if event is not None]
        shows.sort(key=lambda event: event["watch"])
        for event in shows:
            if event.get("event") == "removed":
                del event["value"]
        expect(shows, [with_bytes(event) for event in step["shows"]], f"{where}: what is shown")
        expected = {
            label: {**view, "stores": {name: with_bytes(store) for name, store in view["stores"].items()}}
            for label, view in step["views"].items()}
        expect({label: known(view) for label, view in views.items()}, expected, f"{where}: what is known")

for problem in problems:
    print(problem)
if problems:
    sys.exit(1)
print(f"{len(names['matches'])} matches, {len(scripts)} scripts, {steps} steps")
