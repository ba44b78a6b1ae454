"""The well-behaved user beside an attack: it asks again and again, counts its own values up, watches them, and keeps accounts."""

import json
import os
import struct
import time

import attacks
import wire
from users import as_user

KEPT = 50


class Victim(attacks.Client):
    """Measures how long each `ping` takes, and checks what its watch shows of its counter."""

    def __init__(self, path):
        super().__init__(path)
        self.socket.settimeout(120)
        self.waits, self.writes, self.problems = [], [], []
        # How many writes there were, and the version that the watch has shown: before the first, and now.
        self.written, self.first, self.version = 0, 0, 0
        self.send(b"".join(attacks.put(f"victim.kept.{index}", f"value {index}") for index in range(KEPT)))
        self.barrier()
        self.send(attacks.put("victim.counter", "none"))
        self.send(wire.frame(wire.WATCH, b"\1\0" + wire.named("victim.counter"), wire.EVERY, 2))
        while not self.version:
            self.ask(0xFFFF, wire.frame(wire.PING, request=0xFFFF))
        self.first = self.version

    def ask(self, number, frame):
        """Sends a frame; returns the kind and the payload of its reply. Takes the events before it."""
        self.send(frame)
        while True:
            while len(self.rest) >= 12:
                length, kind, _, _, request = struct.unpack_from("<IBBHI", self.rest)
                if len(self.rest) < 12 + length:
                    break
                payload = self.rest[12:12 + length]
                self.rest = self.rest[12 + length:]
                if kind in (wire.CHANGE, wire.CREATED, wire.CURRENT):
                    self.see(kind, payload)
                elif kind >= wire.WELCOME and request == number:
                    return kind, payload
            data = self.socket.recv(1 << 20)
            if not data:
                raise RuntimeError("the hub closed the connection")
            self.rest += data

    def see(self, kind, payload):
        """Each change once, in order: the version counts them."""
        version = struct.unpack_from("<Q", payload, 20)[0]
        if self.version and kind == wire.CHANGE and version != self.version + 1:
            self.problems.append(f"version {version} after {self.version}")
        self.version = version

    def turn(self):
        begin = time.perf_counter()
        self.ask(0xFFFF, wire.frame(wire.PING, request=0xFFFF))
        self.waits.append(time.perf_counter() - begin)

    def write(self):
        begin = time.perf_counter()
        kind, payload = self.ask(7, attacks.put("victim.counter", str(self.written + 1), request=7))
        self.writes.append(time.perf_counter() - begin)
        if kind == wire.WRITTEN:
            self.written += 1
        else:
            self.problems.append(f"a write is refused: {payload!r}")

    def judge(self):
        """Nothing of it is lost."""
        for index in range(KEPT):
            kind, payload = self.ask(8, wire.frame(wire.GET, wire.named(f"victim.kept.{index}"), request=8))
            if kind != wire.VALUE or not payload.endswith(f"value {index}".encode()):
                self.problems.append(f"victim.kept.{index} is lost")
        self.turn()
        if self.version - self.first != self.written:
            self.problems.append(f"{self.written} writes, the watch shows {self.version - self.first}")


def percentile(ascending, part):
    """The wait that so many of a hundred do not exceed."""
    return ascending[len(ascending) * part // 100]


def victim(path, stop, result, pause):
    """Goes on until the other end of `stop` is closed, then reports."""
    client = Victim(path)
    os.write(result, b"\n")
    os.set_blocking(stop, False)
    while True:
        client.turn()
        if len(client.waits) % 10 == 0:
            client.write()
        try:
            if os.read(stop, 1) == b"":
                break
        except BlockingIOError:
            pass
        time.sleep(pause)
    waits = client.waits[:]
    client.judge()
    report = {"waits": waits[-60_000:], "worst": max(waits), "write": max(client.writes, default=0), "problems": client.problems[:5]}
    os.write(result, json.dumps(report).encode())


class User:
    """A victim in a process of a user's own. It has begun."""

    def __init__(self, path, uid, pause):
        (stop, self.stop), (self.result, result) = os.pipe(), os.pipe()

        def ask():
            os.close(self.stop)
            victim(path, stop, result, pause)

        self.process = as_user(uid, ask)
        os.close(stop)
        os.close(result)
        os.read(self.result, 1)

    def end(self):
        """What it reports: its waits in milliseconds, ascending, the longest two in seconds, and what went wrong."""
        os.close(self.stop)
        text = b""
        while data := os.read(self.result, 1 << 16):
            text += data
        os.close(self.result)
        os.waitpid(self.process, 0)
        report = json.loads(text or b'{"waits": [120], "worst": 120, "write": 120, "problems": ["the user was cut off"]}')
        report["waits"] = sorted(wait * 1000 for wait in report["waits"])
        return report
