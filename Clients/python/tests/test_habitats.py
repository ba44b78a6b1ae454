"""Where a program uses its hub: threads, forked children, iterations that are left, a real hub."""

import asyncio
import os
import pathlib
import signal
import sys
import threading
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "src"))

import statehub  # noqa: E402
from statehub import Every, HubError, aio  # noqa: E402
from statehub.testing import RunningHub  # noqa: E402


def in_child(work):
    """What `work` returns in the child of a fork, or the error's word."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            try:
                answer = work()
            except HubError as error:
                answer = error.word
            os.write(writing, repr(answer).encode())
        finally:
            os._exit(0)
    os.close(writing)
    with os.fdopen(reading, "rb") as answers:
        answer = answers.read().decode()
    os.waitpid(child, 0)
    return answer


@unittest.skipUnless("STATEHUB" in os.environ, "STATEHUB names no hub")
class Habitat(unittest.TestCase):
    def setUp(self):
        self.real = RunningHub()
        self.addCleanup(self.real.close)
        self.hub, self.monitor = self.other(), self.other()
        self.value = self.hub.value("n", int)
        self.value.set(0)
        self.own = self.monitor.clients()[-1].connection

    def other(self):
        hub = statehub.Hub(self.real.path, timeout=120)
        self.addCleanup(hub.close)
        return hub

    def connections(self):
        """How many watches each connection has."""
        return [client.watches for client in self.monitor.clients() if client.connection != self.own]

    def until(self, is_so):
        deadline = time.monotonic() + 120
        while not is_so():
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.005)


class ThreadTests(Habitat):
    def test_one_hub_serves_any_number_of_threads(self):
        problems, seen = [], []

        def add():
            try:
                for _ in range(100):
                    self.value.add(1)
            except BaseException as error:
                problems.append(error)

        def follow():
            try:
                for event in self.hub.watch("n", policy=Every()):
                    if event.value is not None:
                        seen.append((event.value, event.skipped))
                    if event.value == 1200:
                        return
            except BaseException as error:
                problems.append(error)
        threads = [threading.Thread(target=work) for work in [follow, follow] + [add] * 12]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(problems, [])
        self.assertEqual(self.value.get(), 1200)
        self.assertEqual([value for value, _ in seen].count(1200), 2)

    def test_a_thread_that_waits_for_a_change_keeps_no_other_one_waiting(self):
        watch = self.value.values()
        self.assertEqual(next(watch), 0)
        shown = []
        reader = threading.Thread(target=lambda: shown.append(next(watch)))
        reader.start()
        self.assertEqual(self.hub.value("other", int).set(1).version, 1)
        self.value.set(7)
        reader.join()
        self.assertEqual(shown, [7])

    def test_close_ends_what_other_threads_wait_for(self):
        watch = self.value.events()
        for kind in ("initial", "synced"):
            self.assertEqual(next(watch).kind, kind)
        words = []

        def follow():
            try:
                next(watch)
            except HubError as error:
                words.append(error.word)
        reader = threading.Thread(target=follow)
        reader.start()
        self.hub.close()
        reader.join(120)
        self.assertEqual(words, ["closed"])

    def test_an_iteration_that_another_thread_closes_ends_although_the_hub_is_silent(self):
        for ask in (lambda watch: watch.next(), lambda watch: watch.next(100)):
            watch = self.value.values()
            self.assertEqual(next(watch), 0)
            reader = threading.Thread(target=ask, args=(watch,))
            reader.start()
            self.until(lambda: self.hub._worker._reader)
            os.kill(self.real.process.pid, signal.SIGSTOP)
            try:
                watch.close()
                reader.join(20)
                self.assertFalse(reader.is_alive())
            finally:
                os.kill(self.real.process.pid, signal.SIGCONT)
                reader.join()

    def wait_until_closed(self, watch):
        with self.assertRaises(HubError):
            watch.next()

    def test_a_request_of_a_thread_ends_in_time_while_another_one_reads(self):
        watch = self.value.values()
        next(watch)
        reader = threading.Thread(target=self.wait_until_closed, args=(watch,))
        reader.start()
        os.kill(self.real.process.pid, signal.SIGSTOP)
        try:
            self.hub.timeout = 0.2
            with self.assertRaises(HubError) as caught:
                self.value.get()
            self.assertEqual(caught.exception.word, "timeout")
        finally:
            os.kill(self.real.process.pid, signal.SIGCONT)
            self.hub.close()
            reader.join()


class ForkTests(Habitat):
    def test_a_child_has_its_own_connection_and_the_parent_keeps_its_own(self):
        self.value.set(5)
        self.assertEqual(in_child(lambda: self.value.add(1)), "6")
        self.assertEqual(self.value.add(1), 7)

    def test_parent_and_children_get_their_own_answers(self):
        children = []
        names = [self.hub.value(f"v{index}", int) for index in range(20)]
        for index, value in enumerate(names):
            value.set(index)
        for _ in range(5):
            child = os.fork()
            if child == 0:
                ok = all(value.get() == index for index, value in enumerate(names) for _ in range(5))
                os._exit(0 if ok else 1)
            children.append(child)
        for _ in range(20):
            self.assertEqual([value.get() for value in names], list(range(20)))
        self.assertEqual([os.waitpid(child, 0)[1] for child in children], [0] * 5)

    def test_an_ephemeral_value_ends_with_the_parent_that_set_it(self):
        watch = self.hub.value("here", int).events()
        self.assertEqual(next(watch).kind, "synced")
        waits, ends = os.pipe()
        parent = os.fork()
        if parent == 0:
            os.close(ends)
            statehub.Hub(self.real.path).value("here", int).set(1, ephemeral=True)
            hub = statehub.Hub(self.real.path)
            hub.value("here", int).set(2, ephemeral=True)
            if os.fork() == 0:
                # It never uses the hub that it has inherited.
                os.read(waits, 1)
            os._exit(0)
        os.waitpid(parent, 0)
        kinds = []
        while "removed" not in kinds:
            event = watch.next(120)
            self.assertIsNotNone(event, kinds)
            kinds.append(event.kind)
        os.close(waits)
        os.close(ends)

    def test_an_iteration_of_the_parent_ends_in_the_child(self):
        watch = self.value.values()
        self.assertEqual(next(watch), 0)
        self.assertEqual(in_child(lambda: next(watch)), "'closed'")
        self.value.set(1)
        self.assertEqual(next(watch), 1)

    def test_a_fork_while_another_thread_waits(self):
        watch = self.value.values()
        next(watch)
        reader = threading.Thread(target=lambda: next(watch))
        reader.start()
        self.assertEqual(in_child(lambda: self.value.add(1)), "1")
        reader.join(120)
        self.assertFalse(reader.is_alive())

    def test_asynchronously(self):
        async def add(hub):
            return await hub.value("n", int).add(1)

        async def play():
            async with aio.Hub(self.real.path, timeout=120) as hub:
                watch = hub.value("n", int).values()
                self.assertEqual(await watch.__anext__(), 0)
                self.assertEqual(in_child(lambda: asyncio.run(add(hub))), "1")
                self.assertEqual(await watch.__anext__(), 1)
                self.assertEqual(await add(hub), 2)
        asyncio.run(play())


class CollectionTests(Habitat):
    def test_a_loop_that_is_left_ends_its_watch(self):
        for _ in range(50):
            for _ in self.value.values():
                break
            for event in self.hub.watch("n"):
                if event.kind == "synced":
                    break
        self.value.set(1)
        self.assertEqual(self.connections(), [0])
        self.assertEqual(len(self.hub._core.watches.streams), 0)

    def test_asynchronously(self):
        async def play():
            async with aio.Hub(self.real.path, timeout=120) as hub:
                value = hub.value("n", int)
                for _ in range(50):
                    async for _ in value.values():
                        break
                await value.set(1)
                self.assertEqual([client.watches for client in await hub.clients()][-1], 0)
                # It ends by itself, without another request.
                async for _ in value.values():
                    break
                while hub._core.watches.streams:
                    await asyncio.sleep(0)
        asyncio.run(play())

    def test_a_hub_that_is_dropped_closes_its_connection(self):
        hub = statehub.Hub(self.real.path, timeout=120)
        hub.value("n", int).set(1)
        self.assertEqual(len(self.connections()), 2)
        del hub
        self.until(lambda: len(self.connections()) == 1)

    def test_a_hub_that_is_dropped_closes_its_connection_while_its_loop_works(self):
        async def closing():
            while len(self.connections()) > 1:
                await asyncio.sleep(0)

        async def play():
            for _ in range(3):
                hub = aio.Hub(self.real.path, timeout=120)
                watch = hub.value("n", int).values()
                self.assertEqual(await watch.__anext__(), 0)
                await hub.value("here", int).set(1, ephemeral=True)
                del hub, watch
                await asyncio.wait_for(closing(), 120)
            # Nothing is left of them that disturbs a descriptor of the same number.
            async with aio.Hub(self.real.path, timeout=120) as hub:
                await hub.ping()
        asyncio.run(play())


if __name__ == "__main__":
    unittest.main()
