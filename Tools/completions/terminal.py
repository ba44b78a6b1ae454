"""A shell in a real terminal: tmux holds it, keys are typed into it, and its screen is waited for. Every shell has a tmux
server of its own, which ends with it."""

import os
import pathlib
import subprocess
import time

PROMPT = "ready> "
PATIENCE = 10


class Wrong(Exception):
    """The screen did not become what was waited for."""


class Terminal:
    """- words: the shell and its arguments, which show PROMPT whenever they take a line."""

    def __init__(self, name, words, environment, folder):
        # In fish it is a key like others, and closes the list too; in the others it is a signal, which overtakes keys.
        self.clears_by_interrupt = name == "fish"
        self.name = f"statehub-{name}-{os.getpid()}"
        self.environment = {**environment, "TMUX_TMPDIR": str(folder)}
        options = [option for key, value in environment.items() for option in ("-e", f"{key}={value}")]
        self._tmux("-f", "/dev/null", "new-session", "-d", "-x", "160", "-y", "60", "-c", str(folder), *options, *words)
        self.shell = int(self._tmux("display-message", "-p", "#{pane_pid}"))
        try:
            self._until(lambda lines: lines[-1:] == [PROMPT.strip()], "no prompt")
        except BaseException:
            self.close()
            raise

    def close(self):
        """Ends the shell, and waits for it: it may still write its history."""
        self._tmux("kill-server")
        end = time.monotonic() + PATIENCE
        while pathlib.Path(f"/proc/{self.shell}").exists() and time.monotonic() < end:
            time.sleep(0.01)

    def _tmux(self, *words):
        done = subprocess.run(
            ["tmux", "-L", self.name, *words], env=self.environment, text=True, check=True, stdout=subprocess.PIPE)
        return done.stdout

    def lines(self):
        """What is on the screen, without what is empty below."""
        return [line.rstrip() for line in self._tmux("capture-pane", "-p").rstrip().split("\n")]

    def _until(self, holds, problem):
        end = time.monotonic() + PATIENCE
        while True:
            lines = self.lines()
            if holds(lines):
                return lines
            if time.monotonic() > end:
                raise Wrong(problem + "".join(f"\n      | {line}" for line in lines))
            time.sleep(0.01)

    def keys(self, *names):
        self._tmux("send-keys", *names)

    def text(self, text):
        self._tmux("send-keys", "-l", "--", text)

    def fresh(self):
        """An empty command line on an empty screen, whatever was there."""
        self.keys(*(["C-c"] if self.clears_by_interrupt else []), "C-e", "C-u", "C-l")
        self._until(lambda lines: lines == [PROMPT.strip()], "the screen is not cleared")

    def line(self, lines):
        """The command line: what stands behind the last prompt."""
        found = [line for line in lines if line.startswith(PROMPT.strip())]
        return found[-1].removeprefix(PROMPT.strip()).lstrip() if found else None

    def becomes(self, typed, expected, tabs=1):
        """Types a text and TAB: the command line is one of the expected ones then. A mark typed behind it tells that the
        shell is done."""
        self.fresh()
        self.text(typed)
        self.keys(*["Tab"] * tabs)
        self.text("@")
        lines = self._until(lambda lines: (self.line(lines) or "").endswith("@"), f"'{typed}' TAB: the shell is not done")
        found = self.line(lines).removesuffix("@")
        if found not in expected:
            raise Wrong(f"'{typed}' TAB becomes '{found}', not '{expected[0]}'" + "".join(f"\n      | {line}" for line in lines))

    def offers(self, typed, expected, never, tabs):
        """Types a text and TAB: all expected words are listed then, and none of the others."""
        self.fresh()
        self.text(typed)
        self.keys(*["Tab"] * tabs)

        def listed(lines):
            # What is typed is no offer; bash lists above a new prompt, the others below the old one.
            return {word for line in lines if not line.startswith(PROMPT.strip()) for word in line.split()}

        lines = self._until(lambda lines: expected <= listed(lines), f"'{typed}' TAB does not offer {sorted(expected)}")
        wrong = never & listed(lines)
        if wrong:
            raise Wrong(f"'{typed}' TAB offers {sorted(wrong)}" + "".join(f"\n      | {line}" for line in lines))
