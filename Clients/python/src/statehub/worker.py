"""Who works on a blocking hub's connection: the threads that wait for something in it, one at a time under one lock.

The lock is free while a thread waits. One of the threads that wait does so in the socket, and handles what comes for all.
"""

from __future__ import annotations

import select
import socket
import threading
import time
from typing import Optional, Union

from . import fork
from .call import Answer, Call
from .core import Core
from .driver import Driver
from .errors import Code, HubError
from .events import Event
from .pending import FOREVER
from .requests import Request
from .stream import Stream

_now = time.monotonic

LOOK = 1.0
"""Seconds after which a thread that waits in the socket looks whether another one has ended what it waits for. With no other
thread it need not."""

LONGEST = 86_400.0
"""Seconds that one wait takes at most: the system takes no more than some weeks."""


class Worker:
    def __init__(self, driver: Driver) -> None:
        self.driver = driver
        self._lock = threading.RLock()
        # Notified of what may matter to threads that wait without reading, if there are any.
        self._changed = threading.Condition(self._lock)
        self._sleepers = 0
        # The thread that has the lock is at work. Only its own signal handlers can find that.
        self._is_busy = False
        # The thread that waits in the socket, without the lock; 0: none.
        self._reader = 0
        # The exception came while nothing was being changed.
        self._was_waiting = False
        self._poll, self._polled = select.poll(), (-1, 0)
        fork.in_child(self)

    def forked(self) -> None:
        """The lock may be held by a thread that is not here, and the connection is the parent's. A signal handler may have
        forked within a call of this thread, which continues when the handler returns: it fails with `closed`."""
        if not self._lock._is_owned():  # type: ignore[attr-defined]
            self._lock._at_fork_reinit()  # type: ignore[attr-defined]
            self._is_busy = False
        if self._reader != threading.get_ident():
            self._reader = 0
        self._was_waiting = self._reader != 0
        self._polled = (-1, 0)
        self.driver.begin_again(HubError(Code.closed, "it was started by the parent process, before the fork"))
        with self._lock:
            self._changed.notify_all()

    @property
    def core(self) -> Core:
        return self.driver.core

    def perform(self, request: Request, deadline: float) -> Answer:
        with self._lock:
            self._check_use()
            try:
                self._is_busy = True
                call = self.core.begin(request, deadline)
                try:
                    self._wait(call, FOREVER)
                except BaseException:
                    self.core.cancel(call)
                    raise
                return call.result()
            except HubError:
                raise
            except BaseException:
                self.interrupted()
                raise
            finally:
                self._is_busy = False
                if self._sleepers:
                    self._changed.notify_all()

    def next(self, stream: Stream, deadline: float) -> Optional[Event]:
        """A stream's next event; None: it has ended, or `deadline` has passed. The caller reports what interrupts it."""
        with self._lock:
            self._check_use()
            try:
                self._is_busy = True
                if not stream.is_due:
                    self._wait(stream, deadline)
                return stream.take()
            finally:
                self._is_busy = False
                if self._sleepers:
                    self._changed.notify_all()

    def take(self, stream: Stream) -> Optional[Event]:
        with self._lock:
            self._check_use()
            return stream.take()

    def step(self) -> None:
        """Does what there is to do, without waiting."""
        with self._lock:
            self._check_use()
            try:
                self._is_busy = True
                now = _now()
                self.driver.tend(now)
                if not self._reader:
                    self.driver.read()
                while self.driver.receive():
                    pass
                self.driver.tend(now)
            except BaseException:
                self.interrupted()
                raise
            finally:
                self._is_busy = False
                self._changed.notify_all()

    def open(self, stream: Stream) -> None:
        with self._lock:
            self._check_use()
            self.core.open(stream)

    def end(self, stream: Stream) -> None:
        with self._lock:
            self._check_use()
            self.core.end(stream)
            self.driver.flush()
            self._changed.notify_all()

    def close(self) -> None:
        with self._lock:
            self._check_use()
            self.core.close()
            self.driver.disconnect()
            self._changed.notify_all()

    def _check_use(self) -> None:
        if self._is_busy or self._reader and self._reader == threading.get_ident():
            raise HubError(
                Code.misused, "a signal handler called the Hub whose call it interrupts: set a flag in the handler, or use another Hub")

    def interrupted(self) -> None:
        """A signal handler has raised an exception: what it came into the middle of may be half done."""
        with self._lock:
            if self._was_waiting:
                self._was_waiting = False
            else:
                self.driver.disconnect()
                self.core.void(_now())

    # Waiting, with the lock. A signal handler's exception may come after any call: what it leaves behind is put right in one
    # place, which makes as few calls as it can.

    def _wait(self, awaited: Union[Call, Stream], deadline: float) -> None:
        """Works until there is something to say, or `deadline` has passed."""
        driver, own = self.driver, threading.get_ident()
        try:
            while not awaited.is_due:
                if driver.receive():
                    continue
                is_alone = threading.active_count() == 1
                if is_alone and deadline == FOREVER and driver.core.only_receives and not self._reader:
                    # Most of the time there is nothing to do but to wait for the hub.
                    self._receive(own)
                    continue
                now = _now()
                due = min(driver.tend(now), deadline)
                if awaited.is_due or now >= deadline:
                    return
                if driver.socket is None or self._reader and not driver.wants_write:
                    self._sleep(due)
                    continue
                if not is_alone:
                    due = min(due, now + LOOK)
                if self._reader:
                    self._wait_to_write(due)
                else:
                    self._read_until(due, own)
        except BaseException:
            if not self._lock._is_owned():  # type: ignore[attr-defined]
                self._lock.acquire()
            if self._reader == own:
                self._reader, driver.is_in_use = 0, False
            raise

    def _receive(self, own: int) -> None:
        """Waits in the socket until something comes."""
        connection = self.driver.socket
        assert connection is not None
        self._leave(own)
        self.driver.take_in(connection)
        self._come_back(connection)

    def _read_until(self, due: float, own: int) -> None:
        """Waits in the socket, also until it takes more if there is more to send."""
        connection = self.driver.socket
        assert connection is not None
        polled = connection.fileno(), select.POLLIN | (select.POLLOUT if self.driver.wants_write else 0)
        if polled != self._polled:
            self._poll = select.poll()
            self._poll.register(*polled)
            self._polled = polled
        self._leave(own)
        self._poll.poll(_milliseconds(due))
        self.driver.take_in(connection, socket.MSG_DONTWAIT)
        self._come_back(connection)

    def _leave(self, own: int) -> None:
        """This thread will wait in the socket, without the lock."""
        if self._sleepers:
            self._changed.notify_all()
        self.driver.is_in_use = True
        self._reader = own
        self._was_waiting = True
        self._is_busy = False
        self._lock.release()

    def _come_back(self, connection: socket.socket) -> None:
        self._lock.acquire()
        self._is_busy = True
        self._was_waiting = False
        self._reader = 0
        self.driver.came_back(connection)

    def _wait_to_write(self, due: float) -> None:
        """Another thread waits for the hub to send something; this one for it to take more."""
        connection = self.driver.socket
        assert connection is not None
        poll = select.poll()
        poll.register(connection.fileno(), select.POLLOUT)
        self._was_waiting = True
        self._is_busy = False
        self._lock.release()
        poll.poll(_milliseconds(due))
        self._lock.acquire()
        self._is_busy = True
        self._was_waiting = False

    def _sleep(self, due: float) -> None:
        """Waits for the next attempt to connect, or for what another thread reads."""
        self._sleepers += 1
        self._was_waiting = True
        self._is_busy = False
        try:
            self._changed.wait(None if due == FOREVER else min(max(0.0, due - _now()), LONGEST))
        finally:
            self._sleepers -= 1
        self._is_busy = True
        self._was_waiting = False


def _milliseconds(due: float) -> Optional[float]:
    return None if due == FOREVER else min(max(0.0, due - _now()), LONGEST) * 1000 + 1
