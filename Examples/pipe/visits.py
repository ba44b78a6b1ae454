#!/usr/bin/env python3
# Counts a visit, and follows the count up to three: statectl pipe in Python.
import json
from subprocess import PIPE, Popen

with Popen(["statectl", "pipe"], stdin=PIPE, stdout=PIPE, text=True, bufsize=1) as hub:
    def ask(**request):
        print(json.dumps(request), file=hub.stdin)

    ask(id="create", op="create", name="visits", type="integer", initial=0)
    ask(id="visits", op="watch", names=["visits"], every=True)
    ask(id="add", op="add", name="visits")
    for message in map(json.loads, hub.stdout):
        if "error" in message:
            exit(message["error"]["message"])
        if message.get("id") == "add":
            print("visitor", message["value"], flush=True)
        if message.get("kind") == "changed":
            print("visits", message["value"], flush=True)
            if message["value"] >= 3:
                break
