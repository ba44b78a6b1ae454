"""The hub's side of docs/protocol.md: frames to send, and the requests that a client sends. It opens nothing."""

import struct

EPOCH = "0123456789abcdeffedcba9876543210"
OTHER_EPOCH = "aaaaaaaaaaaaaaaabbbbbbbbbbbbbbbb"
UID, TIME = 1000, 1_700_000_000_000_000_000
TYPES = {"integer": 1, "double": 2, "boolean": 3, "string": 4, "data": 5, "json": 6}
KINDS = {
    # made from Sources/HubCore: requests
    0x01: "hello", 0x02: "ping", 0x03: "get", 0x04: "set", 0x05: "add", 0x06: "toggle", 0x07: "reset", 0x08: "remove",
    0x09: "create", 0x0A: "transaction", 0x0B: "list", 0x0C: "describe", 0x0D: "watch", 0x0E: "unwatch",
    0x0F: "clients", 0x10: "stats", 0x11: "reload", 0x12: "access", 0x13: "log", 0x14: "monitor", 0x15: "provide",
    0x16: "standing", 0x17: "decide", 0x18: "restrict",
    # end of what is made
}


def frame(kind, payload=b"", number=0, flags=0):
    return struct.pack("<IBBHI", len(payload), kind, flags, 0, number) + payload


def short(text):
    return bytes([len(text.encode())]) + text.encode()


def medium(text):
    return struct.pack("<H", len(text.encode())) + text.encode()


def epoch_bytes(epoch):
    return struct.pack("<QQ", int(epoch[:16], 16), int(epoch[16:], 16))


def content(value):
    """The bytes of a value as the vectors write it: {"type": ..., "value" or "hex": ...}."""
    kind = value["type"]
    if kind == "integer":
        return struct.pack("<q", int(value["value"]))
    if kind == "double":
        return struct.pack("<d", value["value"])
    if kind == "boolean":
        return bytes([value["value"]])
    return bytes.fromhex(value["hex"]) if kind == "data" else value["value"].encode()


def value(of):
    """A value's bytes; a Python integer is an integer."""
    if isinstance(of, bytes):
        return of
    if isinstance(of, int):
        of = integer(of)
    return struct.pack("<BI", TYPES[of["type"]], len(content(of))) + content(of)


def integer(number):
    return {"type": "integer", "value": number}


def decode_value(buffer, at=0):
    """A value as the vectors write it, and where it ends."""
    kind, length = struct.unpack_from("<BI", buffer, at)
    body, end = buffer[at + 5:at + 5 + length], at + 5 + length
    name = {number: name for name, number in TYPES.items()}[kind]
    if name == "integer":
        return integer(struct.unpack("<q", body)[0]), end
    if name == "double":
        return {"type": name, "value": struct.unpack("<d", body)[0]}, end
    if name == "boolean":
        return {"type": name, "value": body == b"\1"}, end
    return ({"type": name, "hex": body.hex()} if name == "data" else {"type": name, "value": body.decode()}), end


# Replies

def welcome(number, epoch=EPOCH, revision=10, longest=1 << 20, release="played", version=1, more=b"", capabilities=0):
    payload = struct.pack("<HQ", version, capabilities) + epoch_bytes(epoch)
    return frame(0x80, payload + struct.pack("<QII", revision, longest, 4242) + short(release) + more, number)


def pong(number, revision=10):
    return frame(0x81, struct.pack("<Q", revision), number)


def state(store, revision, version):
    return struct.pack("<IQQQq", UID, store, revision, version, TIME)


def got(number, of, store=1, revision=7, version=3):
    return frame(0x82, state(store, revision, version) + value(of), number)


def written_payload(store=1, revision=11, version=4, after=None):
    return struct.pack("<QQQB", store, revision, version, 1) + (b"" if after is None else value(after))


def written(number, store=1, revision=11, version=4, changed=True, after=None):
    payload = written_payload(store, revision, version, after)
    return frame(0x83, payload, number, changed | (after is not None) << 1)


def committed(number, revision, *payloads):
    inner = b"".join(frame(0x83, payload, 0, 1) for payload in payloads)
    return frame(0x84, struct.pack("<Q", revision) + inner, number)


def described(number, name, of, store=1, revision=11, version=4, initial=None):
    schema = b"" if initial is None else value(initial)
    schema = struct.pack("<IBB", 2 + len(schema), value(of)[0], 0 if initial is None else 4) + schema
    return frame(0x86, short(name) + state(store, revision, version) + value(of) + schema + b"\1\0\0\0\0", number)


def listed(number, names, more=False):
    payload = struct.pack("<I", len(names))
    for name in names:
        payload += b"\2" + short(name) + b"\1" + struct.pack("<QQQqI", 1, 5, 1, TIME, 8) + value(3)
    return frame(0x85, payload, number, more)


def watching(number, revision=10):
    return frame(0x87, struct.pack("<Q", revision), number)


def unwatched(number):
    return frame(0x88, b"", number)


def error(number, code, message="why", store="", operation=0, revision=0):
    return frame(0xFF, struct.pack("<HHQ", code, operation, revision) + short(store) + medium(message), number)


def restricted(number):
    return frame(0x92, b"", number)


# Events

def change(store, revision, version, of, flags=0):
    return frame(0x40, state(store, revision, version) + value(of), 0, flags)


def created(store, revision, version, name, of, flags=0):
    encoded = value(of)
    schema = struct.pack("<IBB", 2, encoded[0], 0)
    return frame(0x41, state(store, revision, version) + short(name) + schema + encoded, 0, flags)


def removed(store, revision, version, name, flags=0):
    return frame(0x42, state(store, revision, version) + short(name), 0, flags)


def current(store, revision, version, name, of, flags=0):
    return frame(0x43, state(store, revision, version) + short(name) + value(of), 0, flags)


def synced(revision):
    return frame(0x44, struct.pack("<Q", revision))


def resumed(revision):
    return frame(0x45, struct.pack("<Q", revision))


def forget(epoch, revision):
    return frame(0x46, epoch_bytes(epoch) + struct.pack("<Q", revision))


def ended(reason, message="the hub is stopping"):
    return frame(0x47, struct.pack("<H", reason) + medium(message))


class Request:
    """What a client has sent: `kind` is its name in the protocol."""

    def __init__(self, header, payload):
        self.length, kind, self.flags, self.reserved, self.number = struct.unpack("<IBBHI", header)
        self.kind = KINDS.get(kind, hex(kind))
        self.payload = payload
        self.bytes = header + payload

    def __repr__(self):
        return f"{self.kind}(number {self.number}, flags {self.flags:#x}, {self.payload[:64].hex()})"

    @property
    def store(self):
        """Of a request that begins with a store's name."""
        return self.payload[1:1 + self.payload[0]].decode()

    @property
    def value(self):
        """Of `set`."""
        return decode_value(self.payload, 1 + self.payload[0])[0]

    @property
    def patterns(self):
        at = 24 if self.flags & 2 else 0
        count, = struct.unpack_from("<H", self.payload, at)
        at += 2
        found = []
        for _ in range(count):
            found.append(self.payload[at + 1:at + 1 + self.payload[at]].decode())
            at += 1 + self.payload[at]
        return found

    @property
    def bookmark(self):
        """Of `watch`: epoch and revision, or None."""
        if not self.flags & 2:
            return None
        high, low, revision = struct.unpack_from("<QQQ", self.payload)
        return f"{high:016x}{low:016x}", revision
