"""The view of a watch against the program on docs/protocol-watching.md, which is the rule: random histories, the same events."""

import pathlib
import random
import re
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "src"))

from statehub.view import View  # noqa: E402

NAMES = ("a", "b", "c")


def page_view():
    page = {}
    exec(re.search(r"^```python view\n(.*?)^```$", (ROOT / "docs/protocol-watching.md").read_text(), re.M | re.S).group(1), page)
    return page["View"]


def random_step(chance):
    """What a hub could send, and more: any order of revisions. A number keeps its name."""
    kind = chance.choices(("opened", "sync", "forget", "advance", "see", "change", "removed"), (1, 3, 1, 1, 8, 4, 6))[0]
    if kind == "opened":
        return kind, chance.choice("ef")
    revision = chance.randint(1, 20)
    if kind in ("sync", "advance"):
        return kind, revision
    if kind == "forget":
        return kind, chance.choice("ef"), revision
    number, version = chance.randint(1, 7), chance.randint(1, 6)
    fields = kind, number, NAMES[number % len(NAMES)], version, revision
    return fields + (chance.choice((None, None, True, False)),) if kind == "see" else fields


def on_page(view, kind, *fields):
    if kind == "see":
        return view.see(*fields[:-1], 0, fields[-1])
    if kind == "change":
        number, _, version, revision = fields
        return view.see(number, None, version, revision, 0)
    return getattr(view, kind)(*fields)


def in_client(view, kind, *fields):
    if kind in ("see", "change"):
        number, name, version, revision, *overdue = fields
        event = view.see(number, name if kind == "see" else None, version, revision, 0, 0, 0, True, *overdue)
    elif kind == "removed":
        event = view.removed(*fields, 0, 0, True)
    else:
        event = getattr(view, "synced" if kind == "sync" else kind)(*fields)
    if event is None:
        return None
    if not event.is_about_store:
        return event.kind, event.revision
    shown = event.kind, event.name, event.version, event.revision, event.value, event.skipped
    return shown if event.kind == "removed" else (*shown, event.overdue)


class ViewTests(unittest.TestCase):
    def test_every_event_is_that_of_the_program_on_the_page(self):
        page = page_view()
        for seed in range(200):
            chance = random.Random(seed)
            rule, view, steps = page(), View(), [("opened", "e")]
            steps += [random_step(chance) for _ in range(40)]
            for at, step in enumerate(steps):
                expected, shown = on_page(rule, *step), in_client(view, *step)
                self.assertEqual(shown, expected, f"seed {seed}: {steps[:at + 1]}")
                self.assertEqual(view.revision, rule.bookmark, f"seed {seed}: {steps[:at + 1]}")


if __name__ == "__main__":
    unittest.main()
