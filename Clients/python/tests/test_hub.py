"""Both clients against a real hub, which STATEHUB names: requests, watches, a killed hub, ephemeral values."""

import asyncio
import atexit
import os
import pathlib
import subprocess
import sys
import time
import unittest
from unittest import mock

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "src"))

import statehub  # noqa: E402
from statehub import Add, Codec, Condition, Filter, HubError, Schema, Set, aio  # noqa: E402
from statehub.testing import RunningHub  # noqa: E402


@unittest.skipUnless("STATEHUB" in os.environ, "STATEHUB names no hub")
class HubTests(unittest.TestCase):
    def setUp(self):
        self.real = RunningHub(keeps=True)
        self.addCleanup(self.real.close)
        self.hub = statehub.Hub(self.real.path, timeout=120)
        self.addCleanup(self.hub.close)

    def test_requests(self):
        hub, volume = self.hub, self.hub.value("audio.volume", int)
        hub.create("audio.volume", Schema("integer", minimum=0, maximum=10, initial=4, durability="relaxed"))
        self.assertEqual(volume.get(), 4)
        self.assertEqual(volume.add(2), 6)
        with self.assertRaises(HubError) as caught:
            volume.set(11)
        self.assertEqual((caught.exception.word, caught.exception.store), ("outOfRange", "audio.volume"))
        self.assertEqual(volume.update(lambda value: value + 1), 7)
        with self.assertRaises(HubError) as caught:
            volume.set(8, Condition(absent=True))
        self.assertEqual(caught.exception.word, "conflict")
        self.assertEqual(volume.reset(), 4)
        theme = hub.value("ui.theme", dict)
        theme.set({"name": "dusk", "size": 3})
        self.assertEqual(theme.get(), {"name": "dusk", "size": 3})
        committed = hub.transaction(Add("audio.volume", 1), Set("audio.muted", True))
        self.assertEqual([result.value for result in committed.results], [5, None])
        self.assertEqual([store.name for store in hub.list("audio.*")], ["audio.muted", "audio.volume"])
        self.assertEqual(hub.describe("audio.volume").schema.maximum, 10)
        self.assertEqual(len(hub.clients()), 1)
        self.assertEqual(hub.stats()["stores"] >= 3, True)
        volume.remove()
        with self.assertRaises(HubError) as caught:
            volume.get()
        self.assertEqual(caught.exception.word, "noSuchStore")

    def test_a_restricted_hub_stays_so(self):
        hub, volume = self.hub, self.hub.value("volume", int)
        volume.set(1)
        with self.assertRaises(HubError) as caught:
            hub.restrict("all")
        self.assertEqual(caught.exception.word, "misused")
        hub.restrict("reading")
        for _ in range(2):
            self.assertEqual(volume.get(), 1)
            with self.assertRaises(HubError) as caught:
                volume.set(2)
            self.assertEqual(caught.exception.word, "denied")
            self.real.kill()
            self.real.start()
        hub.restrict("nothing")
        with self.assertRaises(HubError) as caught:
            volume.get()
        self.assertEqual(caught.exception.word, "denied")

        async def asynchronous():
            async with aio.Hub(self.real.path, timeout=120) as other:
                await other.restrict("reading")
                with self.assertRaises(HubError) as caught:
                    await other.value("volume", int).set(2)
                self.assertEqual(caught.exception.word, "denied")

        asyncio.run(asynchronous())

    def test_a_filter_leaves_out_values_and_counts_them(self):
        volume = self.hub.value("volume", int)
        volume.set(10)
        with statehub.Hub(self.real.path, timeout=120, filter=Filter(by=5)) as filtered:
            watch = filtered.value("volume", int).events()
            self.assertEqual([next(watch).kind, next(watch).kind], ["initial", "synced"])
            for value in 12, 14, 15:
                volume.set(value)
            event = next(watch)
            self.assertEqual((event.value, event.skipped), (15, 2))
        with statehub.Hub(self.real.path, timeout=120, filter=Filter(when=(">=", 20))) as filtered:
            values = filtered.value("volume", int).values(statehub.Every())
            self.assertEqual(next(values), 15)
            for value in 16, 20, 30, 19, 18:
                volume.set(value)
            self.assertEqual([next(values), next(values)], [20, 19])
            volume.set(15)

        async def interval():
            async with aio.Hub(self.real.path, timeout=120, filter=Filter(at_most=0.05, percent=1)) as filtered:
                values = filtered.value("volume", int).values()
                self.assertEqual(await values.__anext__(), 15)
                volume.set(16)
                volume.set(17)
                start = time.monotonic()
                self.assertEqual(await values.__anext__(), 17)
                self.assertLess(time.monotonic() - start, 60)

        asyncio.run(interval())

    def test_a_watch_survives_a_killed_hub(self):
        volume = self.hub.value("volume", int)
        self.hub.create("volume", Schema("integer", durability="relaxed"))
        volume.set(1)
        watch = volume.events()
        self.assertEqual([next(watch).kind, next(watch).kind], ["initial", "synced"])
        self.real.kill()
        self.real.start()
        with statehub.Hub(self.real.path, timeout=120) as other:
            self.assertEqual(other.value("volume", int).add(5), 6)
        seen = [next(watch) for _ in range(3)]
        self.assertEqual([event.kind for event in seen], ["resumed", "changed", "synced"])
        self.assertEqual((seen[1].value, seen[1].skipped), (6, 0))

    def test_an_ephemeral_value_ends_with_its_hub(self):
        watch = self.hub.value("here", int).events()
        self.assertEqual(next(watch).kind, "synced")
        with statehub.Hub(self.real.path, timeout=120) as other:
            other.value("here", int).set(1, ephemeral=True)
            self.assertEqual(next(watch).value, 1)
        self.assertEqual(next(watch).kind, "removed")

    def after_a_crash(self, change):
        """What is left of an ephemeral 1 once the hub was killed, another program has made `change`, and the first is back."""
        here = self.hub.value("here", int)
        here.set(1, ephemeral=True)
        self.real.kill()
        self.real.start()
        with statehub.Hub(self.real.path, timeout=120) as other:
            change(other)
            self.hub.ping()
            return other.value("here", int).get()

    def test_an_ephemeral_value_is_set_again_after_a_crash(self):
        self.assertEqual(self.after_a_crash(lambda other: None), 1)

    def test_an_ephemeral_value_is_set_again_over_the_initial_value_that_it_has_left(self):
        self.hub.create("here", Schema("integer", initial=0, durability="relaxed"))
        self.assertEqual(self.after_a_crash(lambda other: self.assertEqual(other.value("here", int).get(), 0)), 1)

    def test_an_ephemeral_value_is_not_set_again_over_what_another_program_has_set(self):
        self.assertEqual(self.after_a_crash(lambda other: other.value("here", int).set(2)), 2)

    def test_writes_are_shown_before_they_are_answered(self):
        value = self.hub.value("n", int)
        value.set(0)
        watch = value.values()
        self.assertEqual(next(watch), 0)
        for number in range(1, 50):
            value.set(number)
            self.assertEqual(watch.take(), number)

    def test_an_error_of_a_programs_codec_is_its_own(self):
        self.hub.value("n", int).set(0)
        other = self.hub.watch("n")
        self.assertEqual([next(other).kind, next(other).kind], ["initial", "synced"])
        values = self.hub.value("n", Codec(lambda value: value, lambda value: value.missing, "thing")).values()
        for number, ask in enumerate((values.__next__, values.next, values.take), 1):
            with self.assertRaises(AttributeError):
                ask()
            self.hub.value("n", int).set(number)
            event = next(event for event in other if event.kind != "synced")
            self.assertEqual((event.kind, event.value, event.skipped), ("changed", number, 0))

    def test_a_watch_that_does_not_fit_into_a_frame_fails_alone(self):
        since = self.hub.clients()[0].since
        with self.assertRaises(HubError) as caught:
            next(self.hub.watch(*(f"p{number:04}{'a' * 200}" for number in range(6000))))
        self.assertEqual(caught.exception.word, "frameTooLarge")
        self.assertEqual(self.hub.clients()[0].since, since)

    def test_a_store_that_nobody_writes_is_overdue(self):
        level = self.hub.value("level", int)
        level.set(10)
        with statehub.Hub(self.real.path, timeout=120, filter=Filter(deadline=0.02)) as filtered:
            watch = (event for event in filtered.value("level", int).events() if event.kind != "synced")
            for expected in (("initial", False), ("changed", True)):
                event = next(watch)
                self.assertEqual((event.kind, event.overdue, event.value, event.skipped), (*expected, 10, 0))
            level.set(10)
            event = next(watch)
            self.assertEqual((event.overdue, event.value, event.skipped), (False, 10, 0))

    def test_a_write_is_answered_whatever_a_filter_leaves_out(self):
        with statehub.Hub(self.real.path, timeout=20, filter=Filter(by=10)) as hub:
            value = hub.value("n", int)
            value.set(100)
            watch = value.values()
            self.assertEqual(next(watch), 100)
            began = time.monotonic()
            value.set(101)
            self.assertEqual(value.add(1), 102)
            self.assertLess(time.monotonic() - began, 20)

    def test_a_write_is_answered_soon_although_a_watch_never_shows_its_store(self):
        # As where one may write a store, but not read it.
        with statehub.Hub(self.real.path, timeout=20) as hub:
            watch = hub.watch("**")
            self.assertEqual(watch.next().kind, "synced")
            hub._core.watches.see = lambda *fields: None
            began = time.monotonic()
            hub.value("hidden", int).set(1)
            self.assertLess(time.monotonic() - began, 20)

        async def play():
            async with aio.Hub(self.real.path, timeout=20) as hub:
                watch = hub.watch("none.*")
                self.assertEqual((await watch.__anext__()).kind, "synced")
                hub._core.watches.see = lambda *fields: None
                began = time.monotonic()
                await hub.value("none.hidden", int).set(1)
                self.assertLess(time.monotonic() - began, 20)
        asyncio.run(play())

    def test_asynchronously(self):
        async def follow(volume, until):
            seen = []
            async for event in volume.events():
                if event.value is not None:
                    seen.append((event.value, event.skipped))
                if event.value == until:
                    return seen

        async def play():
            async with aio.Hub(self.real.path, timeout=120) as hub:
                volume = hub.value("volume", int)
                await volume.set(0)
                readers = [asyncio.ensure_future(follow(volume, 50)) for _ in range(3)]
                await asyncio.gather(*(volume.update(lambda value: value + 1) for _ in range(50)))
                for seen in await asyncio.gather(*readers):
                    self.assertEqual(seen[-1][0], 50)
                    self.assertEqual(seen[0][0] + sum(1 + skipped for _, skipped in seen[1:]), 50)
        asyncio.run(play())

    def test_a_task_that_stops_waiting_misses_nothing(self):
        async def play():
            async with aio.Hub(self.real.path, timeout=120) as hub:
                volume = hub.value("volume", int)
                await volume.set(0)
                watch = volume.values()
                self.assertEqual(await watch.__anext__(), 0)
                with self.assertRaises(asyncio.TimeoutError):
                    await asyncio.wait_for(watch.__anext__(), 0.02)
                await volume.set(1)
                self.assertEqual(await watch.__anext__(), 1)
                waiting = asyncio.ensure_future(watch.__anext__())
                await asyncio.sleep(0)
                watch.close()
                with self.assertRaises(StopAsyncIteration):
                    await waiting
        asyncio.run(play())

    def test_a_task_may_write_and_close_while_it_is_told(self):
        async def play():
            async with aio.Hub(self.real.path, timeout=120) as hub:
                volume = hub.value("volume", int)
                await volume.set(0)
                async for value in volume.values():
                    if value == 20:
                        hub.close()
                        break
                    await volume.set(value + 1)
        asyncio.run(play())

    def test_a_request_without_hub_says_why(self):
        self.real.kill()
        with statehub.Hub(self.real.path, timeout=0.3) as hub:
            began = time.monotonic()
            with self.assertRaises(HubError) as caught:
                hub.ping()
            self.assertEqual(caught.exception.word, "noHub")
            self.assertLess(time.monotonic() - began, 10)

    def test_a_hub_for_tests_is_not_the_service_in_which_the_test_runs(self):
        service = {
            "CONFIGURATION_DIRECTORY": "relative", "STATE_DIRECTORY": "relative", "RUNTIME_DIRECTORY": "/nowhere",
            "LISTEN_PID": str(os.getpid()), "LISTEN_FDS": "1", "WATCHDOG_USEC": "1000", "STATEHUB_SOCKET": "/nowhere"}
        with mock.patch.dict(os.environ, service), RunningHub() as running, statehub.Hub(running.path, timeout=120) as hub:
            hub.ping()

    def test_a_hub_for_tests_survives_a_forked_child_that_ends_as_programs_do(self):
        with RunningHub() as running:
            child = os.fork()
            if child == 0:
                try:
                    running.close()
                    atexit._run_exitfuncs()
                finally:
                    os._exit(0)
            os.waitpid(child, 0)
            with statehub.Hub(running.path, timeout=120) as hub:
                hub.ping()

    def test_a_hub_for_tests_ends_with_a_program_that_does_not_close_it(self):
        program = "from statehub.testing import RunningHub; hub = RunningHub(); print(hub.process.pid, hub.path)"
        shown = subprocess.run([sys.executable, "-c", program], stdout=subprocess.PIPE, env={
            **os.environ, "PYTHONPATH": str(pathlib.Path(statehub.__file__).parents[1])}).stdout.split()
        self.assertFalse(os.path.exists(os.path.dirname(shown[1])))
        with self.assertRaises(ProcessLookupError):
            os.kill(int(shown[0]), 0)

    def test_a_hub_for_tests_is_gone_afterwards(self):
        with RunningHub() as running, statehub.Hub(running.path, timeout=120) as hub:
            hub.value("n", int).set(1)
        self.assertFalse(os.path.exists(running.path))
        with self.assertRaises(HubError) as caught:
            RunningHub(program="/bin/false")
        self.assertEqual(caught.exception.word, "noHub")


if __name__ == "__main__":
    unittest.main()
