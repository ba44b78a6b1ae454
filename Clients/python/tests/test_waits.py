"""Writes that wait for this process's own watches, and many watches: which are asked, and what that costs."""

import pathlib
import sys
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "src"))

from statehub import Latest  # noqa: E402
from statehub.call import Call  # noqa: E402
from statehub.held import HeldWrites  # noqa: E402
from statehub.output import Output  # noqa: E402
from statehub.stream import Stream  # noqa: E402
from statehub.watches import Watches  # noqa: E402


class WaitTests(unittest.TestCase):
    def setUp(self):
        self.held, self.call = HeldWrites(), Call()

    def streams(self, count):
        return [Stream(("a",), Latest(), False) for _ in range(count)]

    def test_a_write_waits_for_each_stream_to_show_it_or_something_later(self):
        one, other = self.streams(2)
        self.held.hold(self.call, "answer", 5, [(one, 1, 10), (other, 1, 10)], 0)
        self.held.see(one, 1, 9)
        self.held.see(one, 2, 10)
        self.held.see(one, 1, 11)
        self.held.see(one, 1, 12)
        self.assertFalse(self.call.is_due)
        self.held.see(other, 1, 10)
        self.assertTrue(self.call.is_due)
        self.assertEqual(len(self.held.writes), 0)

    def test_a_stream_that_ends_is_not_waited_for(self):
        one, other = self.streams(2)
        self.held.hold(self.call, "answer", 5, [(one, 1, 10), (other, 1, 10)], 0)
        self.held.drop(one)
        other.is_open = True
        self.held.synced(9)
        self.assertFalse(self.call.is_due)
        self.held.synced(10)
        self.assertTrue(self.call.is_due)

    def test_a_time_that_is_over_answers_only_its_own_write(self):
        stream, = self.streams(1)
        later = Call()
        self.held.hold(self.call, "answer", 5, [(stream, 1, 10)], 0)
        self.held.hold(later, "answer", 6, [(stream, 1, 11)], 0)
        self.held.expire(5)
        self.assertEqual((self.call.is_due, later.is_due), (True, False))
        self.held.see(stream, 1, 11)
        self.assertTrue(later.is_due)

    def complete(self, stream, *stores):
        stream.is_open = stream.view.is_synced = True
        stream.view.stores = dict.fromkeys(stores)

    def test_a_complete_stream_that_does_not_have_the_store_is_waited_for_only_for_a_moment(self):
        one, other = self.streams(2)
        self.held.hold(self.call, "answer", 5, [(one, 1, 10), (other, 1, 10)], 0)
        self.complete(one)
        self.assertLess(self.held.deadline, 1)
        self.held.expire(self.held.deadline)
        self.assertFalse(self.call.is_due)
        self.complete(other)
        self.assertLess(self.held.deadline, 1)
        self.held.expire(self.held.deadline)
        self.assertTrue(self.call.is_due)
        self.assertEqual(self.held.deadline, float("inf"))

    def test_a_stream_that_has_the_store_is_waited_for(self):
        stream, = self.streams(1)
        self.held.hold(self.call, "answer", 5, [(stream, 1, 10)], 0)
        self.complete(stream, 1)
        for _ in range(90):
            self.held.expire(self.held.deadline)
        self.assertFalse(self.call.is_due)
        self.held.see(stream, 1, 10)
        self.assertTrue(self.call.is_due)

    def test_what_is_left_of_an_expired_write_disturbs_no_other(self):
        one, other = self.streams(2)
        later = Call()
        self.held.hold(self.call, "answer", 5, [(one, 1, 10), (other, 1, 10)], 0)
        self.held.hold(later, "answer", 6, [(one, 1, 10)], 0)
        self.held.expire(5)
        one.is_open = other.is_open = True
        self.held.synced(10)
        self.assertTrue(later.is_due)

    def taken(self, count):
        """The processor time of a write that `count` streams show, the best of three."""
        best = float("inf")
        for _ in range(3):
            streams = self.streams(count)
            began = time.process_time()
            self.held.hold(Call(), "answer", 5, [(stream, 1, 10) for stream in streams], 0)
            for stream in streams:
                self.held.see(stream, 1, 10)
            best = min(best, time.process_time() - began)
        return best

    def test_a_write_that_many_streams_show_is_not_compared_with_each_for_each(self):
        # Eight times the streams took 64 times as long.
        self.assertLess(self.taken(4000), 24 * self.taken(500))

    def followed(self, count):
        """The processor time of so many watches, each of a store of its own: opened, shown a change, and closed."""
        best = float("inf")
        for _ in range(3):
            watches, began = Watches(Output()), time.process_time()
            watches.welcomed("e")
            streams = [Stream((f"a{number}",), Latest(), False) for number in range(count)]
            for stream in streams:
                watches.add(stream)
                stream.is_open = True
            for number in range(count):
                watches.see(number, f"a{number}", 1, number + 1, 5, 0, 0, False)
                watches.see(number, None, 2, count + number + 1, 6, 0, 0, False)
            self.assertEqual({stream.take().value for stream in streams}, {6})
            for stream in streams:
                watches.remove(stream)
            best = min(best, time.process_time() - began)
        return best

    def test_many_watches_are_not_tried_for_each_store(self):
        # Eight times the watches took 64 times as long.
        self.assertLess(self.followed(4000), 24 * self.followed(500))

    def test_a_store_that_was_made_again_is_followed_whatever_is_told_of_the_first_one(self):
        watches, stream = Watches(Output()), Stream(("a",), Latest(9), False)
        watches.welcomed("e")
        watches.add(stream)
        stream.is_open = True
        watches.see(1, "a", 1, 1, 5, 0, 0, False)
        watches.see(2, "a", 1, 3, 6, 0, 0, False)
        watches.removed(1, "a", 2, 2, 0, 0, False)
        watches.see(2, None, 2, 4, 7, 0, 0, False)
        values = []
        while stream.is_due:
            values.append(stream.take().value)
        self.assertEqual(values[-1], 7)


if __name__ == "__main__":
    unittest.main()
