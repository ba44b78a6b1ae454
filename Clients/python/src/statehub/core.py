"""The client as a state machine: bytes and time in, bytes and events out. It touches no socket, clock or thread.

    idle --(something is wanted)--> connecting --(connected)--> greeting --(welcome)--> ready
      ^                                |  failed                  |  lost                 |
      +--(nothing is wanted)-- waiting <--------------------------+-----------------------+

A driver connects when `step` says so, sends `output.unsent`, and hands in what it reads.
"""

from __future__ import annotations

import enum
import random
import struct
from collections import deque
from typing import Callable, Optional, Union

from . import replies, requests, values
from .backoff import Backoff
from .call import Call
from .ephemerals import Ephemerals
from .errors import Code, HubError, ended
from .kinds import CHANGE, CREATED, CURRENT, ENDED, FORGET, REMOVED, RESTRICT, RESUMED, SYNCED, WATCHING, WELCOME
from .pending import FOREVER, PendingRequests
from .output import DEFAULT_LIMIT, Output
from .reading import Reader
from .requests import Request, Set
from .schemas import Schema
from .stream import Stream
from .watches import Watches

ALLOWANCE = 64 << 10
LONGEST = 1 << 30

_header = struct.Struct("<IBBHI").unpack_from
_state = struct.Struct("<IQQQq").unpack_from
_integer_change = struct.Struct("<IQQQq5xq")


class Link(enum.Enum):
    IDLE = "no connection is needed"
    WAITING = "the next attempt is due later"
    CONNECTING = "the driver was told to connect"
    GREETING = "hello and everything else was written"
    READY = "the hub has answered hello"


class Order(enum.Enum):
    NONE = 0
    CONNECT = 1
    """Connect now, and report with `connected` or `connect_failed`."""
    DISCONNECT = 2
    """Close the connection; it counts as lost already."""


class Core:
    MOST_UNSENT = 64 << 20
    """Bytes of requests that the socket has not taken. Beyond the limit a request fails with `quota`."""
    GREETING_TIMEOUT = 5.0
    LAST_TRY = 0.1
    """Seconds before the end of a request that has begun between two attempts to connect: by then there is another one."""
    STEADINESS = 1.0
    """A connection that lasts this long resets the back-off."""
    REFUSALS = 3
    """A refusal may happen between a socket's creation and its final mode; this many in a row mean `denied`."""

    def __init__(self, name: str, silence: str, randomness: Callable[[], float] = random.random) -> None:
        """`silence`: what to report of a hub that does not answer in time."""
        self.name, self.silence = name, silence
        self._random = randomness
        self.link = Link.IDLE
        self.welcome: Optional[replies.Welcome] = None
        self.is_closed = False
        self.output = Output()
        self.ephemerals = Ephemerals()
        self.pending = PendingRequests(self.output, self.ephemerals)
        self.watches = Watches(self.output)
        # Questions about the stores of ephemeral values, on a new connection. Everything else waits for the answers.
        self._inquiries: dict[int, Set] = {}
        self.abandoned: deque[Stream] = deque()
        """Streams whose readers were collected: any thread may append at any moment, `step` ends them."""
        self._until = FOREVER
        self._backoff = Backoff()
        self._link_error: Optional[HubError] = None
        self._ready_since: Optional[float] = None
        # The hub refused this connection: nothing that was written to it was carried out.
        self._is_refused = False
        self._last_number = 0
        self._hello = self._restrict = 0
        self.restriction: Optional[Request] = None
        """What every connection sends before anything else: what the program has given up."""
        # What was read, and up to where it is handled.
        self.input: values.Bytes = b""
        self.handled = 0
        self._limit = DEFAULT_LIMIT + ALLOWANCE

    @property
    def is_connected(self) -> bool:
        return self.link in (Link.GREETING, Link.READY)

    @property
    def _is_sending(self) -> bool:
        """Whether what is asked now goes out now."""
        return self.is_connected and not self._inquiries

    @property
    def is_wanted(self) -> bool:
        """Whether there is a need for a connection."""
        return not self.is_closed and bool(self.pending or self.watches.streams or self.ephemerals)

    # Requests and watches

    def begin(self, request: Request, deadline: float) -> Call:
        """Sends a request, now or as soon as there is a connection."""
        call = Call()
        if self.is_closed:
            call.fail(HubError(Code.closed, "this Hub was closed"))
        elif len(self.output) > self.MOST_UNSENT:
            reason = f"{len(self.output)} bytes of requests are queued because the hub does not read them: await replies first"
            call.fail(HubError(Code.quota, reason))
        else:
            if request.kind == RESTRICT and (self.restriction is None or self.restriction.payload < request.payload):
                self.restriction = request
            self._send(request, call, deadline)
        return call

    def _send(self, request: Request, call: Call, deadline: float) -> None:
        number = self._number()
        self.pending.add(number, request, call, deadline)
        if self._is_sending:
            self.pending.write(number)
        elif self.link is Link.WAITING:
            self._until = min(self._until, deadline - self.LAST_TRY)

    def cancel(self, call: Call) -> None:
        """The caller no longer waits."""
        if not self.watches.held.release(call):
            self.pending.cancel(call)

    def open(self, stream: Stream) -> None:
        """Begins to follow."""
        if self.is_closed:
            stream.fail(HubError(Code.closed, "this Hub was closed"))
            return
        self.watches.add(stream)
        if self._is_sending:
            self.watches.ask(stream, self._number())

    def end(self, stream: Stream) -> None:
        """Ends a stream at once, and its watch in the hub."""
        request = self.watches.remove(stream)
        if request is not None and self.is_connected:
            self.output.append(request.frame(self._number()))

    def close(self) -> None:
        """Nothing will be answered any more."""
        self.is_closed = True
        self._fail_all(HubError(Code.closed, "this Hub was closed"))
        self.link, self._until = Link.IDLE, FOREVER
        self.output.clear()

    def leave(self, error: HubError) -> None:
        """Fails everything, and tells no event loop: those who wait belong to one that is closed, or to another process."""
        self.pending.silence()
        self.watches.silence()
        self._fail_all(error)

    def _fail_all(self, error: HubError) -> None:
        self.pending.fail_all(error)
        self.watches.fail_all(error)

    def _number(self) -> int:
        """A request number that is in use nowhere."""
        while True:
            self._last_number = (self._last_number + 1) & 0xFFFFFFFF
            number = self._last_number
            if number and not (number in self.pending or number in self.watches.asked or number in self._inquiries):
                return number

    # Time

    @property
    def next_deadline(self) -> float:
        """When `step` has to be called again, at the latest."""
        return 0.0 if self.abandoned else min(self.pending.earliest, self.watches.held.deadline, self._until)

    @property
    def only_receives(self) -> bool:
        """There is nothing to send, and no time to keep: only what the hub sends makes a difference."""
        return (not (self.output.buffer or self.watches.held.writes or self.abandoned)
                and self._until == FOREVER == self.pending.earliest and self.is_connected)

    def step(self, now: float) -> Order:
        """Ends what has waited too long or was abandoned, and says what the driver has to do."""
        while self.abandoned:
            self.end(self.abandoned.popleft())
        # Before anything expires: a request whose time is over already learns why there is no hub, not that it is slow.
        if self.link is Link.IDLE or self.link is Link.WAITING and self._until <= now:
            self._until = FOREVER
            self.link = Link.CONNECTING if self.is_wanted else Link.IDLE
            return Order.CONNECT if self.is_wanted else Order.NONE
        if self.pending.earliest <= now:
            self.pending.expire(now, self._timeout_error())
        if self.watches.held.writes:
            self.watches.held.expire(now)
        if self.link is Link.GREETING and self._until <= now:
            self.lost(HubError(Code.timeout, self.silence), now)
            return Order.DISCONNECT
        return Order.NONE

    def _timeout_error(self) -> HubError:
        """Of a request if there is no connection in time."""
        if not self.is_connected and self._link_error is not None:
            return self._link_error
        return HubError(Code.timeout, self.silence)

    # The connection

    def connected(self, now: float) -> None:
        self.link, self._until = Link.GREETING, now + self.GREETING_TIMEOUT
        self._is_refused = False
        self.output.clear()
        self.input, self.handled, self._limit = b"", 0, DEFAULT_LIMIT + ALLOWANCE
        self.output.limit = DEFAULT_LIMIT
        self.watches.connected()
        self._hello = self._number()
        self.output.append(requests.hello(self.name).frame(self._hello))
        self._restrict = 0 if self.restriction is None else self._number()
        if self.restriction is not None:
            self.output.append(self.restriction.frame(self._restrict))
        # Ephemeral values come first, so that this process's own watches find them.
        for write in self.ephemerals.conditional:
            self._set_again(write)
        self._inquiries = {self._number(): write for write in self.ephemerals.unconditional}
        for number, write in self._inquiries.items():
            self.output.append(requests.describe(write.store).frame(number))
        if not self._inquiries:
            self._send_waiting()

    def _set_again(self, write: Set) -> None:
        number = self._number()
        self.pending.add(number, requests.write(write), None, FOREVER)
        self.pending.write(number)

    def _send_waiting(self) -> None:
        """Watches and requests that a new connection begins with."""
        for stream in self.watches.in_order():
            self.watches.ask(stream, self._number())
        self.pending.write_waiting()

    def _described(self, number: int, reply: Union[replies.Description, HubError], epoch: str) -> None:
        """What the hub knows of a store whose ephemeral value is to be set again."""
        write = self.ephemerals.again(self._inquiries.pop(number), reply, epoch)
        if write is not None:
            self._set_again(write)
        if not self._inquiries:
            self._send_waiting()

    def connect_failed(self, error: HubError, now: float, is_final: bool = False) -> None:
        """`is_final`: another attempt would fail in the same way."""
        self._link_error = error
        self._backoff.fail()
        if is_final or error.code == Code.denied and self._backoff.failures >= self.REFUSALS:
            self._fail_all(error)
        self._wait(now)

    def lost(self, error: HubError, now: float) -> None:
        """The connection is gone."""
        # A hub that immediately ends every connection counts as no hub.
        if self._ready_since is not None and self._ready_since + self.STEADINESS <= now:
            self._backoff.succeed()
        else:
            self._backoff.fail()
        self._ready_since = None
        self._link_error = error
        self._inquiries = {}
        self.pending.lose(self._is_refused)
        self.watches.lost()
        self.output.clear()
        self.input, self.handled = b"", 0
        self._wait(now)

    def void(self, now: float) -> None:
        """The program's work was interrupted where it may have left something half done, such as an event that was counted
        and not delivered: every watch starts over, with `reset`, on the next connection."""
        for stream in self.watches.streams:
            stream.void()
        self.lost(HubError(Code.connectionLost, "a signal handler's exception interrupted the client"), now)

    def _wait(self, now: float) -> None:
        if self.is_wanted:
            self.link, self._until = Link.WAITING, self._backoff.next(now, self._random())
        else:
            self.link, self._until = Link.IDLE, FOREVER

    # What the hub sends

    def feed(self, content: bytes) -> None:
        """Takes what was read. `receive` handles it."""
        if self.handled == len(self.input):
            self.input = content
        else:
            # Only what does not end with a frame is copied, into one buffer that grows.
            if not isinstance(self.input, bytearray):
                self.input = bytearray(self.input)
            del self.input[:self.handled]
            self.input += content
        self.handled = 0

    def receive(self, now: float) -> bool:
        """Handles the next frame; False: there is no whole one. Raises why the connection has to be given up."""
        content, at = self.input, self.handled
        if len(content) - at < 12:
            return False
        length, kind, flags, _, number = _header(content, at)
        if length + 12 > self._limit:
            reason = f"the hub sent a frame of {length + 12} bytes; the limit is {self._limit}"
            raise HubError(Code.protocolViolation, reason)
        start = at + 12
        end = start + length
        if len(content) < end:
            return False
        self.handled = end
        try:
            if kind == CHANGE:
                # Most that come often are integers: these are read in one step.
                if length == _integer_change.size and content.startswith(values.INTEGER_PREFIX, start + 36):
                    uid, store, revision, version, time, value = _integer_change.unpack_from(content, start)
                elif length >= 36:
                    uid, store, revision, version, time = _state(content, start)
                    value, _ = values.decode(content, start + 36, end)
                else:
                    raise ValueError("a change is truncated")
                self.watches.see(store, None, version, revision, value, time, uid, not flags & 1)
            elif CHANGE <= kind < WELCOME:
                self._event(kind, flags, Reader(content, start, end))
            elif kind >= WELCOME:
                reply = replies.read(kind, flags, Reader(content, start, end)) if replies.is_known(kind) else None
                self._reply(number, kind, reply, now)
            else:
                raise ValueError(f"a frame of kind {kind} is a request")
        except (ValueError, IndexError, struct.error) as error:
            raise HubError(Code.protocolViolation, f"the hub sent an invalid frame: {error}") from None
        return True

    def _event(self, kind: int, flags: int, reader: Reader) -> None:
        more = bool(flags & 1)
        watches = self.watches
        if kind in (CREATED, REMOVED, CURRENT):
            uid, store, revision, version, time = replies.read_state(reader)
            name = reader.short()
            if kind == REMOVED:
                watches.removed(store, name, version, revision, time, uid, more)
                return
            if kind == CREATED:
                Schema.decode(reader)
            value, overdue = reader.value(), None
            if kind == CURRENT and flags & 0x30:
                overdue = bool(flags & 0x10)
            watches.see(store, name, version, revision, value, time, uid, kind == CREATED and not more, overdue)
        elif kind == SYNCED:
            watches.synced(reader.u64())
        elif kind == RESUMED:
            watches.resumed(reader.u64())
        elif kind == FORGET:
            watches.forget(reader.epoch(), reader.u64())
        elif kind == ENDED:
            raise ended(reader.u16(), reader.medium())

    def _reply(self, number: int, kind: int, reply: object, now: float) -> None:
        # An error that answers no request is about the connection; the hub that refuses one carries out nothing.
        if isinstance(reply, HubError) and number in (0, self._hello, self._restrict):
            self._is_refused = self.link is not Link.READY
            if reply.code == Code.unsupportedVersion:
                self._fail_all(reply)
            raise reply
        if number == self._hello:
            if not isinstance(reply, replies.Welcome):
                raise HubError(Code.protocolViolation, "the hub did not answer hello with welcome")
            self._greet(reply, now)
        elif self.link is not Link.READY:
            raise HubError(Code.protocolViolation, f"the hub answered request {number} before hello")
        elif number in self.watches.asked:
            if not isinstance(reply, HubError) and kind != WATCHING:
                raise HubError(Code.protocolViolation, "the hub sent an unexpected reply to a watch")
            self.watches.confirm(self.watches.asked[number], reply if isinstance(reply, HubError) else None)
        elif number in self._inquiries:
            assert self.welcome is not None
            if not isinstance(reply, (replies.Description, HubError)):
                raise HubError(Code.protocolViolation, "the hub sent an unexpected reply to describe")
            self._described(number, reply, self.welcome.epoch)
        else:
            assert self.welcome is not None
            self.pending.complete(number, kind, reply, self.welcome.epoch, self.watches.hold, now)

    def _greet(self, welcome: replies.Welcome, now: float) -> None:
        self.welcome = welcome
        self.watches.welcomed(welcome.epoch)
        self.link, self._until = Link.READY, FOREVER
        self._link_error = None
        self._ready_since = now
        self.output.limit = welcome.longest_frame
        self._limit = min(welcome.longest_frame, LONGEST) + ALLOWANCE
