"""A short session in two terminals, played with a hub of its own: what was typed, and what the programs printed."""

import os
import pathlib
import signal
import subprocess
import tempfile
import threading
import time
from dataclasses import dataclass

# The socket of a login session, which stands in the picture for the one of the run.
SOCKET = "/run/user/1000/statehub/hub.sock"
LEFT, RIGHT = 0, 1
# Each: the terminal, what is typed there, and what has to be printed before it goes on: the start of a line in a terminal.
STEPS = [
    (LEFT, "statehub &", [(LEFT, "statehub: version")]),
    (LEFT, "statectl create audio.volume --type integer --minimum 0 --maximum 10 --initial 4", []),
    (RIGHT, "statectl watch audio.volume", [(RIGHT, "4")]),
    (LEFT, "statectl set audio.volume 6", [(RIGHT, "6")]),
    (LEFT, "statectl add audio.volume 7", [(LEFT, "statectl: ")]),
    (LEFT, "kill $!; wait    # the hub ends", [(LEFT, "statehub: stopped")]),
    (LEFT, "statehub &       # and comes back: the watch does not notice", [(LEFT, "statehub: version")]),
    (LEFT, "statectl add audio.volume 2", [(LEFT, "8"), (RIGHT, "8")]),
]
PATIENCE = 20


@dataclass
class Line:
    terminal: int
    text: str
    is_typed: bool = False


class Terminal:
    """A shell that reads what is typed from a pipe. Its lines go to `lines`, in the order of their coming."""

    def __init__(self, number, lines, environment, folder):
        self._number, self._lines = number, lines
        self._shell = subprocess.Popen(
            ["sh"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, bufsize=1,
            env=environment, cwd=folder, start_new_session=True)
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self):
        for line in self._shell.stdout:
            self._lines.append(Line(self._number, line.rstrip("\n")))

    def type(self, command):
        self._lines.append(Line(self._number, command, is_typed=True))
        self._shell.stdin.write(command + "\n")

    def end(self):
        """Ends the shell, and all that it has started: they are a group of their own."""
        os.killpg(self._shell.pid, signal.SIGKILL)
        self._shell.wait()


def lines(programs):
    """- programs: the folder of statehub and statectl."""
    with tempfile.TemporaryDirectory(prefix="session.") as folder:
        socket = f"{folder}/hub.sock"
        environment = dict(
            os.environ, PATH=f"{pathlib.Path(programs).resolve()}:{os.environ['PATH']}", STATEHUB_SOCKET=socket,
            XDG_STATE_HOME=folder, XDG_CONFIG_HOME=folder)
        for name in ("STATE_DIRECTORY", "JOURNAL_STREAM", "CONFIGURATION_DIRECTORY"):
            environment.pop(name, None)
        shown = []
        terminals = [Terminal(number, shown, environment, folder) for number in (LEFT, RIGHT)]
        try:
            for number, command, awaited in STEPS:
                start = len(shown)
                terminals[number].type(command)
                for terminal, beginning in awaited:
                    _wait(shown, start, terminal, beginning, command)
                # What comes at the same time in both comes first where it was typed.
                shown[start:] = sorted(shown[start:], key=lambda line: (not line.is_typed, line.terminal != number))
            return [Line(line.terminal, line.text.replace(socket, SOCKET), line.is_typed) for line in shown]
        finally:
            for terminal in terminals:
                terminal.end()


def _wait(shown, start, terminal, beginning, command):
    deadline = time.monotonic() + PATIENCE
    while not any(
            line.terminal == terminal and not line.is_typed and line.text.startswith(beginning) for line in shown[start:]):
        if time.monotonic() > deadline:
            seen = "\n".join(line.text for line in shown)
            raise SystemExit(f"'{command}' prints no line that begins with '{beginning}':\n{seen}")
        time.sleep(0.005)
