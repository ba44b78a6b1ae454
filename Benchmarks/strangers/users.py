"""Processes with users of their own, and where they run."""

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


def place(process, processor, hurries=False):
    """Lets a process run on one processor, and before others there if it sleeps most of the time.

    With priority by a scheduler's class: a nice value decides about shares, not about who runs first.
    """
    try:
        os.sched_setaffinity(process, {processor})
        if hurries:
            os.sched_setscheduler(process, os.SCHED_FIFO, os.sched_param(1))
    except OSError:
        print(f"{os.path.basename(sys.argv[0])}: not allowed here: waits for a processor are counted, too", file=sys.stderr)
