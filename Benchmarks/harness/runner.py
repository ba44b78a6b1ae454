"""Takes the measurements, round by round and peer by peer in turn, and keeps their figures. It judges nothing."""

import json
import os
import pathlib
import platform
import re
import statistics
import subprocess
import sys
import time

import peers
import plan

WORST = {"missing", "gaps", "stalls", "failures"}


class Results:
    """The figures of all rounds: by row, peer and measure."""

    def __init__(self):
        self.figures, self.about = {}, {}

    def add(self, row, peer, figures):
        for measure, value in figures.items():
            self.figures.setdefault((row, peer, measure), []).append(value)

    def median(self, row, peer, measure):
        values = self.figures.get((row, peer, measure))
        if not values:
            return None
        return max(values) if measure in WORST else statistics.median(values)

    def ends(self, row, peer, measure):
        """The lowest and the highest figure."""
        values = self.figures[row, peer, measure]
        return min(values), max(values)

    def peers(self, row):
        return list(dict.fromkeys(peer for key, peer, _ in self.figures if key == row))

    def as_json(self):
        rows = {}
        for (row, peer, measure), values in self.figures.items():
            rows.setdefault(row, {}).setdefault(peer, {})[measure] = values
        return {"about": self.about, "rows": rows}

    @staticmethod
    def from_json(text):
        stored, results = json.loads(text), Results()
        results.about = stored["about"]
        for row, by_peer in stored["rows"].items():
            for peer, measures in by_peer.items():
                for measure, values in measures.items():
                    results.figures[row, peer, measure] = values
        return results


class Runner:
    def __init__(self, tools, folder, options):
        self.tools, self.folder, self.options = tools, pathlib.Path(folder), options
        self.results, self.running, self.number = Results(), {}, 0
        known = {peer.name: peer for peer in peers.known(tools)}
        self.known = {
            name: peer for name, peer in known.items()
            if peers.is_installed(known[peer.shares] if peer.shares else peer)
            and (not options.only or name in [*options.only, "uds-lossy"] or peer.shares in options.only)}

    # What runs

    def broker(self, name):
        """A broker that serves for the whole run, started when it is first wanted."""
        if name not in self.running:
            peer = self.known[name]
            if peer.shares:
                self.running[name] = peers.Shared(peer, self.broker(peer.shares))
            else:
                self.running[name] = self.fresh(name).start()
        return self.running[name]

    def fresh(self, name):
        self.number += 1
        peer = self.known[name]
        return peers.Broker(peer, self.folder / f"{self.number}-{name}", self.tools["load"])

    def stop(self):
        for broker in self.running.values():
            broker.stop()
        self.running = {}

    # Measuring

    def load(self, measurement, protocol, address, pid, arguments, command=()):
        words = [self.tools["load"], measurement, "--protocol", protocol, "--address", address]
        if pid:
            words += ["--broker", str(pid)]
        words += [*arguments, *(["--", *command] if command else [])]
        done = subprocess.run(words, capture_output=True, text=True, timeout=120)
        if done.returncode != 0:
            raise RuntimeError(f"{' '.join(words)}: {done.stderr.strip()}")
        try:
            return json.loads(done.stdout)
        except json.JSONDecodeError:
            raise RuntimeError(f"{' '.join(words)}: no figures: {done.stdout}{done.stderr}") from None

    def measure(self, row, name):
        if row.measurement == "start":
            broker = self.fresh(name)
            figures = self.load("start", broker.protocol, broker.address, None, row.arguments, broker.command)
        elif row.fresh:
            broker = self.fresh(name).start()
            try:
                figures = self.load(row.measurement, broker.protocol, broker.address, broker.pid, row.arguments)
            finally:
                broker.stop()
        else:
            broker = self.broker(name)
            figures = self.load(row.measurement, broker.protocol, broker.address, broker.pid, row.arguments)
        self.results.add(row.key, name, figures)

    def round(self, number):
        rows = [row for row in plan.rows(self.options.quick) if not row.once or number == 0]
        for group in dict.fromkeys(_group(row) for row in rows):
            self.alternate([row for row in rows if _group(row) == group])
        self.measure_commands()
        print(f"round {number + 1} of {self.options.rounds} after {time.monotonic() - self.began:.0f} s",
              file=sys.stderr)

    def alternate(self, rows):
        """Takes rows that are compared with each other in turn, peer by peer."""
        for _ in range(max(row.often for row in rows)):
            for row in rows:
                for name in row.peers:
                    if name in self.known:
                        self.attempt(row, name)

    def attempt(self, row, name):
        try:
            self.measure(row, name)
        except (RuntimeError, subprocess.TimeoutExpired) as problem:
            if name in ("statehub", "statehub-latest"):
                raise
            # A peer that fails is left out of the row, and that is said.
            print(f"{row.key}, {name}: {problem}", file=sys.stderr)

    def measure_commands(self):
        wanted = [name for name in ["statehub", "redis", "mosquitto", "dbus-daemon"] if name in self.known]
        addresses = {name: self.broker(name).address for name in wanted}
        service = None
        if "dbus-daemon" in addresses and not self.options.quick:
            service = subprocess.Popen(
                [self.tools["load"], "serve", "--protocol", "dbus", "--address", addresses["dbus-daemon"]])
            time.sleep(0.3)
        try:
            for _ in range(3):
                for name, words in plan.commands(self.tools, addresses):
                    if self.options.quick and not (name.endswith("get")):
                        continue
                    if _is_there(words[0]):
                        figures = self.load(
                            "command", "floor", "none", None, ["--runs", "6" if self.options.quick else "15"], words)
                        self.results.add("m5", name, figures)
        finally:
            if service:
                service.kill()
                service.wait()

    def check_losses_are_seen(self):
        """A broker that forgets every hundredth update: if nobody notices, no other row's word counts."""
        broker = self.fresh("uds-lossy").start()
        try:
            figures = self.load(
                "throughput", "floor", broker.address, broker.pid, ["--subscribers", "8", "--seconds", "0.1"])
        finally:
            broker.stop()
        if figures["gaps"] == 0:
            sys.exit("run: the load generator does not notice lost updates")

    def run(self):
        self.began = time.monotonic()
        self.results.about = about(self.options)
        try:
            self.check_losses_are_seen()
            for number in range(self.options.rounds):
                self.round(number)
        finally:
            self.stop()
        self.results.about["seconds"] = round(time.monotonic() - self.began)
        return self.results


def _group(row):
    """The name of the rows that a row is compared with."""
    first = row.key.split()[0]
    return first if first in ("stores", "ring", "busy", "stopped") else row.key


def _is_there(program):
    return peers.shutil.which(program) is not None


def _version(words, pattern=r"\d+\.\d+[\w.]*"):
    try:
        text = subprocess.run(words, capture_output=True, text=True, timeout=10)
    except (OSError, subprocess.TimeoutExpired):
        return None
    found = re.search(pattern, text.stdout + text.stderr)
    return found.group() if found else None


def about(options):
    processor = re.search(r"model name\s*: (.*)", pathlib.Path("/proc/cpuinfo").read_text())
    versions = {
        "redis": ["redis-server", "--version"], "mosquitto": ["mosquitto", "-h"],
        "nats-server": ["nats-server", "--version"], "dbus-daemon": ["dbus-daemon", "--version"],
        "dbus-broker": ["dbus-broker", "--version"]}
    return {
        "date": time.strftime("%Y-%m-%d", time.gmtime()),
        "kernel": platform.release(),
        "processor": processor.group(1).strip() if processor else platform.machine(),
        "cores": os.cpu_count(),
        "rounds": options.rounds,
        "load_before": os.getloadavg()[0],
        "versions": {name: version for name, words in versions.items() if (version := _version(words))},
    }
