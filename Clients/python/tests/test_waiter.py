"""What a task of asyncio awaits: resumed at once or in the next round, cancelled, used again, in its own context."""

import asyncio
import contextvars
import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "src"))

from statehub.waiter import Waiter  # noqa: E402

whose = contextvars.ContextVar("whose", default="nobody's")


class WaiterTests(unittest.IsolatedAsyncioTestCase):
    async def asyncSetUp(self):
        self.waiter = Waiter(asyncio.get_running_loop())
        self.seen = []

    async def wait(self, rounds=1):
        whose.set("the task's")
        for number in range(rounds):
            try:
                await self.waiter
                self.seen.append((number, whose.get()))
            except asyncio.CancelledError:
                self.seen.append("cancelled")
                raise

    async def begin(self, rounds=1):
        task = asyncio.ensure_future(self.wait(rounds))
        await asyncio.sleep(0)
        return task

    async def in_a_callback(self, work):
        """Does it as the loop does what a socket has to say: within no task."""
        done = asyncio.get_running_loop().create_future()
        asyncio.get_running_loop().call_soon(lambda: done.set_result(work()))
        return await done

    async def test_a_task_goes_on_within_wake_in_its_own_context(self):
        task = await self.begin(rounds=2)

        def wake_and_look():
            self.waiter.wake()
            return list(self.seen)
        self.assertEqual(await self.in_a_callback(wake_and_look), [(0, "the task's")])
        self.assertEqual(await self.in_a_callback(wake_and_look), [(0, "the task's"), (1, "the task's")])
        await task

    async def test_from_another_task_it_goes_on_in_the_next_round(self):
        task = await self.begin()
        self.waiter.wake_soon()
        self.assertEqual(self.seen, [])
        await task
        self.assertEqual(self.seen, [(0, "the task's")])

    async def test_nobody_waits(self):
        await self.in_a_callback(self.waiter.wake)
        self.waiter.wake_soon()
        task = await self.begin()
        self.assertEqual(self.seen, [])
        await self.in_a_callback(self.waiter.wake)
        await task

    async def test_a_cancelled_task_ends_and_the_next_one_waits_anew(self):
        task = await self.begin()
        task.cancel()
        with self.assertRaises(asyncio.CancelledError):
            await task
        self.assertEqual(self.seen, ["cancelled"])
        task = await self.begin()
        await asyncio.sleep(0)
        self.assertEqual(self.seen, ["cancelled"])
        await self.in_a_callback(self.waiter.wake)
        await task
        self.assertEqual(self.seen, ["cancelled", (0, "the task's")])

    async def test_woken_and_cancelled_in_one_round_is_cancelled(self):
        for first, second in (("wake_soon", "cancel"), ("cancel", "wake_soon")):
            self.seen.clear()
            task = await self.begin()
            for act in (first, second):
                (task.cancel if act == "cancel" else self.waiter.wake_soon)()
            with self.assertRaises(asyncio.CancelledError):
                await task
            self.assertEqual(self.seen, ["cancelled"])

    async def test_a_time_limit(self):
        with self.assertRaises(asyncio.TimeoutError):
            await asyncio.wait_for(self.wait(), 0.01)
        self.assertEqual(self.seen, ["cancelled"])


if __name__ == "__main__":
    unittest.main()
