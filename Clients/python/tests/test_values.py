"""What a program may give as values, names and times, and that everything else is a `HubError` which says so."""

import datetime
import enum
import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "src"))

from statehub import (  # noqa: E402
    Add, Codec, Condition, Create, Filter, Hub, HubError, Json, Remove, Reset, Schema, Set, Toggle, aio, requests, values)

try:
    import numpy
except ImportError:
    numpy = None

HALF = "\ud800"
HUGE, LONGER = 10 ** 400, 10 ** 6000


class Level(enum.IntEnum):
    high = 3


class Mode(str, enum.Enum):
    on = "on"


class Text(str):
    pass


class Ratio(float):
    pass


class Pair:
    shape, item = (), None


class ValueTests(unittest.TestCase):
    def setUp(self):
        # Nothing is sent: what is wrong is found before.
        self.hub = Hub("/run/statehub-missing/hub.sock", timeout=0)

    def held(self, kind, value):
        """What a handle of that type makes of it."""
        held = self.hub.value("a", kind).setting(value).value
        self.assertEqual(values.decode(values.encode(held), 0, len(values.encode(held)))[0], held)
        return type(held), held

    def test_a_subclass_is_held_as_its_base(self):
        for kind in (int, object):
            self.assertEqual(self.held(kind, Level.high), (int, 3))
        for kind in (str, object):
            self.assertEqual(self.held(kind, Mode.on), (str, "on"))
            self.assertEqual(self.held(kind, Text("x")), (str, "x"))
            self.assertEqual(self.held(kind, pathlib.Path("/tmp")), (str, "/tmp"))
        for kind in (float, object):
            self.assertEqual(self.held(kind, Ratio(0.5)), (float, 0.5))
        for kind in (bytes, object):
            self.assertEqual(self.held(kind, bytearray(b"x")), (bytes, b"x"))
            self.assertEqual(self.held(kind, memoryview(b"x")), (bytes, b"x"))
        self.assertEqual(self.held(float, Level.high), (float, 3.0))
        self.assertEqual(self.held(object, Json("{}")), (Json, Json("{}")))

    @unittest.skipIf(numpy is None, "numpy is missing")
    def test_a_number_of_numpy_is_held_as_pythons(self):
        for number in (numpy.int8(3), numpy.int64(3), numpy.uint16(3), numpy.array(3)):
            self.assertEqual(self.held(int, number), (int, 3))
        for number in (numpy.float32(0.5), numpy.float64(0.5)):
            self.assertEqual(self.held(float, number), (float, 0.5))
        self.assertEqual(self.held(bool, numpy.bool_(True)), (bool, True))
        self.assertEqual(self.held(str, numpy.str_("x")), (str, "x"))
        self.refused("invalidValue", lambda: self.held(int, numpy.array([1, 2])))
        self.refused("invalidValue", lambda: self.held(int, numpy.datetime64("2026-01-01")))

    def refused(self, word, act):
        with self.assertRaises(HubError) as caught:
            act()
        self.assertEqual(caught.exception.word, word)
        # Whatever the message holds can be printed.
        self.assertTrue(str(caught.exception).encode())

    def test_a_type_is_not_another_one(self):
        for kind, value in (
                (int, True), (int, 1.0), (int, "1"), (bool, 1), (float, True), (float, "1"), (str, b"x"), (str, 1),
                (str, Json("{}")), (Json, "{}"), (bytes, "x"), (dict, []), (dict, {1, 2}), (object, None), (object, {}),
                (object, Pair())):
            if kind is not dict or value != []:
                self.refused("invalidValue", lambda: self.held(kind, value))

    def test_what_no_store_can_hold(self):
        nested = []
        for _ in range(100000):
            nested = [nested]
        for kind in (int, object):
            for value in (2 ** 63, -(2 ** 63) - 1, HUGE, LONGER):
                self.refused("invalidValue", lambda: values.encode(self.hub.value("a", kind).setting(value).value))
        for value in (HUGE, LONGER, float("nan"), float("inf"), float("-inf")):
            self.refused("invalidValue", lambda: values.encode(self.hub.value("a", float).setting(value).value))
        self.refused("invalidValue", lambda: self.hub.value("a", str).set(HALF))
        self.refused("invalidValue", lambda: self.hub.value("a", dict).set({"a": float("nan")}))
        self.refused("invalidValue", lambda: self.hub.value("a", dict).set({"a": HALF}))
        self.refused("invalidValue", lambda: self.hub.value("a", list).set(nested))
        self.refused("undecodable", lambda: self.hub.value("a", list)._codec.decode(Json("[" * 100000), "a"))
        self.refused("undecodable", lambda: Codec(str, lambda value: {}[value], "thing").decode("x", "a"))
        for kind in (complex, None, [], {}, HALF):
            self.refused("invalidValue", lambda: self.hub.value("a", kind))

    def test_times_to_live(self):
        value = self.hub.value("a", int)
        for ttl in (0, -1, -0.001, float("nan"), float("inf"), 1e300, HUGE, "1", datetime.timedelta(1), 1j):
            self.refused("invalidValue", lambda: value.set(1, ttl=ttl))
        for ttl, milliseconds in ((1, 1000), (0.0001, 1), (1.0005, 1001), (2 ** 40, 1000 * 2 ** 40)):
            self.assertEqual(value.setting(1, ttl=ttl).ttl, milliseconds)
        for ttl in (-1, 2 ** 64, 0.5, "1", HUGE):
            self.refused("invalidValue", lambda: requests.write(Set("a", 1, ttl=ttl)))

    def test_filters(self):
        for odd in ("x", b"1", [], {}, 1j, HUGE, -HUGE, float("nan"), float("inf"), 0, -1, datetime.timedelta(1)):
            for part in ("at_most", "by", "percent", "deadline"):
                self.refused("invalidValue", lambda: Filter(**{part: odd}))
        for odd in ("=", "", (), ("=", 1), ("==",), (">",), (">", 1, 2), ("<", True), ("<=", Json("1")), ("present", 1), ("==", HUGE),
                    (">", float("nan")), ("==", "x" * 1100), ("==",) + (1,) * 256, (1, 2), [">", 1]):
            self.refused("invalidValue", lambda: Filter(when=odd))

    def test_names(self):
        odd = ("", " ", "a b", "a..b", HALF, "ü", "a\0", "x" * 256, "a\n", None, 1.5, b"a", True, ["a"], ())
        for name in odd:
            for write in (Set(name, 1), Add(name, 1), Toggle(name), Reset(name), Remove(name), Create(name, Schema("integer"))):
                self.refused("invalidName", lambda: self.hub.write(write))
                self.refused("invalidName", lambda: self.hub.transaction(write))
            for act in (
                    lambda: self.hub.value(name, int).get(), lambda: self.hub.describe(name),
                    lambda: self.hub.value(name).values(), lambda: self.hub.value(name).events(),
                    lambda: self.hub.create(name, Schema("integer"))):
                self.refused("invalidName", act)
            for act in (lambda: self.hub.watch(name), lambda: self.hub.list(name), lambda: aio.Hub("/x").watch(name)):
                self.refused("invalidPattern", act)
        for number in (-1, 2 ** 64, LONGER):
            self.refused("invalidValue", lambda: self.hub.describe(number))

    def test_conditions_and_schemas(self):
        for revision in (-1, 2 ** 64, 0.5, "1", LONGER):
            self.refused("invalidValue", lambda: self.hub.write(Set("a", 1, Condition(revision=revision))))
        for epoch in ("", "x" * 32, "0" * 31, 5, HALF):
            self.refused("malformed", lambda: self.hub.write(Set("a", 1, Condition(revision=1, epoch=epoch))))
        self.refused("invalidValue", lambda: self.hub.write(Set("a", 1, Condition(value=HUGE))))
        # The hub ignores these conditions, so the write would be made in any case.
        for write in (
                Remove("a", Condition(value=7)), Remove("a", Condition(absent=True)), Remove("a", Condition(revision=1, value=7)),
                Remove("a", Condition(epoch="0" * 32)), Set("a", 1, Condition(epoch="0" * 32, value=7))):
            self.refused("misused", lambda: self.hub.write(write))
            self.refused("misused", lambda: self.hub.transaction(Set("b", 1), write))
        for schema in (
                Schema("number"), Schema([]), Schema("integer", durability=[]), Schema("integer", description=5), Schema("integer", durability="kept"), Schema("string", max_bytes=-1),
                Schema("string", max_bytes=2 ** 32), Schema("string", max_bytes=0.5), Schema("integer", choices=[1] * 65536),
                Schema("integer", description="x" * 65536)):
            self.refused("invalidSchema", lambda: self.hub.create("a", schema))
        for schema in (
                Schema("integer", minimum=HUGE), Schema("integer", choices=[HUGE]), Schema("string", initial=HALF),
                Schema("integer", description=HALF)):
            self.refused("invalidValue", lambda: self.hub.create("a", schema))
        self.assertEqual(Schema("integer", choices=[1, 2]), Schema("integer", choices=(1, 2)))

    def test_only_a_condition_that_cannot_hold_twice_lets_a_write_be_repeated(self):
        known = Condition(revision=5, epoch="0" * 32)
        for condition in (known, Condition(revision=5), Condition(revision=5, value=1)):
            self.assertTrue(requests.write(Set("a", 1, condition)).is_repeatable)
        for condition in (
                Condition(), Condition(value=0), Condition(absent=True), Condition(revision=0), Condition(absent=True, value=0)):
            self.assertFalse(requests.write(Set("a", 1, condition)).is_repeatable)
            self.assertFalse(requests.transaction([Set("b", 1, known), Set("a", 1, condition)]).is_repeatable)
        self.assertTrue(requests.transaction([Set("b", 1, known), Remove("a", known)]).is_repeatable)

    def test_options_are_true_or_false_whatever_they_are(self):
        yes = requests.write(Set("a", 1, Condition(absent=True), ephemeral=True, force=True))
        for truth in (2, -1, HUGE, "x", [0]):
            write = requests.write(Set("a", 1, Condition(absent=truth), ephemeral=truth, force=truth))
            self.assertEqual((write.flags, write.payload), (yes.flags, yes.payload))
            self.assertEqual(requests.write(Add("a", 1, truth)).flags, 1)
            self.assertEqual(requests.write(Create("a", Schema("integer"), truth)).flags, 8)

    def test_what_is_not_what_it_has_to_be_is_refused_before_the_hub_is_asked(self):
        for odd in (None, 5, "x", [], HALF):
            self.refused("misused", lambda: self.hub.transaction(odd))
            self.refused("misused", lambda: self.hub.write(odd))
            self.refused("misused", lambda: self.hub.value("a", int).set(1, odd))
            self.refused("invalidSchema", lambda: self.hub.create("a", odd))
            if odd:
                self.refused("misused", lambda: self.hub.watch("a", policy=odd))
            if not isinstance(odd, str) and odd is not None:
                self.refused("misused", lambda: Hub("/x", name=odd))
        for count in (0, 65536):
            self.refused("invalidPattern", lambda: self.hub.watch(*["a"] * count))
        for timeout in (-1, float("nan"), None, "1"):
            for kind in (Hub, aio.Hub):
                self.refused("invalidValue", lambda: kind("/x", timeout=timeout))
        # One that was set later counts as none.
        for timeout in (-1, float("nan")):
            self.hub.timeout = timeout
            self.refused("noHub", self.hub.ping)
            self.assertIsNone(self.hub.watch("a").next(timeout))

    def test_a_hubs_path_and_name(self):
        self.assertIn("missing", repr(Hub(pathlib.Path("/run/statehub-missing/hub.sock"))))
        self.assertEqual(requests.hello("a" + HALF).payload[16:], b"\x02a?")
        for path in ("x" * 200, "a\0b"):
            self.refused("noHub", Hub(path, timeout=120).ping)

    def test_what_there_is_can_be_shown(self):
        value = self.hub.value("a", int)
        for shown in (self.hub, value, value.values(), aio.Hub("/x"), aio.Hub("/x").value("a", int)):
            self.assertRegex(repr(shown), "^<statehub[.].*>$")


if __name__ == "__main__":
    unittest.main()
