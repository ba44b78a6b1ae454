"""Watches: opened again on every connection, and which of them an event is for."""

from __future__ import annotations

from typing import Optional

from . import requests
from .errors import Code, HubError
from .filters import Filter
from .pending import PendingRequest
from .call import Answer
from .held import HeldWrites
from .output import Output
from .replies import Committed
from .requests import Request
from .stream import Stream
from .values import Value


class Watches:
    def __init__(self, output: Output) -> None:
        self._output = output
        self.left_out: Optional[Filter] = None
        self.streams: dict[Stream, None] = {}
        """In the order in which they were opened."""
        # The same by the names that they follow; those with a pattern apart, since these have to be tried.
        self._named: dict[str, dict[Stream, None]] = {}
        self._globs: dict[Stream, None] = {}
        self.asked: dict[int, Stream] = {}
        """Open requests of watches on this connection, by number."""
        self.held = HeldWrites()
        self._epoch = ""
        # Within an epoch, over all connections: the names of the stores that are followed, and the streams that follow each.
        self._names: dict[int, str] = {}
        self._numbers: dict[str, int] = {}
        self._routes: dict[int, list[Stream]] = {}
        # The watch that a `resumed` concerns: the last one confirmed.
        self._last_confirmed: Optional[Stream] = None
        # Everything up to here was received on this connection, or is superseded by a later change that was not.
        self._complete = 0
        # The last `synced` of this connection.
        self._synced = 0

    # Connections

    def connected(self) -> None:
        self._complete = self._synced = 0

    def welcomed(self, epoch: str) -> None:
        if epoch != self._epoch:
            self._names.clear()
            self._numbers.clear()
            self._routes.clear()
        self._epoch = epoch

    def lost(self) -> None:
        self.asked.clear()
        self._last_confirmed = None
        for stream in self.streams:
            # Of a watch that the hub has not confirmed here this connection says nothing.
            if stream.is_open:
                stream.view.advance(self._complete)
            stream.number, stream.is_open = None, False

    def in_order(self) -> list[Stream]:
        """In which order to open them: those that resume first, the oldest bookmark at the front, so that the hub walks
        through the changes since then once for all of them."""
        return sorted(
            self.streams, key=lambda stream: (stream.view.revision is None, stream.view.revision or 0))

    # Opening and closing

    def add(self, stream: Stream) -> None:
        self.streams[stream] = None
        if stream.is_glob:
            self._globs[stream] = None
        else:
            for name in stream.patterns:
                self._named.setdefault(name, {})[stream] = None
        self._routes.clear()

    def following(self, name: str) -> list[Stream]:
        """The streams that follow a store of that name."""
        return [*self._named.get(name, ()), *(stream for stream in self._globs if stream.matches(name))]

    def ask(self, stream: Stream, number: int) -> None:
        """One that is too long would end the connection: it fails instead."""
        every = stream.policy.wants_every and self.left_out is None
        request = requests.watch(stream.patterns, every, stream.view.bookmark, left_out=self.left_out)
        problem = self._output.problem(len(request.payload) + requests.HEADER)
        if problem is not None:
            self.confirm(stream, HubError(Code.frameTooLarge, problem))
            return
        stream.number = number
        self.asked[number] = stream
        self._output.append(request.frame(number))

    def remove(self, stream: Stream) -> Optional[Request]:
        """It ends at once. Returns what to tell the hub."""
        stream.close()
        if stream not in self.streams:
            return None
        self._delist(stream)
        if stream.number is None:
            return None
        self.asked.pop(stream.number, None)
        return requests.unwatch(stream.number)

    def _delist(self, stream: Stream) -> None:
        del self.streams[stream]
        self._routes.clear()
        if stream.is_glob:
            del self._globs[stream]
            names = [name for name in self._numbers if stream.matches(name)]
        else:
            names = list(dict.fromkeys(stream.patterns))
            for name in names:
                others = self._named[name]
                del others[stream]
                if not others:
                    del self._named[name]
        for name in names:
            if name in self._numbers and not self.following(name):
                del self._names[self._numbers.pop(name)]
        if self._last_confirmed is stream:
            self._last_confirmed = None
        self.held.drop(stream)

    def silence(self) -> None:
        """Events and ends wake no reader any more."""
        for held in self.held.writes:
            held.call.on_done = None
        for stream in self.streams:
            stream.on_event = None

    def fail_all(self, error: HubError) -> None:
        self.held.release_all()
        streams, self.streams = self.streams, {}
        self._named, self._globs = {}, {}
        self.asked.clear()
        self._routes.clear()
        for stream in streams:
            stream.fail(error)

    def confirm(self, stream: Stream, error: Optional[HubError]) -> None:
        """Handles the answer to a watch."""
        if error is not None:
            if stream.number is not None:
                self.asked.pop(stream.number, None)
            self._delist(stream)
            stream.fail(error)
            return
        self._last_confirmed = stream
        stream.is_open = True
        reset = stream.view.opened(self._epoch)
        if reset is not None:
            stream.push(reset)
            self.held.drop(stream)

    # Events

    def _route(self, number: int, name: Optional[str]) -> list[Stream]:
        if name is None:
            name = self._names.get(number)
        if name is None:
            return []
        route = self._routes[number] = self.following(name)
        if route:
            self._names[number], self._numbers[name] = name, number
        return route

    def see(
        self, number: int, name: Optional[str], version: int, revision: int, value: Value, time: int, uid: int,
        is_last: bool, overdue: Optional[bool] = None,
    ) -> None:
        """`change`, where `name` is None; `current`, and `created`. Of these two only the latter may be a last change.
        `overdue`, with `current`: whether the store is; None: the hub does not say."""
        route = self._routes.get(number)
        if route is None:
            route = self._route(number, name)
        if route and revision > self._complete:
            self._complete = revision - 1
        for stream in route:
            if stream.is_open:
                event = stream.view.see(number, name, version, revision, value, time, uid, is_last, overdue)
                if event is not None:
                    stream.push(event)
                if self.held.writes:
                    self.held.see(stream, number, revision)

    def removed(
        self, number: int, name: str, version: int, revision: int, time: int, uid: int, more: bool
    ) -> None:
        route = self.following(name)
        if route and revision > self._complete:
            self._complete = revision - 1
        for stream in route:
            if stream.is_open:
                stream.push(stream.view.removed(number, name, version, revision, time, uid, not more))
                if self.held.writes:
                    self.held.see(stream, number, revision)
        self._routes.pop(number, None)
        if self._names.pop(number, None) is not None and self._numbers.get(name) == number:
            del self._numbers[name]

    def synced(self, revision: int) -> None:
        self._complete = max(self._complete, revision)
        self._synced = max(self._synced, revision)
        for stream in self.streams:
            if stream.is_open:
                stream.push(stream.view.synced(revision))
        if self.held.writes:
            self.held.synced(revision)

    def resumed(self, revision: int) -> None:
        if self._last_confirmed is not None:
            self._last_confirmed.push(self._last_confirmed.view.resumed(revision))

    def forget(self, epoch: str, revision: int) -> None:
        """It concerns everything that this connection was sent."""
        self._complete = self._synced = 0
        for stream in self.streams:
            if stream.is_open:
                stream.push(stream.view.forget(epoch, revision))
                self.held.drop(stream)

    # Writes

    def hold(self, pending: PendingRequest, answer: Answer, now: float) -> bool:
        """Holds a write's answer back while streams have yet to show what was written; with a filter they may never do."""
        if self.left_out is not None:
            return False
        reply = answer.reply
        results = reply.results if isinstance(reply, Committed) else (reply,)
        waits = [
            (stream, result.store, result.revision)
            for write, result in zip(pending.request.writes, results) if isinstance(write.store, str)
            for stream in self.following(write.store)
            if self._lags(stream, result.store, result.revision)]
        if not waits or pending.call is None:
            return False
        self.held.hold(pending.call, answer, pending.deadline, waits, now)
        return True

    def _lags(self, stream: Stream, store: int, revision: int) -> bool:
        """One that has shown nothing yet will begin behind the write."""
        view = stream.view
        if not (stream.is_open or view.is_synced or view.stores):
            return False
        if stream.is_open and view.is_synced and self._synced >= revision:
            return False
        known = view.stores.get(store)
        return known is None or known.revision < revision

    def cached(self, name: str) -> Optional[tuple[Value, int, int, str]]:
        """Value, revision, version and epoch of a store, as an open watch of this one store has last seen it."""
        for stream in self._named.get(name, ()):
            if stream.name == name and name in stream.view.numbers:
                store = stream.view.stores[stream.view.numbers[name]]
                return store.value, store.revision, store.version, stream.view.epoch
        return None
