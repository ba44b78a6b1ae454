"""What the watches of a Hub leave out: checked here, done by the hub."""

from __future__ import annotations

import numbers
import struct
import sys
from typing import Optional, Union

from .errors import Code, HubError
from .values import BOOLEAN, JSON, Value, encode


class Filter:
    """What the hub leaves out of all watches of a `Hub`. Values arrive at most once in `at_most` seconds (1 ms to 24
    h), and numbers only when they have changed by at least `by`, or by `percent` percent, since the previous value. The
    last value always arrives, at the latest when its interval ends. A deadband never leaves out a store's initial
    value, nor a removal. `when` is a condition, `(">", 80)`, `("==", "on", "standby")` or `("present",)`: values arrive when it
    becomes true and when it stops being true. The comparisons are ==, !=, <, <=, >, >=, present and absent; a value of
    another type always arrives. `skipped` counts what was left out. With a `deadline` in seconds (1 ms to 24 h) the state of a
    store that was not written for that long arrives again, with `overdue`, and once more without it at the next write, even
    of an equal value. What was left out counts as written."""

    def __init__(
        self, at_most: Optional[float] = None, by: Optional[float] = None, percent: Optional[float] = None,
        when: Optional[tuple[Union[str, Value], ...]] = None, deadline: Optional[float] = None,
    ) -> None:
        parts, fields = 0, b""
        if at_most is not None:
            parts, fields = 1, _milliseconds(at_most, "interval")
        for bit, amount in (2, by), (4, percent):
            if amount is not None:
                if not (isinstance(amount, numbers.Real) and 0 < amount <= sys.float_info.max):
                    raise HubError(Code.invalidValue, "a deadband must be a number above 0")
                parts, fields = parts | bit, fields + struct.pack("<d", amount)
        if parts & 6 == 6:
            raise HubError(Code.invalidValue, "a filter can have only one deadband")
        if when is not None:
            parts, fields = parts | 8, fields + _condition(when)
        if deadline is not None:
            parts, fields = parts | 16, fields + _milliseconds(deadline, "deadline")
        if not parts:
            raise HubError(Code.invalidValue, "a filter needs an interval, a deadband, a condition or a deadline")
        self.encoded = bytes([parts]) + fields


def _milliseconds(seconds: float, word: str) -> bytes:
    if not (isinstance(seconds, numbers.Real) and 0.001 <= seconds <= 86_400):
        raise HubError(Code.invalidValue, f"the {word} of a watch must be from 1 ms to 24 h")
    return struct.pack("<I", int(seconds * 1000 + 1e-6))


_COMPARISONS = ("==", "!=", "<", "<=", ">", ">=", "present", "absent")


def _condition(when: tuple[Union[str, Value], ...]) -> bytes:
    if not (isinstance(when, tuple) and when and when[0] in _COMPARISONS):
        raise HubError(Code.invalidValue, f"a condition is a tuple: one of {', '.join(_COMPARISONS)}, and the value to compare with")
    comparison, operands = _COMPARISONS.index(when[0]) + 1, when[1:]
    is_equality = comparison <= 2
    least, most = (1, 255) if is_equality else (1, 1) if comparison <= 6 else (0, 0)
    if not least <= len(operands) <= most:
        raise HubError(Code.invalidValue, f"{when[0]} takes {'no value' if most == 0 else 'a value' if most == 1 else 'values'}")
    values = [encode(operand) for operand in operands]
    if not is_equality and any(value[0] in (BOOLEAN, JSON) for value in values):
        raise HubError(Code.invalidValue, f"{when[0]} takes numbers, strings and data, which have an order")
    encoded = bytes([comparison, len(values)]) + b"".join(values)
    if len(encoded) > 1024:
        raise HubError(Code.invalidValue, "a condition takes at most 1024 bytes in a request")
    return encoded
