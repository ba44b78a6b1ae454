"""Requests on their way: what becomes of each when its answer, its deadline or the end of the connection comes."""

from __future__ import annotations

import numbers
from typing import Any, Callable, Optional

from . import replies
from .call import Answer, Call
from .ephemerals import Ephemerals
from .errors import Code, HubError
from .output import Output
from .requests import Request
from .values import shown

FOREVER = float("inf")


def checked_timeout(seconds: float) -> float:
    if not (isinstance(seconds, numbers.Real) and seconds >= 0):
        raise HubError(Code.invalidValue, f"a time-out is a number of seconds, at least 0, not {shown(seconds)}")
    return seconds


class Flight:
    __slots__ = ("request", "call", "deadline", "start", "may_have_run")

    def __init__(self, request: Request, call: Optional[Call], deadline: float) -> None:
        self.request = request
        self.call = call
        """None: nobody waits for it."""
        self.deadline = deadline
        self.start: Optional[int] = None
        """Where its frame begins in what was written to this connection; None: it was not written to this one."""
        self.may_have_run = False
        """It went out, at least in part, on a connection that was lost."""


def outcome_unknown(request: Request) -> HubError:
    return HubError(
        Code.outcomeUnknown,
        "the connection was lost before the answer: whether the write was carried out is unknown, read to find out",
        request.store)


class Flights:
    def __init__(self, output: Output, ephemerals: Ephemerals) -> None:
        self._output = output
        self._ephemerals = ephemerals
        self._flights: dict[int, Flight] = {}
        self.earliest = FOREVER
        """No later than the first deadline of a flight."""
        self.limit = 1 << 20
        """The longest frame that the hub takes."""

    def __len__(self) -> int:
        return len(self._flights)

    def __contains__(self, number: int) -> bool:
        return number in self._flights

    def launch(self, number: int, request: Request, call: Optional[Call], deadline: float) -> None:
        self._flights[number] = Flight(request, call, deadline)
        if deadline < self.earliest:
            self.earliest = deadline

    def write(self, number: int) -> None:
        """Writes a flight's frame to the output. One that is too long would end the connection: it fails instead."""
        flight = self._flights.get(number)
        if flight is None:
            return
        request = flight.request
        length = len(request.payload) + 12
        if length > self.limit:
            del self._flights[number]
            if flight.call is not None:
                reason = f"the request takes {length} bytes, the hub takes at most {self.limit}"
                flight.call.fail(HubError(Code.frameTooLarge, reason, request.store))
            return
        flight.start = self._output.end
        self._output.append(request.frame(number))

    def write_waiting(self) -> None:
        """Writes everything that was not written to this connection, in the order in which it was begun."""
        for number in sorted(number for number, flight in self._flights.items() if flight.start is None):
            self.write(number)

    def land(self, number: int, kind: int, reply: Any, epoch: str, held: Callable[[Flight, Answer], bool]) -> None:
        """An answer has arrived; `held` says whether a write's is held back. Answers to callers that have given up are
        dropped."""
        flight = self._flights.pop(number, None)
        if flight is None:
            return
        call, request = flight.call, flight.request
        if isinstance(reply, HubError):
            if call is None:
                for write in request.writes:
                    self._ephemerals.forget(write)
            elif reply.code == Code.conflict and flight.may_have_run:
                # It may be its own first attempt that it is in conflict with.
                call.fail(outcome_unknown(request))
            else:
                call.fail(reply)
            return
        if kind != replies.ANSWERS[request.kind]:
            if call is not None:
                reason = "the hub answered with something else than was asked for"
                call.fail(HubError(Code.protocolViolation, reason, request.store))
            return
        answer = Answer(reply, epoch)
        if request.writes:
            results = reply.results if isinstance(reply, replies.Committed) else (reply,)
            note = self._ephemerals.was_set_again if call is None else self._ephemerals.note
            for write, result in zip(request.writes, results):
                note(write, result, epoch)
            if held(flight, answer):
                return
        if call is not None:
            call.finish(answer)

    def cancel(self, call: Call) -> None:
        """The caller no longer waits."""
        for number, flight in self._flights.items():
            if flight.call is call:
                break
        else:
            return
        del self._flights[number]
        if not flight.request.is_read and (flight.may_have_run or flight.start is not None):
            reason = "the task was cancelled before the answer: whether the write was carried out is unknown"
            call.fail(HubError(Code.outcomeUnknown, reason, flight.request.store))
        else:
            call.fail(HubError(Code.closed, "the task was cancelled"))

    def expire(self, now: float, reason: HubError) -> None:
        """Fails the flights whose time is up, with the error of a connection that does not answer."""
        if self.earliest > now:
            return
        over = {number: flight for number, flight in self._flights.items() if flight.deadline <= now}
        for number in over:
            del self._flights[number]
        self.earliest = min((flight.deadline for flight in self._flights.values()), default=FOREVER)
        for flight in over.values():
            message = reason.message
            if not flight.request.is_read and (flight.may_have_run or flight.start is not None):
                message += "; whether the write was carried out is unknown"
            if flight.call is not None:
                flight.call.fail(HubError(reason.code, message, flight.request.store))

    def lose(self, are_untouched: bool) -> None:
        """The connection is gone: what was not sent, and what can be repeated, waits for the next one.
        `are_untouched`: the hub has carried out none of them."""
        failed = []
        for number, flight in list(self._flights.items()):
            if flight.start is None:
                continue
            if flight.call is None:
                # The values that are set again are set again by the next connection.
                del self._flights[number]
            elif are_untouched or flight.start >= self._output.sent:
                flight.start = None
            elif flight.request.is_repeatable:
                flight.start, flight.may_have_run = None, True
            else:
                del self._flights[number]
                failed.append(flight)
        for flight in failed:
            assert flight.call is not None
            flight.call.fail(outcome_unknown(flight.request))

    def fail_all(self, error: HubError) -> None:
        flights, self._flights, self.earliest = self._flights, {}, FOREVER
        for flight in flights.values():
            if flight.call is not None:
                flight.call.fail(error)
