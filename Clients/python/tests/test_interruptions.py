"""Calls that a signal handler interrupts, and calls that end in time, a real hub."""

import contextlib
import os
import pathlib
import random
import select
import signal
import sys
import threading
import time
import unittest
import warnings

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

from test_habitats import Habitat, HubError, statehub  # noqa: E402
from statehub import Every, requests  # noqa: E402
from statehub.core import Core, Order  # noqa: E402


class SignalTests(Habitat):
    def setUp(self):
        super().setUp()
        self.addCleanup(signal.signal, signal.SIGALRM, signal.getsignal(signal.SIGALRM))

    class Alarm(Exception):
        pass

    def interrupt(self, *_):
        raise SignalTests.Alarm

    @contextlib.contextmanager
    def interrupted(self, handler):
        """One signal for the call within, however late this thread has its turn. Python may overlook a signal before a wait, so
        it is sent until it is handled."""
        own, handled = threading.get_ident(), threading.Event()

        def handle(*_):
            if not handled.is_set():
                handled.set()
                handler()

        def send():
            self.until(lambda: self.hub._worker._reader == own)
            while not handled.wait(0.01):
                signal.pthread_kill(own, signal.SIGALRM)
        signal.signal(signal.SIGALRM, handle)
        sender = threading.Thread(target=send)
        sender.start()
        try:
            yield
        finally:
            sender.join()

    @unittest.skipIf(sys.version_info < (3, 10), "Python 3.9 handles signals between a call's return and the next instruction")
    def test_an_exception_of_a_signal_handler_loses_no_change_uncounted(self):
        raised, last, chance = 0, 4000, random.Random(1)
        signal.signal(signal.SIGALRM, self.interrupt)
        self.addCleanup(signal.setitimer, signal.ITIMER_REAL, 0)
        # An exception between a socket's creation and its use leaves it to the collector, which would say so.
        before = warnings.catch_warnings()
        before.__enter__()
        self.addCleanup(before.__exit__, None, None, None)
        warnings.simplefilter("ignore", ResourceWarning)
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
                # Within the try, so that an alarm that comes now is caught, too.
                signal.setitimer(signal.ITIMER_REAL, 0)
            except SignalTests.Alarm:
                raised += 1
        writer.join()
        self.assertIsNone(problem)
        self.assertGreater(raised, 0)

    def write(self, last):
        with statehub.Hub(self.real.path, timeout=120) as hub:
            value = hub.value("n", int)
            for number in range(1, last + 1):
                value.set(number)

    def test_a_wait_that_is_interrupted_continues_where_it_was(self):
        watch = self.value.events()
        for kind in ("initial", "synced"):
            self.assertEqual(next(watch).kind, kind)
        for number in range(1, 6):
            with self.assertRaises(SignalTests.Alarm), self.interrupted(self.interrupt):
                next(watch)
            self.other().value("n", int).set(number)
            event = next(watch)
            self.assertEqual((event.value, event.skipped), (number, 0))

    def test_a_signal_handler_that_uses_the_interrupted_hub_is_told(self):
        watch = self.value.events()
        for kind in ("initial", "synced"):
            self.assertEqual(next(watch).kind, kind)
        words = []

        def use_the_hub():
            with self.assertRaises(HubError) as caught:
                self.value.get()
            words.append(caught.exception.word)
        with self.interrupted(use_the_hub):
            self.assertIsNone(watch.next(0.2))
        self.assertEqual(words, ["misused"])
        self.assertEqual(self.value.get(), 0)


class ForkedTests(Habitat):
    """A signal handler forks and returns: the call continues in the parent, and ends in the child."""

    def forked(self, call, is_ready, go_on=lambda: None):
        """The words with which `call` ends in the parent and in the child, forked once it waits."""
        reading, writing = os.pipe()
        child, parent, threads = [], os.getpid(), []

        def handle(*_):
            child.append(os.fork())
            if child[0]:
                threads.append(threading.Thread(target=go_on))
                threads[0].start()
        self.addCleanup(signal.signal, signal.SIGUSR1, signal.signal(signal.SIGUSR1, handle))
        sender = threading.Thread(target=lambda: (self.until(is_ready), os.kill(parent, signal.SIGUSR1)))
        sender.start()
        try:
            word = repr(call())
        except HubError as error:
            word = error.word
        except BaseException as error:
            word = repr(error)
        if os.getpid() != parent:
            try:
                os.write(writing, word.encode())
                self.hub.ping()
                os.write(writing, b", and again")
            finally:
                os._exit(0)
        os.close(writing)
        for thread in (sender, *threads):
            thread.join()
        ready = select.select([reading], [], [], 60)[0]
        if not ready:
            os.kill(child[0], signal.SIGKILL)
        os.waitpid(child[0], 0)
        with os.fdopen(reading, "rb") as answers:
            return word, answers.read().decode() if ready else "nothing"

    def waits(self):
        return self.hub._worker._reader != 0

    def test_within_a_request(self):
        os.kill(self.real.process.pid, signal.SIGSTOP)
        self.assertEqual(
            self.forked(self.value.get, self.waits, lambda: os.kill(self.real.process.pid, signal.SIGCONT)),
            ("0", "closed, and again"))

    def test_within_an_iteration(self):
        for ask in (lambda watch: next(watch), lambda watch: watch.next(100)):
            self.value.set(0)
            watch, other = self.value.values(), self.other()
            self.assertEqual(next(watch), 0)
            parents, childs = self.forked(
                lambda: ask(watch), self.waits, lambda: other.value("n", int).set(7))
            self.assertEqual((parents, childs), ("7", "closed, and again"))
            watch.close()

    def test_within_a_wait_for_what_another_thread_reads(self):
        watch = self.value.values()
        self.assertEqual(next(watch), 0)
        reader = threading.Thread(target=lambda: watch.next())
        reader.start()
        self.until(self.waits)
        os.kill(self.real.process.pid, signal.SIGSTOP)
        self.assertEqual(
            self.forked(
                self.value.get, lambda: self.hub._worker._sleepers, lambda: os.kill(self.real.process.pid, signal.SIGCONT)),
            ("0", "closed, and again"))
        self.value.set(1)
        reader.join(60)
        self.assertFalse(reader.is_alive())


class LongTests(Habitat):
    def test_a_long_time_is_as_good_as_none(self):
        for seconds in (1e7, 1e10, 1e300, float("inf")):
            hub = statehub.Hub(self.real.path, timeout=seconds)
            self.addCleanup(hub.close)
            value = hub.value("n", int)
            self.assertEqual([value.get(), value.get()], [0, 0])
            watch = value.events()
            self.assertEqual([watch.next(seconds).kind for _ in range(2)], ["initial", "synced"])
            signal.signal(signal.SIGALRM, lambda *_: self.value.set(self.value.get() + 1))
            self.addCleanup(signal.signal, signal.SIGALRM, signal.SIG_DFL)
            signal.setitimer(signal.ITIMER_REAL, 0.05)
            self.assertEqual(watch.next(seconds).value, 1)
            self.value.set(0)

    def test_of_several_threads(self):
        # A hub without requests, whose time would come first.
        hub = self.other()
        watch, answers = hub.value("n", int).values(), []
        self.assertEqual(next(watch), 0)
        threads = [threading.Thread(target=lambda: answers.append(watch.next(1e10))) for _ in range(2)]
        for thread in threads:
            thread.start()
        self.until(lambda: hub._worker._reader and (hub._worker._sleepers or not all(each.is_alive() for each in threads)))
        for number in range(1, 3):
            self.value.set(number)
            self.until(lambda: len(answers) == number)
        for thread in threads:
            thread.join()
        self.assertEqual(answers, [1, 2])


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

    def test_a_request_says_that_there_is_no_hub_only_after_an_attempt_of_its_own(self):
        for timeout in (0, 0.05, 0.5, 2):
            core = Core("name", "silence", lambda: 1)
            core.begin(requests.ping(), 1000)
            _, now = self.fail_until(core, lambda now: now > 60 and core.next_deadline > now + 3, 0.0)
            call = core.begin(requests.ping(), now + timeout)
            attempts, now = self.fail_until(core, lambda now: call.is_due, now)
            self.assertGreater(attempts, 0)
            self.assertEqual(self.word(call), "noHub")

    def fail_until(self, core, is_over, now):
        """How many attempts to connect are made until then, and fail; and when that is."""
        attempts = 0
        while not is_over(now):
            if core.step(now) is Order.CONNECT:
                attempts += 1
                core.connect_failed(HubError(statehub.Code.noHub, "none"), now)
            else:
                now = max(now, core.next_deadline)
        return attempts, now

    def word(self, call):
        with self.assertRaises(HubError) as caught:
            call.result()
        return caught.exception.word

    def test_a_hub_that_may_not_be_used_says_so_before_the_timeout_ends(self):
        code, taken = self.refused(statehub.Code.denied)
        self.assertEqual(code, statehub.Code.denied)
        self.assertLess(taken, 1)


if __name__ == "__main__":
    unittest.main()
