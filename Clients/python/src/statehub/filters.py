"""What the watches of a Hub leave out: checked here, done by the hub."""

from __future__ import annotations

import numbers
import struct
import sys
from typing import Optional

from .errors import Code, HubError


class Filter:
    """What the hub leaves out of all watches of a `Hub`. Values arrive at most once in `at_most` seconds (1 ms to 24
    h), and numbers only when they have changed by at least `by`, or by `percent` percent, since the previous value. The
    last value always arrives, at the latest when its interval ends. A deadband never leaves out a store's initial
    value, nor a removal. `skipped` counts what was left out."""

    def __init__(
        self, at_most: Optional[float] = None, by: Optional[float] = None, percent: Optional[float] = None
    ) -> None:
        parts, fields = 0, b""
        if at_most is not None:
            if not (isinstance(at_most, numbers.Real) and 0.001 <= at_most <= 86_400):
                raise HubError(Code.invalidValue, "the interval of a watch must be from 1 ms to 24 h")
            parts, fields = 1, struct.pack("<I", int(at_most * 1000 + 1e-6))
        for bit, amount in (2, by), (4, percent):
            if amount is not None:
                if not (isinstance(amount, numbers.Real) and 0 < amount <= sys.float_info.max):
                    raise HubError(Code.invalidValue, "a deadband must be a number above 0")
                parts, fields = parts | bit, fields + struct.pack("<d", amount)
        if parts not in (1, 2, 3, 4, 5):
            raise HubError(Code.invalidValue, "a filter needs an interval, one deadband, or both")
        self.encoded = bytes([parts]) + fields
