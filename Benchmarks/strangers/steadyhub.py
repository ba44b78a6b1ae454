"""A hub as a child process, on a socket of its own that every user may use."""

import os
import pathlib
import subprocess
import sys
import time


class Hub:
    def __init__(self, program, folder):
        self.path = os.path.join(folder, "hub.sock")
        self.log = open(os.path.join(folder, "hub.log"), "w+")
        configuration = os.path.join(folder, "hub.json5")
        pathlib.Path(configuration).write_text("{}")
        self.process = subprocess.Popen(
            [program, "--socket", self.path, "--volatile", "--config", configuration], stdout=self.log, stderr=self.log)
        deadline = time.monotonic() + 60
        while not os.path.exists(self.path):
            if self.process.poll() is not None or time.monotonic() > deadline:
                self.log.seek(0)
                sys.exit(f"strangers: the hub did not start: {self.log.read()}")
            time.sleep(0.01)

    def stop(self):
        self.process.terminate()
        self.process.wait(60)
