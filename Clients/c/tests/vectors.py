"""Holds the C client to docs/vectors. usage: vectors.py PROGRAM, which is tests/vectors.c"""

import json
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[3]
program = subprocess.Popen(sys.argv[1:], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
failed = asked = 0


def vectors(name):
    return json.loads((ROOT / "docs" / "vectors" / f"{name}.json").read_text())


def expect(question, expected, about):
    global asked, failed
    program.stdin.write(question + "\n")
    program.stdin.flush()
    answer, asked = program.stdout.readline().strip(), asked + 1
    if answer != expected if isinstance(expected, str) else answer == "accepted":
        failed += 1
        print(f"{about}: {question} gives {answer!r}, expected {expected!r}")


names = vectors("names")
for kind in ("name", "pattern"):
    for text in names[kind + "s"]:
        expect(f"{kind} {text.encode().hex()}", "1", "valid")
    for case in names["noNames" if kind == "name" else "noPatterns"]:
        expect(f"{kind} {case['hex']}", "0", case["about"])
for case in names["matches"]:
    expect(f"matches {case['pattern']} {case['name']}", str(int(case["matches"])), "match")
values = vectors("values")
for case in values["values"]:
    expect(f"value {case['bytes']}", case["bytes"], "a value")
for case in values["noValues"]:
    if case["error"] == "malformed":
        expect(f"value {case['hex']}", "malformed", case["about"])
for case in vectors("schemas")["valid"]:
    for key in ("hex", "completed"):
        expect(f"schema {case[key]}", case[key], case["about"])
messages = vectors("messages")
for message in messages["messages"]:
    if int(message["hex"][8:10], 16) >= 0x40:
        expect(f"frame {message['hex']}", "accepted", message["name"])
for case in messages["readAs"]:
    if int(case["hex"][8:10], 16) >= 0x40:
        expect(f"frame {case['hex']}", "accepted", case["about"])
for case in messages["refused"]:
    expect(f"frame {case['hex']}", None, case["about"])
program.stdin.close()
if program.wait() != 0 or failed:
    sys.exit(1)
print(f"{asked} vectors")
