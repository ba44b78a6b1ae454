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
from .flights import FOREVER
from .requests import Request
from .stream import Stream

_now = time.monotonic


class Worker:
    def __init__(self, driver: Driver) -> None:
        self.driver = driver
        self._begin()
        fork.in_child(self)

    def _begin(self) -> None:
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

    def forked(self) -> None:
        """The lock may be held by a thread that is not here, and the connection is the parent's."""
        self._begin()
        self.driver.begin_again(HubError(Code.closed, "it was opened by the process that this one was forked from"))

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
                Code.misused, "a signal handler uses the Hub whose call it interrupts: let it note what to do, or use another Hub")

    def interrupted(self) -> None:
        """A signal handler has raised an exception: what it came into the middle of may be half done."""
        with self._lock:
            if self._was_waiting:
                self._was_waiting = False
            else:
                self.driver.disconnect()
                self.core.void(_now())

    # Waiting, with the lock

    def _wait(self, awaited: Union[Call, Stream], deadline: float) -> None:
        """Works until there is something to say, or `deadline` has passed."""
        driver = self.driver
        while not awaited.is_due:
            if driver.receive():
                continue
            if deadline == FOREVER and driver.core.only_receives and not self._reader:
                # Most of the time there is nothing to do but to wait for the hub.
                self._receive()
                continue
            now = _now()
            due = min(driver.tend(now), deadline)
            if awaited.is_due or now >= deadline:
                return
            if driver.socket is None or self._reader and not driver.wants_write:
                self._sleep(due)
            else:
                self._read_until(due)

    def _receive(self) -> None:
        """Waits in the socket until something comes."""
        connection = self.driver.socket
        assert connection is not None
        self._leave()
        try:
            self._lock.release()
            self.driver.take_in(connection)
        except BaseException:
            self._was_waiting = True
            raise
        finally:
            self._lock.acquire()
            self._come_back(connection)

    def _read_until(self, due: float) -> None:
        """Waits in the socket, also until it takes more if there is more to send. If another thread reads, only for that."""
        connection, is_reader, poll = self.driver.socket, not self._reader, self._poll
        assert connection is not None
        wants_write = self.driver.wants_write
        polled = connection.fileno(), (select.POLLOUT if wants_write else 0) | (select.POLLIN if is_reader else 0)
        if not is_reader:
            poll = select.poll()
            poll.register(*polled)
        elif polled != self._polled:
            self._poll = poll = select.poll()
            poll.register(*polled)
            self._polled = polled
        timeout = None if due == FOREVER else max(0.0, due - _now()) * 1000 + 1
        if is_reader:
            self._leave()
        self._is_busy = False
        try:
            self._lock.release()
            poll.poll(timeout)
            if is_reader:
                self.driver.take_in(connection, socket.MSG_DONTWAIT)
        except BaseException:
            self._was_waiting = True
            raise
        finally:
            self._lock.acquire()
            if is_reader:
                self._come_back(connection)
            self._is_busy = True

    def _leave(self) -> None:
        """This thread will wait in the socket."""
        if self._sleepers:
            self._changed.notify_all()
        self.driver.is_in_use = True
        self._reader = threading.get_ident()
        self._is_busy = False

    def _come_back(self, connection: socket.socket) -> None:
        self._reader = 0
        self._is_busy = True
        self.driver.came_back(connection)

    def _sleep(self, due: float) -> None:
        """Waits for the next attempt to connect, or for what another thread reads."""
        self._is_busy = False
        self._sleepers += 1
        try:
            self._changed.wait(None if due == FOREVER else max(0.0, due - _now()))
        except BaseException:
            self._was_waiting = True
            raise
        finally:
            self._sleepers -= 1
            self._is_busy = True
