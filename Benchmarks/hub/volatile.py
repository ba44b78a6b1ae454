"""Owns a hub that a benchmark starts: it keeps nothing, and serves at a socket of its own."""

import os
import pathlib
import socket
import subprocess
import sys
import time


class Hub:
    """A hub as a child process, on a socket of its own."""

    def __init__(self, program, folder, prefix=(), environment=None, configuration="{}"):
        self.path = os.path.join(folder, "hub.sock")
        self.log = open(os.path.join(folder, "hub.log"), "w+")
        file = os.path.join(folder, "hub.json5")
        pathlib.Path(file).write_text(configuration)
        arguments = [*prefix, program, "--socket", self.path, "--volatile", "--config", file]
        self.process = subprocess.Popen(
            arguments, stdout=self.log, stderr=self.log, env={**os.environ, **(environment or {})})
        deadline = time.monotonic() + 60
        while not self._listens():
            if self.process.poll() is not None or time.monotonic() > deadline:
                self.log.seek(0)
                sys.exit(f"{os.path.basename(sys.argv[0])}: the hub did not start: {self.log.read()}")
            time.sleep(0.01)

    def _listens(self):
        with socket.socket(socket.AF_UNIX) as client:
            try:
                client.connect(self.path)
            except OSError:
                return False
        return True

    def resident(self):
        """Its resident memory, in megabytes of 2^20 bytes."""
        with open(f"/proc/{self.process.pid}/status") as status:
            return next(int(line.split()[1]) for line in status if line.startswith("VmRSS:")) / 1024

    def stop(self):
        self.process.terminate()
        self.process.wait(60)
