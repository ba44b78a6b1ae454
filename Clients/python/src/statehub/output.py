"""The frames that wait for the socket, and how much of this connection's output it has taken. It sends nothing."""

from __future__ import annotations

from typing import Optional


DEFAULT_LIMIT = 1 << 20
"""Before the hub has told its own."""


class Output:
    def __init__(self) -> None:
        self.buffer = bytearray()
        """Empty if the socket has taken everything."""
        self._start = 0
        self.sent = 0
        """How many bytes of this connection's output the socket has taken in all."""
        self.limit = DEFAULT_LIMIT
        """The longest frame that the hub takes."""

    def __len__(self) -> int:
        return len(self.buffer) - self._start

    @property
    def end(self) -> int:
        """Where the next frame begins in this connection's output."""
        return self.sent + len(self)

    @property
    def unsent(self) -> bytes:
        """What the socket has to take next; of much a part."""
        return bytes(self.buffer[self._start:self._start + (1 << 18)])

    def problem(self, length: int) -> Optional[str]:
        """Why the hub does not take a frame of that length, and would end the connection."""
        return None if length <= self.limit else f"the request takes {length} bytes, but the hub accepts at most {self.limit}"

    def append(self, frame: bytes) -> None:
        self.buffer += frame

    def did_send(self, count: int) -> None:
        self._start += count
        self.sent += count
        if self._start == len(self.buffer) or self._start > 1 << 20:
            del self.buffer[:self._start]
            self._start = 0

    def clear(self) -> None:
        """Another connection begins."""
        self.buffer.clear()
        self._start = self.sent = 0
