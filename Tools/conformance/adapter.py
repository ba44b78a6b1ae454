"""A client under test: its adapter's process, which takes instructions and reports events, both as lines of JSON."""

import json
import subprocess
import threading
import time

from played import LONGEST_WAIT, Failure


class Adapter:
    def __init__(self, command, path, timeout=5.0, name="adapter", **options):
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.reports = []
        self.changed = threading.Condition()
        self.last_id = 0
        threading.Thread(target=self._read, daemon=True).start()
        self.options = {"path": path, "name": name, "timeout": timeout, **options}
        self.reopen()

    def reopen(self):
        """The client is closed, if there is one, and another one made."""
        self.instruct("open", **self.options)

    def _read(self):
        for line in self.process.stdout:
            report = counted(json.loads(line))
            with self.changed:
                self.reports.append(report)
                self.changed.notify_all()
        with self.changed:
            self.reports.append({"exit": True})
            self.changed.notify_all()

    def instruct(self, what, **fields):
        self.process.stdin.write(json.dumps({"do": what, **fields}).encode() + b"\n")
        self.process.stdin.flush()

    def request(self, request, **fields):
        """Returns the request's id, for `reply` and `failure`."""
        self.last_id += 1
        self.instruct("request", id=self.last_id, request=request, **fields)
        return self.last_id

    def watch(self, label, *patterns, every=True):
        self.instruct("watch", watch=label, patterns=list(patterns), every=every)

    def unwatch(self, label):
        self.instruct("unwatch", watch=label)

    # What it reports

    def _wait(self, find, what):
        deadline = time.monotonic() + LONGEST_WAIT
        with self.changed:
            while True:
                found = find()
                if found is not None:
                    return found
                if any("exit" in report for report in self.reports):
                    raise Failure(f"the adapter has ended; {what}")
                if not self.changed.wait(deadline - time.monotonic()):
                    raise Failure(what)

    def _answer(self, request):
        return next((report for report in self.reports if report.get("id") == request), None)

    def reply(self, request):
        report = self._wait(lambda: self._answer(request), f"the client does not answer request {request}")
        if "reply" not in report:
            raise Failure(f"request {request} has failed: {report}")
        return report["reply"]

    def failure(self, request, word=None):
        report = self._wait(lambda: self._answer(request), f"the client does not answer request {request}")
        if "error" not in report or word is not None and report["error"] != word:
            raise Failure(f"request {request} ends with {report}, expected {word or 'an error'}")
        return report

    def has_not_answered(self, request, seconds=0.15):
        time.sleep(seconds)
        with self.changed:
            if self._answer(request) is not None:
                raise Failure(f"request {request} is answered too early: {self._answer(request)}")

    def shown(self, label):
        """What the watch has shown so far."""
        with self.changed:
            return [report for report in self.reports if report.get("watch") == label]

    def shows(self, label, *expected):
        """Waits until the watch has shown as many events; all of them have to be these, in the fields that are given.
        An expected event is a dictionary, or its kind alone."""
        wanted = [{"event": event} if isinstance(event, str) else event for event in expected]

        def find():
            events = [report for report in self.reports if report.get("watch") == label]
            return events if len(events) >= len(wanted) else None

        try:
            events = self._wait(find, "")
        except Failure as failure:
            raise Failure(f"watch {label} shows {self.shown(label)}, expected {wanted}; {failure}") from None
        if not matches(events, wanted):
            raise Failure(f"watch {label} shows {events}, expected {wanted}")
        return events

    def until(self, is_done, what):
        """Waits until `is_done` of all reports so far."""
        self._wait(lambda: is_done(self.reports) or None, what)

    def close_hub(self):
        """Closes the client: each watch reports its end after everything else."""
        self.instruct("close")

    def end(self):
        if self.process.poll() is None:
            self.process.stdin.close()
            try:
                self.process.wait(LONGEST_WAIT)
            except subprocess.TimeoutExpired:
                self.process.kill()
                raise Failure("the adapter does not end when its input does") from None
        if self.process.returncode != 0:
            raise Failure(f"the adapter has ended with status {self.process.returncode}")


def counted(content):
    """Counts as numbers, which may have come as digits."""
    if isinstance(content, dict):
        return {
            key: int(each) if key in ("revision", "version", "skipped") and isinstance(each, str) else counted(each)
            for key, each in content.items()}
    return [counted(each) for each in content] if isinstance(content, list) else content


def plain(content):
    """Numbers above 2^53 may be strings of digits."""
    if isinstance(content, dict):
        if content.get("type") == "integer":
            return {"type": "integer", "value": int(content["value"])}
        if content.get("type") == "double":
            return {"type": "double", "value": repr(float(content["value"]))}
        return {key: plain(each) for key, each in content.items()}
    if isinstance(content, list):
        return [plain(each) for each in content]
    if isinstance(content, str) and content.lstrip("-").isdigit() and len(content) > 15 and len(content) < 21:
        return int(content)
    return content


def matches(events, wanted):
    return len(events) == len(wanted) and all(
        key in event and plain(event[key]) == plain(each)
        for event, want in zip(events, wanted) for key, each in want.items())
