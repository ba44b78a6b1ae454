"""Pending requests: what becomes of each when its reply, its deadline or the end of the connection comes."""

from __future__ import annotations

import numbers
from typing import Any, Callable, Optional

from . import replies
from .call import Answer, Call
from .ephemerals import Ephemerals
from .errors import Code, HubError
from .output import Output
from .requests import HEADER, Request
from .values import shown

FOREVER = float("inf")


def checked_timeout(seconds: float) -> float:
    if not (isinstance(seconds, numbers.Real) and seconds >= 0):
        raise HubError(Code.invalidValue, f"a time-out must be a number of seconds, at least 0, not {shown(seconds)}")
    return seconds


class PendingRequest:
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
        "the connection was lost before the reply: the outcome of the write is unknown, read to find out",
        request.store)


class PendingRequests:
    def __init__(self, output: Output, ephemerals: Ephemerals) -> None:
        self._output = output
        self._ephemerals = ephemerals
        self._pending: dict[int, PendingRequest] = {}
        self.earliest = FOREVER
        """No later than the first deadline of a request."""

    def __len__(self) -> int:
        return len(self._pending)

    def __contains__(self, number: int) -> bool:
        return number in self._pending

    def add(self, number: int, request: Request, call: Optional[Call], deadline: float) -> None:
        self._pending[number] = PendingRequest(request, call, deadline)
        if deadline < self.earliest:
            self.earliest = deadline

    def write(self, number: int) -> None:
        """Writes a request's frame to the output. One that is too long would end the connection: it fails instead."""
        pending = self._pending.get(number)
        if pending is None:
            return
        request = pending.request
        problem = self._output.problem(len(request.payload) + HEADER)
        if problem is not None:
            del self._pending[number]
            if pending.call is not None:
                pending.call.fail(HubError(Code.frameTooLarge, problem, request.store))
            return
        pending.start = self._output.end
        self._output.append(request.frame(number))

    def write_waiting(self) -> None:
        """Writes everything that was not written to this connection, in the order in which it was begun."""
        for number in sorted(number for number, pending in self._pending.items() if pending.start is None):
            self.write(number)

    def complete(
        self, number: int, kind: int, reply: Any, epoch: str, held: Callable[[PendingRequest, Answer, float], bool],
        now: float,
    ) -> None:
        """A reply has arrived; `held` decides whether a write's is held back. Replies to callers that have given up are
        dropped."""
        pending = self._pending.pop(number, None)
        if pending is None:
            return
        call, request = pending.call, pending.request
        if isinstance(reply, HubError):
            if call is None:
                for write in request.writes:
                    self._ephemerals.forget(write)
            elif reply.code == Code.conflict and pending.may_have_run:
                # It may be its own first attempt that it is in conflict with.
                call.fail(outcome_unknown(request))
            else:
                call.fail(reply)
            return
        if kind != replies.ANSWERS[request.kind]:
            if call is not None:
                reason = "the hub sent a reply of another kind than requested"
                call.fail(HubError(Code.protocolViolation, reason, request.store))
            return
        answer = Answer(reply, epoch)
        if request.writes:
            results = reply.results if isinstance(reply, replies.Committed) else (reply,)
            note = self._ephemerals.was_set_again if call is None else self._ephemerals.note
            for write, result in zip(request.writes, results):
                note(write, result, epoch)
            if held(pending, answer, now):
                return
        if call is not None:
            call.finish(answer)

    def cancel(self, call: Call) -> None:
        """The caller no longer waits."""
        for number, pending in self._pending.items():
            if pending.call is call:
                break
        else:
            return
        del self._pending[number]
        if not pending.request.is_read and (pending.may_have_run or pending.start is not None):
            reason = "the task was cancelled before the reply: the outcome of the write is unknown"
            call.fail(HubError(Code.outcomeUnknown, reason, pending.request.store))
        else:
            call.fail(HubError(Code.closed, "the task was cancelled"))

    def expire(self, now: float, reason: HubError) -> None:
        """Fails the requests whose time is up, with the error of a connection that does not answer."""
        if self.earliest > now:
            return
        over = {number: pending for number, pending in self._pending.items() if pending.deadline <= now}
        for number in over:
            del self._pending[number]
        self.earliest = min((pending.deadline for pending in self._pending.values()), default=FOREVER)
        for pending in over.values():
            message = reason.message
            if not pending.request.is_read and (pending.may_have_run or pending.start is not None):
                message += "; the outcome of the write is unknown"
            if pending.call is not None:
                pending.call.fail(HubError(reason.code, message, pending.request.store))

    def lose(self, are_untouched: bool) -> None:
        """The connection is gone: what was not sent, and what can be repeated, waits for the next one.
        `are_untouched`: the hub has carried out none of them."""
        failed = []
        for number, pending in list(self._pending.items()):
            if pending.start is None:
                continue
            if pending.call is None:
                # The values that are set again are set again by the next connection.
                del self._pending[number]
            elif are_untouched or pending.start >= self._output.sent:
                pending.start = None
            elif pending.request.is_repeatable:
                pending.start, pending.may_have_run = None, True
            else:
                del self._pending[number]
                failed.append(pending)
        for pending in failed:
            assert pending.call is not None
            pending.call.fail(outcome_unknown(pending.request))

    def silence(self) -> None:
        """Requests end without waking their callers."""
        for pending in self._pending.values():
            if pending.call is not None:
                pending.call.on_done = None

    def fail_all(self, error: HubError) -> None:
        all_pending, self._pending, self.earliest = self._pending, {}, FOREVER
        for pending in all_pending.values():
            if pending.call is not None:
                pending.call.fail(error)
