"""Calls that a signal handler interrupts, and calls that end in time, a real hub."""

import pathlib
import random
import signal
import sys
import threading
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

from test_habitats import Habitat, HubError, statehub  # noqa: E402
from statehub import Every  # noqa: E402


class SignalTests(Habitat):
    def setUp(self):
        super().setUp()
        self.addCleanup(signal.signal, signal.SIGALRM, signal.signal(signal.SIGALRM, self.handle))
        self.addCleanup(signal.setitimer, signal.ITIMER_REAL, 0)
        self.raised = self.words = None

    class Alarm(Exception):
        pass

    def handle(self, *_):
        if self.words is not None:
            try:
                self.words.append(self.value.get())
            except HubError as error:
                self.words.append(error.word)
        else:
            self.raised += 1
            raise SignalTests.Alarm

    @unittest.skipIf(sys.version_info < (3, 10), "Python 3.9 handles signals between a call's return and the next instruction")
    def test_an_exception_of_a_signal_handler_loses_no_change_uncounted(self):
        self.raised, last, chance = 0, 4000, random.Random(1)
        writer = threading.Thread(target=self.write, args=(last,))
        watch = self.hub.watch("n", policy=Every(1 << 20))
        total, state = 0, {}
        writer.start()
        problem = None
        while state.get("n") != last and problem is None:
            try:
                signal.setitimer(signal.ITIMER_REAL, chance.uniform(0.0005, 0.005))
                for event in watch:
                    # No call comes before the event is counted, so no exception either.
                    if event.kind == "initial" or event.kind == "changed":
                        before, total = total, event.version if event.skipped is None or not state else total + 1 + event.skipped
                        state["n"] = event.value
                        if total != event.version:
                            problem = before, event
                        if problem is not None or event.value == last:
                            break
            except SignalTests.Alarm:
                pass
        signal.setitimer(signal.ITIMER_REAL, 0)
        writer.join()
        self.assertIsNone(problem)
        self.assertGreater(self.raised, 0)

    def write(self, last):
        with statehub.Hub(self.real.path, timeout=120) as hub:
            value = hub.value("n", int)
            for number in range(1, last + 1):
                value.set(number)

    def test_a_wait_that_is_interrupted_continues_where_it_was(self):
        self.raised = 0
        watch = self.value.events()
        for kind in ("initial", "synced"):
            self.assertEqual(next(watch).kind, kind)
        for number in range(1, 6):
            signal.setitimer(signal.ITIMER_REAL, 0.01)
            with self.assertRaises(SignalTests.Alarm):
                next(watch)
            self.other().value("n", int).set(number)
            event = next(watch)
            self.assertEqual((event.value, event.skipped), (number, 0))

    def test_a_signal_handler_that_uses_the_interrupted_hub_is_told(self):
        watch = self.value.events()
        for kind in ("initial", "synced"):
            self.assertEqual(next(watch).kind, kind)
        self.words = []
        signal.setitimer(signal.ITIMER_REAL, 0.01)
        self.assertIsNone(watch.next(0.2))
        self.assertEqual(self.words, ["misused"])
        self.assertEqual(self.value.get(), 0)


class DeadlineTests(unittest.TestCase):
    def refused(self, problem):
        """A hub whose socket may not be used, and how long a request takes to say so."""
        hub = statehub.Hub("/run/statehub-missing/hub.sock", timeout=1)
        driver = hub._worker.driver
        driver._connect = lambda now: driver.core.connect_failed(HubError(problem, "no right"), now)
        began = time.monotonic()
        with self.assertRaises(HubError) as caught:
            hub.ping()
        return caught.exception.code, time.monotonic() - began

    def test_a_hub_that_may_not_be_used_says_so_before_the_timeout_ends(self):
        code, taken = self.refused(statehub.Code.denied)
        self.assertEqual(code, statehub.Code.denied)
        self.assertLess(taken, 1)


if __name__ == "__main__":
    unittest.main()
