"""The blocking client's handle on one store: reading and writing it, following it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Callable, Generic, Optional, TypeVar, overload

from . import replies, requests
from .codecs import Codec, Stored, is_built_in, stored, unchanged
from .errors import Code, HubError
from .events import Event, itself
from .iteration import Iteration
from .names import check_name
from .queue import Every, Latest, Policy
from .requests import ALWAYS, Condition, Write
from .stream import Stream
from .values import Value

if TYPE_CHECKING:
    from .blocking import Hub

T = TypeVar("T")


class SharedValue(Generic[T]):
    """A value that all programs of the machine (or of the user) share: a store of the hub, as a Python type."""

    def __init__(self, hub: Hub, name: str, codec: Codec[T]) -> None:
        self.hub, self.name, self._codec = hub, name, codec

    def __repr__(self) -> str:
        return f"<statehub.SharedValue {self.name!r}, a {self._codec.type_name}>"

    def get(self) -> T:
        """The value in the hub. It costs one request. `noSuchStore`; `undecodable` if it is of another type."""
        value: T = self.read().value
        return value

    def read(self) -> Stored[T]:
        """The value with its revision. It costs one request."""
        return self._read(None)

    def _read(self, deadline: Optional[float]) -> Stored[T]:
        answer = self.hub._perform(requests.get(self.name), deadline)
        return stored(answer.reply, answer.epoch, self._codec, self.name)

    def set(
        self, value: T, condition: Condition = ALWAYS, ttl: Optional[float] = None, ephemeral: bool = False,
        force: bool = False,
    ) -> replies.Written:
        """Sets the value. Creates the store if it does not exist, unless the hub requires declarations. Setting the
        same value succeeds and changes nothing, unless `force`.

        After a lost connection, a set conditional on a revision above 0 is repeated; any other fails with
        `outcomeUnknown`. `ttl`: the value expires after this many seconds, and the store returns to its initial value,
        or is removed. `ephemeral`: the value expires when this Hub disconnects. After a lost connection it is set again
        under the same condition, unless that was a revision; without a condition it is set again unless another program
        has set the store since."""
        return self.hub.write(self.setting(value, condition, ttl, ephemeral, force))

    def setting(
        self, value: T, condition: Condition = ALWAYS, ttl: Optional[float] = None, ephemeral: bool = False,
        force: bool = False,
    ) -> requests.Set:
        """The same as `set`, as a write for a transaction."""
        return requests.Set(
            self.name, self._codec.encode(value, self.name), condition, requests.milliseconds(ttl), ephemeral, force)

    def update(self, change: Callable[[T], T], default: Optional[T] = None) -> T:
        """Changes the value with a compare-and-set: reads it, applies `change`, and sets the result if no other process has set
        the store meanwhile. Otherwise it starts over with the newer value, so `change` may run several times. `default`: the
        value to start with if the store does not exist. `outcomeUnknown`: the connection was lost before the reply."""
        known, deadline = self._known(), self.hub._deadline()
        while True:
            if known is None:
                known = self._read_if_present(deadline)
            if known is None and default is None:
                raise HubError(
                    Code.noSuchStore, "there is no such store: give update a default, or set it first", self.name)
            value = change(known.value if known is not None else default)  # type: ignore[arg-type]
            try:
                self.hub._perform(requests.write(self.setting(value, unchanged(known))), deadline)
                return value
            except HubError as error:
                if error.code != Code.conflict:
                    raise
                known = None

    def _known(self) -> Optional[Stored[T]]:
        known = self.hub._core.watches.cached(self.name)
        if known is None:
            return None
        value, revision, version, epoch = known
        return Stored(self._codec.decode(value, self.name), revision, epoch, version, 0, 0)

    def _read_if_present(self, deadline: float) -> Optional[Stored[T]]:
        try:
            return self._read(deadline)
        except HubError as error:
            if error.code != Code.noSuchStore:
                raise
            return None

    @overload
    def add(self: "SharedValue[int]", delta: int, clamp: bool = False) -> int: ...
    @overload
    def add(self: "SharedValue[float]", delta: float, clamp: bool = False) -> float: ...
    @overload
    def add(self: "SharedValue[Value]", delta: float, clamp: bool = False) -> Value: ...

    def add(self, delta: Any, clamp: bool = False) -> Any:
        """Adds to the number in the hub, in one request, even if several processes add at the same time. `clamp`: stop at
        the schema's bound instead of failing. Never repeated."""
        return self._resulting(requests.Add(self.name, self._codec.encode(delta, self.name), clamp))

    @overload
    def toggle(self: "SharedValue[bool]") -> bool: ...
    @overload
    def toggle(self: "SharedValue[Value]") -> Value: ...

    def toggle(self) -> Any:
        """Turns true into false and false into true, in the hub. Never repeated."""
        return self._resulting(requests.Toggle(self.name))

    def reset(self) -> T:
        """Sets the store to the initial value of its schema. Never repeated."""
        return self._resulting(requests.Reset(self.name))

    def remove(self, condition: Condition = ALWAYS) -> replies.Written:
        """Removes the store; with a condition, which can only be a revision, only if the store still has it. Its
        watches stay open, and report the store when it is created again."""
        return self.hub.write(requests.Remove(self.name, condition))

    def _resulting(self, write: Write) -> T:
        value = self.hub.write(write).value
        if value is None:
            raise HubError(Code.protocolViolation, "the hub did not return the new value", self.name)
        return self._codec.decode(value, self.name)

    def values(self, policy: Optional[Policy] = None) -> Iteration[T]:
        """The current value, then the newest one after each change. Removals are not reported."""
        codec, name = self._codec, self.name
        stream = Stream((check_name(name),), policy or Latest(), True)
        return Iteration(
            self.hub._worker, stream, lambda event: codec.decode(event.value, name),  # type: ignore[arg-type]
            not is_built_in(codec))

    def events(self, policy: Optional[Policy] = None) -> Iteration[Event]:
        """Everything that happens to the store; by default every change."""
        stream = Stream((check_name(self.name),), policy or Every(), False)
        return Iteration(self.hub._worker, stream, itself)
