"""What can go wrong: one exception with a code that never changes its meaning."""

from __future__ import annotations

import enum
from typing import Union


class Code(enum.IntEnum):
    """The codes of docs/protocol.md, under the same names. Those of 100 and above arise in the client."""

    # made from Sources/HubCore: codes
    malformed = 1
    unknownKind = 2
    unsupportedVersion = 3
    notSupported = 4
    frameTooLarge = 5
    helloExpected = 6
    noSuchStore = 10
    conflict = 11
    invalidName = 12
    invalidPattern = 13
    typeMismatch = 14
    outOfRange = 15
    notAChoice = 16
    tooLarge = 17
    invalidValue = 18
    overflow = 19
    invalidSchema = 20
    schemaConflict = 21
    declared = 22
    undeclared = 23
    reserved = 24
    noInitialValue = 25
    denied = 30
    quota = 31
    claimed = 32
    unavailable = 33
    unanswered = 34
    refused = 35
    durabilityUnknown = 40
    storageFailed = 41
    invalidConfiguration = 45
    reloadFailed = 46
    shuttingDown = 50
    notReading = 51
    noHub = 100
    timeout = 101
    outcomeUnknown = 102
    connectionLost = 103
    protocolViolation = 104
    undecodable = 105
    closed = 106
    # end of what is made
    misused = 107


class HubError(Exception):
    """A request, a watch or a connection failed.

    `code` is a `Code`, or a number that a later hub has introduced. `store` is the name that the error is about, or
    empty. `operation` is the index of the failed write in a transaction. `revision` is the store's, with
    `conflict`.
    """

    def __init__(
        self, code: Union[Code, int], message: str, store: str = "", operation: int = 0, revision: int = 0
    ) -> None:
        message, store = _printable(message), _printable(store)
        super().__init__(code, message)
        self.code = code
        self.message = message
        self.store = store
        self.operation = operation
        self.revision = revision

    @property
    def word(self) -> str:
        """The code's name in the protocol, or the number of an unknown code."""
        return self.code.name if isinstance(self.code, Code) else str(self.code)

    def __str__(self) -> str:
        return f"{self.store}: {self.message}" if self.store else self.message


def _printable(text: str) -> str:
    """A name or path that a program has given may hold what no terminal takes."""
    return text.encode(errors="backslashreplace").decode()


def known(code: int) -> Union[Code, int]:
    """The code of that number, or the number itself if this version does not know it."""
    try:
        return Code(code)
    except ValueError:
        return code


def ended(reason: int, message: str) -> HubError:
    """The error that a connection ends with once the hub has said why it ends it."""
    codes = {1: Code.shuttingDown, 2: Code.notReading, 3: Code.protocolViolation, 4: Code.quota}
    return HubError(codes.get(reason, Code.connectionLost), message)
