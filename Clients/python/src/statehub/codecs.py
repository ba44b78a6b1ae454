"""A store's value as a program's own type."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Callable, Generic, Hashable, Optional, TypeVar

from .errors import Code, HubError
from .replies import State
from .requests import Condition
from .values import Json, Value, plain, shown

T = TypeVar("T")
Kind = TypeVar("Kind", bool, int, float, Json, str, bytes, dict[str, Any], list[Any])
"""What `Hub.value` takes by its type."""

_UNFIT = (ValueError, TypeError, ArithmeticError, LookupError, RecursionError)


class Codec(Generic[T]):
    """How a type is held in a store. `encode` and `decode` raise `ValueError` or `TypeError` for anything that does not
    fit."""

    def __init__(self, encode: Callable[[T], Value], decode: Callable[[Value], T], type_name: str) -> None:
        self._encode, self._decode, self.type_name = encode, decode, type_name

    def encode(self, value: T, store: str) -> Value:
        try:
            return self._encode(value)
        except HubError as error:
            raise HubError(error.code, error.message, store) from None
        except _UNFIT as error:
            raise HubError(Code.invalidValue, f"{shown(value)} is not a {self.type_name}: {error}", store) from None

    def decode(self, value: Value, store: str) -> T:
        try:
            return self._decode(value)
        except _UNFIT as error:
            raise HubError(
                Code.undecodable, f"the store's value is not a {self.type_name}: {error}", store) from None

    def __repr__(self) -> str:
        return f"<statehub.Codec of {self.type_name}>"


def _exactly(kind: type) -> Callable[[Any], Any]:
    def check(value: Any) -> Any:
        if type(value) is not kind:
            raise TypeError(f"it is of type {type(value).__name__}")
        return value
    return check


def _plainly(kind: type) -> Callable[[Any], Any]:
    check = _exactly(kind)
    return lambda value: value if type(value) is kind else check(plain(value))


def _number(value: Any) -> float:
    number = plain(value)
    if type(number) is int:
        return float(number)
    checked: float = _exactly(float)(number)
    return checked


def _json(value: Any) -> Json:
    return Json.of(value)


def _from_json(kind: type) -> Callable[[Any], Any]:
    def decode(value: Any) -> Any:
        if not isinstance(value, Json):
            raise TypeError(f"it is of type {type(value).__name__}")
        return _exactly(kind)(value.load())
    return decode


def _identity(value: Any) -> Any:
    return value


_codecs: dict[Any, Codec[Any]] = {
    float: Codec(_number, _exactly(float), "float"),
    dict: Codec(_json, _from_json(dict), "dict"),
    list: Codec(_json, _from_json(list), "list"),
    object: Codec(plain, _identity, "value"),
}
_codecs.update({
    kind: Codec(_plainly(kind), _exactly(kind), kind.__name__) for kind in (bool, int, str, bytes, Json)})


def codec_for(kind: Any) -> Codec[Any]:
    """Of `bool`, `int`, `float`, `str`, `bytes`, `Json`; `dict` and `list`, which are held as JSON; `object`: any value; or
    a `Codec` itself."""
    if isinstance(kind, Codec):
        return kind
    if not isinstance(kind, Hashable) or kind not in _codecs:
        raise HubError(
            Code.invalidValue, f"no store can hold a {shown(kind)}: use bool, int, float, str, bytes, Json, dict, list or a Codec")
    return _codecs[kind]


def is_built_in(codec: Codec[Any]) -> bool:
    return codec in _codecs.values()


@dataclass(frozen=True)
class Stored(Generic[T]):
    """A value together with its position in its store's history. `time` is in nanoseconds since 1970."""

    value: T
    revision: int
    epoch: str
    version: int
    time: int
    uid: int


def stored(state: State, epoch: str, codec: Codec[T], store: str) -> Stored[T]:
    return Stored(codec.decode(state.value, store), state.revision, epoch, state.version, state.time, state.uid)


def unchanged(since: Optional[Stored[Any]]) -> Condition:
    """The store has not changed since it was read. With None: it does not exist."""
    return Condition(absent=True) if since is None else Condition(revision=since.revision, epoch=since.epoch)
