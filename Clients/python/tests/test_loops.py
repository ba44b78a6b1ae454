"""The asynchronous client in its event loops: several of them, closed and interrupted ones, tasks, a real hub."""

import asyncio
import os
import pathlib
import signal
import sys
import threading
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

from test_habitats import Habitat, HubError, in_child  # noqa: E402
from statehub import aio  # noqa: E402


class LoopTests(Habitat):
    def test_a_second_loop_is_refused_at_once_while_the_first_one_is_open(self):
        hub, first, second = aio.Hub(self.real.path, timeout=120), asyncio.new_event_loop(), asyncio.new_event_loop()
        value = hub.value("n", int)
        self.assertEqual(first.run_until_complete(value.get()), 0)

        async def play():
            words = []
            for work in (value.get, hub.ping, hub.list, value.values().__anext__):
                try:
                    await work()
                except HubError as error:
                    words.append(error.word)
            return words
        self.assertEqual(second.run_until_complete(play()), ["misused"] * 4)
        self.assertEqual(first.run_until_complete(value.get()), 0)
        hub.close()
        first.close()
        second.close()

    def test_a_hub_begins_again_on_the_next_loop_once_the_first_was_closed(self):
        hub = aio.Hub(self.real.path, timeout=120)
        value = hub.value("n", int)
        watch = value.values()

        async def begin():
            await value.set(3)
            return await watch.__anext__()

        async def end():
            with self.assertRaises(HubError) as caught:
                await watch.__anext__()
            return caught.exception.word, await value.get()
        self.assertEqual(asyncio.run(begin()), 3)
        self.assertEqual(asyncio.run(end()), ("closed", 3))
        hub.close()

    def test_a_hub_and_an_iteration_are_closed_after_a_loop_that_tasks_have_waited_in(self):
        loop = asyncio.new_event_loop()
        hub = aio.Hub(self.real.path, timeout=120)
        watch = hub.value("n", int).values()

        async def follow(watch):
            async for _ in watch:
                pass
        loop.run_until_complete(hub.value("here", int).set(1, ephemeral=True))
        tasks = [loop.create_task(follow(each)) for each in (watch, hub.watch("n"), hub.watch("**"))]
        self.until(lambda: loop.run_until_complete(asyncio.sleep(0)) or self.connections()[-1] == 3)
        os.kill(self.real.process.pid, signal.SIGSTOP)
        try:
            tasks += [loop.create_task(hub.ping()) for _ in range(2)]
            loop.run_until_complete(asyncio.sleep(0))
            loop.close()
            watch.close()
            hub.close()
        finally:
            os.kill(self.real.process.pid, signal.SIGCONT)
        self.until(lambda: not self.monitor.list("here"))
        for task in tasks:
            task._log_destroy_pending = False

    def test_a_hub_that_was_closed_stays_closed_on_the_next_loop_and_in_a_child(self):
        hub = aio.Hub(self.real.path, timeout=120)
        asyncio.run(hub.ping())
        hub.close()
        with self.assertRaises(HubError) as caught:
            asyncio.run(hub.ping())
        self.assertEqual(caught.exception.word, "closed")
        other = self.other()
        other.close()
        self.assertEqual(in_child(other.ping), "'closed'")

    def test_of_loops_of_several_threads_one_gets_the_hub_and_the_others_are_refused_at_once(self):
        hub, began = aio.Hub(self.real.path, timeout=120), threading.Event()
        asyncio.run(hub.ping())
        begin_again = hub._begin_again

        def slowly(reason):
            # The other thread gets here meanwhile, unless only one may.
            if not began.is_set():
                began.set()
                self.turns.wait(0.2)
            begin_again(reason)
            self.turns.set()
        hub._begin_again, self.turns, outcomes = slowly, threading.Event(), []

        async def play():
            try:
                outcomes.append(await hub.value("n", int).add(1) and "done")
                leaves.wait(120)
            except HubError as error:
                outcomes.append(error.word)
                leaves.set()
        leaves = threading.Event()
        threads = [threading.Thread(target=lambda: asyncio.run(play())) for _ in range(2)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(120)
        self.assertEqual(sorted(outcomes), ["done", "misused"])
        hub.close()

    def test_an_exception_out_of_the_middle_of_what_was_read_is_told_by_a_reset(self):
        async def play():
            async with aio.Hub(self.real.path, timeout=120) as hub:
                asyncio.get_running_loop().set_exception_handler(lambda *_: None)
                watch = hub.value("n", int).events().open()
                seen = [(await watch.__anext__()).kind for _ in range(2)]
                see, times = hub._core.watches.see, []

                def interrupted(*fields):
                    # As a signal handler's exception does, after the event was counted and before it is shown.
                    times.append(fields)
                    if len(times) == 1:
                        raise ArithmeticError
                    see(*fields)
                hub._core.watches.see = interrupted
                self.value.set(1)
                seen += [(await asyncio.wait_for(watch.__anext__(), 120)).kind for _ in range(3)]
                self.assertEqual(seen, ["initial", "synced", "reset", "initial", "synced"])
                self.assertEqual(await hub.value("n", int).get(), 1)
        asyncio.run(play())

    def test_a_task_that_ends_the_loop_keeps_no_other_one_from_its_event(self):
        loop, seen = asyncio.new_event_loop(), []
        hub = aio.Hub(self.real.path, timeout=120)

        async def follow(number):
            async for value in hub.value("n", int).values():
                seen.append((number, value))
                if number == 0 and value == 1:
                    raise SystemExit

        async def until(count):
            while len(seen) < count:
                await asyncio.sleep(0.001)
        tasks = [loop.create_task(follow(number)) for number in range(3)]
        loop.run_until_complete(until(3))
        self.value.set(1)
        with self.assertRaises(SystemExit):
            loop.run_until_complete(until(6))
        loop.run_until_complete(asyncio.wait_for(until(6), 20))
        self.assertEqual(sorted(seen[3:]), [(0, 1), (1, 1), (2, 1)])
        for task in tasks:
            task.cancel()
        loop.run_until_complete(asyncio.gather(*tasks, return_exceptions=True))
        hub.close()
        loop.close()

    def test_a_call_that_is_cancelled_is_over_at_once_and_disturbs_no_other(self):
        async def play():
            async with aio.Hub(self.real.path, timeout=120) as hub:
                await hub.ping()
                os.kill(self.real.process.pid, signal.SIGSTOP)
                try:
                    calls = [asyncio.ensure_future(hub.value("n", int).add(1)) for _ in range(3)]
                    await asyncio.sleep(0)
                    calls[1].cancel()
                    with self.assertRaises(asyncio.CancelledError):
                        await calls[1]
                finally:
                    os.kill(self.real.process.pid, signal.SIGCONT)
                # It had been sent, and was carried out.
                self.assertEqual([await calls[0], await calls[2]], [1, 3])
        asyncio.run(play())

    def test_a_second_task_on_one_iteration_is_refused_and_the_first_one_continues(self):
        async def play():
            async with aio.Hub(self.real.path, timeout=120) as hub:
                watch = hub.value("n", int).values()
                self.assertEqual(await watch.__anext__(), 0)
                first = asyncio.ensure_future(watch.__anext__())
                await asyncio.sleep(0)
                with self.assertRaises(HubError) as caught:
                    await watch.__anext__()
                self.assertEqual(caught.exception.word, "misused")
                await hub.value("n", int).set(1)
                self.assertEqual(await first, 1)
        asyncio.run(play())


if __name__ == "__main__":
    unittest.main()
