"""The programs of the client's benchmarks as child processes: readers, a setter, and a hub. It judges nothing."""

import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
PROGRAMS = HERE / "programs"
sys.path.append(str(HERE.parent / "hub"))
import wire  # noqa: E402

COUNTER = PROGRAMS / ".build/allocations.so"


def build():
    subprocess.run(["swift", "build", "-c", "release"], cwd=PROGRAMS, check=True, stdout=sys.stderr)
    subprocess.run(["cc", "-O2", "-shared", "-fPIC", "-o", COUNTER, PROGRAMS / "allocations.c"], check=True)


class Bench:
    """A hub on a socket of its own; every measurement has a store of its own."""

    def __init__(self, statehub):
        binaries = PROGRAMS / ".build/release"
        self.swift, self.c = str(binaries / "clientbench"), str(binaries / "cpeer")
        self.folder = tempfile.TemporaryDirectory()
        self.socket = os.path.join(self.folder.name, "hub.sock")
        self.stores = 0
        self.hub = subprocess.Popen([statehub, "--socket", self.socket, "--volatile"], stderr=subprocess.DEVNULL)
        deadline = time.monotonic() + 60
        while not os.path.exists(self.socket):
            if self.hub.poll() is not None or time.monotonic() > deadline:
                sys.exit("client benchmarks: the hub did not start")
            time.sleep(0.01)

    def close(self):
        self.hub.terminate()
        self.hub.wait(60)
        self.folder.cleanup()

    def _start(self, program, verb, *arguments, prefix=(), preload=False):
        self.stores += 1
        self.store = f"bench.{self.stores}"
        environment = {**os.environ, **({"LD_PRELOAD": str(COUNTER)} if preload else {})}
        if prefix:
            environment["CLIENTBENCH_COUNTED"] = "1"
        command = [*prefix, program, verb, self.socket, self.store, *map(str, arguments)]
        return subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment)

    @staticmethod
    def _expect(process, word):
        line = process.stdout.readline().strip()
        if line != word:
            sys.exit(f"client benchmarks: {process.args} said {line!r} instead of {word!r}")

    @staticmethod
    def _finish(process):
        """What the process has measured. It goes once its input ends."""
        line = process.stdout.readline()
        process.communicate(timeout=300)
        if process.returncode:
            sys.exit(f"client benchmarks: {process.args} failed with {process.returncode}")
        return json.loads(line)

    def follow(self, program, verb, count, *arguments, gap):
        """A reader, and a setter in C that begins once it is ready."""
        reader = self._start(program, verb, count, *arguments)
        self._expect(reader, "ready")
        setter = subprocess.Popen(
            [self.c, "set", self.socket, self.store, str(count), str(gap)], stdin=subprocess.DEVNULL)
        result = self._finish(reader)
        setter.wait(60)
        return result

    def request(self, program, verb, count, *arguments, preload=False):
        return self._finish(self._start(program, verb, count, *arguments, preload=preload))

    def floor(self, verb, count, tasks):
        process = self._start(self.swift, verb, count, "executor", tasks)
        self._expect(process, "ready")
        return self._finish(process)

    def instructions(self, verb, count, tasks=1):
        """What one change or one request executes in the client: the difference of two runs, which starts and ends alike.
        `c-` before the verb: in the program in C."""
        few = count // 10
        return (self._executed(verb, count, tasks) - self._executed(verb, few, tasks)) / (count - few)

    def in_step(self, count, tasks, **how):
        """Streams whose next change is made only when all of them have seen the one before: what happens is always alike."""
        process = self._start(self.swift, "streams-in-step", count, "executor", tasks, **how)
        self._expect(process, "ready")
        connection = wire.Connection(self.socket)
        for value in range(1, count + 1):
            connection.send(wire.set_integer(wire.named(self.store), value))
            connection.receive(1)
            self._expect(process, "delivered")
        connection.socket.close()
        return self._finish(process)

    def many(self, changes, streams, batch=100):
        """As many streams as stores, in one process; changes go round them, `batch` at a time."""
        process = self._start(self.swift, "many", changes, "executor", streams)
        self._expect(process, "ready")
        connection = wire.Connection(self.socket)
        for start in range(0, changes, batch):
            frames = b"".join(
                wire.set_integer(wire.named(f"{self.store}.{index * 7919 % streams}"), index + 1)
                for index in range(start, start + batch))
            connection.send(frames)
            connection.receive(batch)
            self._expect(process, "delivered")
        connection.socket.close()
        return self._finish(process)

    def cached(self, count):
        """What a reading costs, and what it allocates."""
        rows = self._finish(self._start(self.swift, "cached", count, "pool", 1))
        counted = self._finish(self._start(self.swift, "cached", count // 10, "pool", 1, preload=True))
        return {name: {**row, "allocations": counted[name]["allocations"]} for name, row in rows.items()}

    def _executed(self, verb, count, tasks):
        output = os.path.join(self.folder.name, "callgrind.out")
        prefix = ["valgrind", "--quiet", "--tool=callgrind", f"--callgrind-out-file={output}"]
        if verb == "streams-in-step":
            self.in_step(count, tasks, prefix=prefix)
        elif verb.startswith("c-"):
            self._finish(self._start(self.c, verb.removeprefix("c-"), count, prefix=prefix))
        else:
            self._finish(self._start(self.swift, verb, count, "executor", tasks, prefix=prefix))
        return int(re.findall(r"^(?:totals|summary): (\d+)", pathlib.Path(output).read_text(), re.MULTILINE)[-1])
