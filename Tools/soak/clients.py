"""What the users of a soak run do and check: writers, who know what each of their values must be, and watchers, who count."""

import json
import os
import pathlib
import socket
import sys
import time

sys.dont_write_bytecode = True
ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path += [str(ROOT / "Clients/python/src"), str(ROOT / "Benchmarks/hub"), str(ROOT / "Benchmarks/strangers")]
import statehub  # noqa: E402
import wire  # noqa: E402
from statehub import Add, Every, HubError, Latest, Set  # noqa: E402

CELLS = 20
# What a request may end with when its hub is stopped, killed, or busy with an attack: it may have happened, or not.
UNCERTAIN = {"outcomeUnknown", "timeout", "noHub", "connectionLost", "shuttingDown", "durabilityUnknown", "storageFailed"}


class Run:
    """What a client is given, and what it reports."""

    def __init__(self, path, folder, name):
        self.path, self.folder, self.name = path, folder, name
        self.problems, self.counts = [], {}

    @property
    def goes_on(self):
        return not os.path.exists(os.path.join(self.folder, "stop"))

    def count(self, what, number=1):
        self.counts[what] = self.counts.get(what, 0) + number

    def problem(self, text):
        self.count("problems")
        if len(self.problems) < 20:
            self.problems.append(f"{self.name}: {text}")

    def report(self, **more):
        report = {"problems": self.problems, "counts": self.counts, **more}
        target = os.path.join(self.folder, "reports", f"{self.name}.json")
        pathlib.Path(target + ".new").write_text(json.dumps(report))
        os.rename(target + ".new", target)


def writer(run):
    """Counts each of its cells up, one at a time; a pair of cells together; a number that all writers share."""
    hub = statehub.Hub(run.path, name=run.name)
    cells = [hub.value(f"cell.{run.name}.{index}", int) for index in range(CELLS)]
    # What each holds: exactly, or also one more.
    held, maybe = [0] * CELLS, [0] * CELLS
    added, unsure, pair, step = 0, 0, 0, 0
    while run.goes_on:
        step += 1
        index = step % CELLS
        try:
            if maybe[index]:
                found = cells[index].get()
                if not held[index] <= found <= held[index] + 1:
                    run.problem(f"cell {index} is {found}, acknowledged was {held[index]}")
                held[index], maybe[index] = found, 0
            maybe[index] = 1
            cells[index].set(held[index] + 1)
            held[index], maybe[index] = held[index] + 1, 0
            run.count("sets")
            if step % 7 == 0:
                unsure += 1
                hub.value("shared.total", int).add(1)
                added, unsure = added + 1, unsure - 1
            if step % 11 == 0:
                pair += 1
                hub.transaction(Set(f"pair.{run.name}.a", pair), Set(f"pair.{run.name}.b", pair))
                run.count("transactions")
            if step % 17 == 0:
                hub.value(f"present.{run.name}", int).set(step, ephemeral=True)
            if step % 53 == 0:
                hub.value(f"large.{run.name}", str).set(f"{step} " + "x" * 200_000)
            if step % 101 == 0:
                hub.value(f"brief.{run.name}.{step % 5}", int).set(step, ttl=0.5)
        except HubError as error:
            if error.word not in UNCERTAIN:
                run.problem(f"{error.word}: {error}")
            run.count("uncertain")
        time.sleep(0.01)
    settled = []
    for index, cell in enumerate(cells):
        found = again(cell.get)
        if not held[index] <= found <= held[index] + maybe[index]:
            run.problem(f"cell {index} ends as {found}, acknowledged was {held[index]}")
        settled.append(found)
    run.report(cells=settled, added=added, unsure=unsure)


def again(work):
    """Until the hub is there."""
    for _ in range(20):
        try:
            return work()
        except HubError as error:
            if error.word not in UNCERTAIN:
                raise
    raise RuntimeError("the hub does not come back")


def watcher(run, policy):
    """Follows all cells through every restart: each event and what it skipped add up to the value."""
    known = {}
    pairs = {}
    hub = statehub.Hub(run.path, name=run.name)
    events = hub.watch("cell.**", "pair.*.*", policy=policy)
    deadline = None
    while deadline is None or time.monotonic() < deadline:
        if deadline is None and not run.goes_on:
            # The writers are done soon, and everything arrives.
            deadline = time.monotonic() + 8
        event = events.next(0.5)
        if event is None:
            continue
        run.count(event.kind)
        if event.kind in ("initial", "changed"):
            before = known.get(event.name)
            known[event.name] = event.value
            if before is not None and event.skipped is not None:
                run.count("skipped", event.skipped)
                # After a reset a value may come again.
                steps = event.value - before
                if steps != event.skipped + 1 and not (event.kind == "initial" and steps == event.skipped):
                    run.problem(f"{event.kind} {event.name}: {before} to {event.value}, skipped {event.skipped}")
            elif before is not None and event.value < before:
                run.problem(f"{event.name} went back from {before} to {event.value}")
            if event.name.startswith("pair."):
                pairs.setdefault(event.name[:-2], {})[event.name[-1]] = event.value
        elif event.kind == "synced":
            for name, pair in pairs.items():
                if len(set(pair.values())) > 1:
                    run.problem(f"{name} is torn at {event.revision}: {pair}")
        elif event.kind == "removed":
            run.problem(f"{event.name} was removed")
    run.report(cells={name: value for name, value in known.items() if name.startswith("cell.")})


def every(run):
    watcher(run, Every(100_000))


def latest(run):
    watcher(run, Latest())


def slow(run):
    """Watches everything and reads little: hub's memory must not care."""
    while run.goes_on:
        try:
            client = wire.Connection(run.path)
            client.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            client.send(wire.frame(wire.WATCH, b"\1\0" + wire.named("**"), 0, 2))
            until = time.monotonic() + 60
            while run.goes_on and time.monotonic() < until:
                if not client.socket.recv(2048):
                    break
                run.count("reads")
                time.sleep(0.2)
            client.socket.close()
        except (OSError, RuntimeError):
            run.count("ended")
            time.sleep(0.5)
    run.report()


def coming(run):
    """Connects, asks, and goes, again and again."""
    while run.goes_on:
        try:
            with statehub.Hub(run.path, name=run.name, timeout=20) as hub:
                stores = hub.list("cell.**")
                run.count("listed", len(stores))
                hub.value(f"own.{run.name}", int).set(os.getpid(), ephemeral=True)
                hub.transaction(Add("shared.visits", 1))
                run.count("connections")
        except HubError as error:
            if error.word not in UNCERTAIN:
                run.problem(f"{error.word}: {error}")
        time.sleep(0.05)
    run.report()
