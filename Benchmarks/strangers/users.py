"""Processes with users of their own."""

import os
import sys


def as_user(uid, work, quiet=False):
    """Runs `work` in a process of that user; returns its number. With `quiet`, it says nothing of how it failed."""
    process = os.fork()
    if process:
        return process
    status = 1
    try:
        os.setgroups([])
        os.setgid(uid)
        os.setuid(uid)
        work()
        status = 0
    except BaseException as error:  # noqa: BLE001
        if not quiet:
            print(f"{os.path.basename(sys.argv[0])}: {error!r}", file=sys.stderr)
    os._exit(status)
