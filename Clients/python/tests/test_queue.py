"""The queue between a watch and its reader: what it keeps, what it counts, what it promises."""

import pathlib
import random
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "src"))

from statehub import Every, Latest  # noqa: E402
from statehub.events import Event  # noqa: E402
from statehub.queue import EventQueue  # noqa: E402


def changed(name, revision, version, skipped=0, kind="changed"):
    return Event(kind, name, version, revision, "e", version, skipped, is_last=True)


def drained(queue):
    events = []
    while len(queue):
        events.append(queue.pop())
    return events


class QueueTests(unittest.TestCase):
    def test_latest_keeps_the_newest_and_counts_the_others(self):
        queue = EventQueue(Latest(), True)
        for version in range(1, 11):
            queue.push(changed("a", version, version))
        only, = drained(queue)
        self.assertEqual((only.version, only.skipped), (10, 9))

    def test_a_silence_is_no_change(self):
        def marked(version, overdue):
            return Event("changed", "a", version, version, "e", version, 0, is_repeat=True, overdue=overdue)

        queue = EventQueue(Latest(), True)
        for event in changed("a", 3, 3, skipped=1), marked(3, True), marked(3, False), marked(3, True):
            queue.push(event)
        event, = drained(queue)
        self.assertEqual((event.version, event.skipped, event.overdue), (3, 1, True))
        for event in marked(3, False), changed("a", 4, 4), marked(4, True), changed("a", 5, 5):
            queue.push(event)
        event, = drained(queue)
        self.assertEqual((event.version, event.skipped, event.overdue), (5, 1, False))

    def test_every_keeps_up_to_its_limit(self):
        queue = EventQueue(Every(3), True)
        for version in range(1, 11):
            queue.push(changed("a", version, version))
        self.assertEqual([(event.version, event.skipped) for event in drained(queue)], [(8, 7), (9, 0), (10, 0)])

    def test_a_promise_of_one_store_moves_behind_the_newer_change(self):
        queue = EventQueue(Latest(), True)
        queue.push(changed("a", 1, 1, kind="initial"))
        queue.push(Event("synced", "", None, 5, "e"))
        queue.push(changed("a", 7, 2))
        self.assertEqual([(event.kind, event.revision) for event in drained(queue)], [("initial", 7), ("synced", 7)])

    def test_a_reset_drops_what_waits_and_counts_on(self):
        queue = EventQueue(Latest(), True)
        queue.push(changed("a", 5, 5, skipped=1))
        queue.push(Event("reset", "", None, 9, "e"))
        queue.push(changed("a", 8, 8, skipped=None, kind="initial"))
        queue.push(Event("synced", "", None, 9, "e"))
        reset, initial, synced = drained(queue)
        # Version 3 was delivered last: 4, 5, 6 and 7 were not. The view does not know it, the queue must not guess.
        self.assertEqual((reset.kind, initial.skipped, synced.kind), ("reset", None, "synced"))

    def test_at_every_synced_the_reader_has_a_state_that_existed(self):
        for seed in range(200):
            self.play(random.Random(seed))

    def play(self, chance):
        queue = EventQueue(chance.choice([Latest(), Latest(2), Every(4)]), False)
        truth, states, view, versions = {}, {}, {}, dict.fromkeys("abc", 0)
        shown = dict.fromkeys("abc", 0)
        revision = 0
        for _ in range(60):
            for name in chance.sample("abc", chance.randint(1, 3)):
                revision += 1
                versions[name] += 1
                truth[name] = versions[name]
                queue.push(changed(name, revision, versions[name]))
            queue.push(Event("synced", "", None, revision, "e"))
            states[revision] = dict(truth)
            for _ in range(chance.randint(0, 3)):
                self.read(queue, view, states, shown)
        while len(queue):
            self.read(queue, view, states, shown)
        self.assertEqual(view, truth)

    def read(self, queue, view, states, shown):
        if not len(queue):
            return
        event = queue.pop()
        if event.name:
            shown[event.name] += 1 + event.skipped
            self.assertEqual(shown[event.name], event.version)
            view[event.name] = event.version
        else:
            self.assertEqual(view, states[event.revision])


if __name__ == "__main__":
    unittest.main()
