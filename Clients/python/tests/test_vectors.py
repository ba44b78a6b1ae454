"""The client's readers and writers against docs/vectors. What a whole client does is Tools/conformance's business."""

import json
import pathlib
import struct
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "src"))

from statehub import Filter, HubError, names, replies, requests, values  # noqa: E402
from statehub.core import Core, Link  # noqa: E402
from statehub.reading import Reader  # noqa: E402
from statehub.schemas import Schema  # noqa: E402


def vectors(name):
    return json.loads((ROOT / "docs" / "vectors" / f"{name}.json").read_text())


def welcomed():
    """A core behind its welcome."""
    core = Core("test", "silence")
    core.link = Link.CONNECTING
    core.connected(0)
    welcome = next(each for each in vectors("messages")["messages"] if each["kind"] == "welcome")
    core.feed(bytes.fromhex(welcome["hex"]))
    assert core.receive(0) and core.link is Link.READY
    return core


class VectorTests(unittest.TestCase):
    def test_names_and_patterns(self):
        found = vectors("names")
        for text in found["names"]:
            self.assertTrue(names.is_name(text), text)
        for text in found["patterns"]:
            self.assertTrue(names.is_pattern(text), text)
        for key, accepts in (("noNames", names.is_name), ("noPatterns", names.is_pattern)):
            for case in found[key]:
                text = bytes.fromhex(case["hex"]).decode("utf-8", "surrogateescape")
                self.assertFalse(accepts(text), case["about"])
        for case in found["matches"]:
            self.assertEqual(names.matcher(case["pattern"])(case["name"]), case["matches"], case)

    def test_values(self):
        found = vectors("values")
        for case in found["values"]:
            content = bytes.fromhex(case["bytes"])
            value, end = values.decode(content, 0, len(content))
            self.assertEqual(end, len(content))
            self.assertEqual(values.encode(value), content)
        for case in found["noValues"]:
            if case["error"] == "malformed":
                content = bytes.fromhex(case["hex"])
                with self.assertRaises(ValueError, msg=case["about"]):
                    Reader(content, 0, len(content)).value()
        for case in found["equality"]:
            one, other = (values.decode(bytes.fromhex(case[key]), 0, len(case[key]) // 2)[0] for key in "ab")
            self.assertEqual(values.are_equal(one, other), case["equal"], case)

    def test_filters(self):
        messages = {case["name"]: case for case in vectors("messages")["messages"]}
        for name, expected in (
            ("watch-interval", Filter(at_most=0.1)), ("watch-interval-deadband", Filter(at_most=1, by=0.5)),
            ("watch-percent", Filter(percent=5)), ("watch-when-equal", Filter(when=("==", "on", True, 3))),
            ("watch-when-present", Filter(at_most=0.1, by=0.5, when=("present",))),
            ("watch-when-less-or-equal", Filter(when=("<=", -1.5))), ("watch-deadline", Filter(deadline=5)),
            ("watch-all-parts", Filter(at_most=0.1, percent=5, when=("present",), deadline=1.5)),
        ):
            case = messages[name]
            fields = case["fields"]
            bookmark = fields.get("bookmark")
            request = requests.watch(
                fields["patterns"], False, bookmark and (bookmark["epoch"], bookmark["revision"]), left_out=expected)
            self.assertEqual(request.frame(case["request"]).hex(), case["hex"], name)
        for arguments in (
            {}, {"at_most": 0}, {"at_most": 86_401}, {"by": 0}, {"by": float("nan")}, {"percent": float("inf")},
            {"by": 1, "percent": 1}, {"deadline": 0}, {"deadline": 86_401},
        ):
            with self.assertRaises(HubError):
                Filter(**arguments)

    def test_schemas(self):
        for case in vectors("schemas")["valid"]:
            for key in ("hex", "completed"):
                content = bytes.fromhex(case[key])
                self.assertEqual(Schema.decode(Reader(content, 0, len(content))).encode(), content, case["about"])

    def test_frames_of_a_hub(self):
        found = vectors("messages")
        by_name = {message["name"]: message for message in found["messages"]}
        for message in found["messages"]:
            content = bytes.fromhex(message["hex"])
            if content[4] >= 0x80:
                reply = replies.read(content[4], content[5], Reader(content, 12, len(content)))
                fields = message["fields"]
                if isinstance(reply, HubError):
                    self.assertEqual((reply.word, reply.store, reply.message), (
                        fields["error"], fields["store"], fields["message"]))
                elif isinstance(reply, tuple) and hasattr(reply, "revision"):
                    self.assertEqual(reply.revision, int(fields["revision"]))
            elif content[4] >= 0x40 and content[4] != 0x47:
                core = welcomed()
                core.feed(content)
                self.assertTrue(core.receive(0), message["name"])
        for case in found["readAs"]:
            content, plain = bytes.fromhex(case["hex"]), bytes.fromhex(by_name[case["message"]]["hex"])
            if content[4] >= 0x80:
                one, other = (replies.read(each[4], each[5], Reader(each, 12, len(each))) for each in (content, plain))
                self.assertEqual(getattr(one, "args", one), getattr(other, "args", other))
        for case in found["refused"]:
            core, content = welcomed(), bytearray.fromhex(case["hex"])
            if content[4] >= 0x80:
                content[8:12] = struct.pack("<I", 99)
            core.feed(bytes(content))
            with self.assertRaises(HubError, msg=case["about"]) as caught:
                core.receive(0)
            self.assertEqual(caught.exception.word, "protocolViolation")


if __name__ == "__main__":
    unittest.main()
