"""A store's value as a program's own type."""

from __future__ import annotations

from typing import Any, Callable, Generic, NamedTuple, Optional, TypeVar

from .errors import Code, HubError
from .replies import State
from .requests import Condition
from .values import Json, Value

T = TypeVar("T")


class Codec(Generic[T]):
    """How a type is held in a store. `decode` raises `ValueError` or `TypeError` for a value of another type."""

    def __init__(self, encode: Callable[[T], Value], decode: Callable[[Value], T], type_name: str) -> None:
        self._encode, self._decode, self._type_name = encode, decode, type_name

    def encode(self, value: T, store: str) -> Value:
        try:
            return self._encode(value)
        except (ValueError, TypeError) as error:
            raise HubError(Code.invalidValue, f"{value!r} is no {self._type_name}: {error}", store) from None

    def decode(self, value: Value, store: str) -> T:
        try:
            return self._decode(value)
        except (ValueError, TypeError) as error:
            raise HubError(
                Code.undecodable, f"the store's value is not a {self._type_name}: {error}", store) from None


def _exactly(kind: type) -> Callable[[Any], Any]:
    def check(value: Any) -> Any:
        if type(value) is not kind:
            raise TypeError(f"it is of type {type(value).__name__}")
        return value
    return check


def _number(value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise TypeError(f"it is of type {type(value).__name__}")
    return float(value)


def _bytes(value: Any) -> bytes:
    if not isinstance(value, (bytes, bytearray, memoryview)):
        raise TypeError(f"it is of type {type(value).__name__}")
    return bytes(value)


def _from_json(kind: type) -> Callable[[Any], Any]:
    def decode(value: Any) -> Any:
        if not isinstance(value, Json):
            raise TypeError(f"it is of type {type(value).__name__}")
        return _exactly(kind)(value.load())
    return decode


def _identity(value: Any) -> Any:
    return value


_codecs: dict[Any, Codec[Any]] = {
    bool: Codec(_exactly(bool), _exactly(bool), "bool"),
    int: Codec(_exactly(int), _exactly(int), "int"),
    float: Codec(_number, _exactly(float), "float"),
    str: Codec(_exactly(str), _exactly(str), "str"),
    bytes: Codec(_bytes, _exactly(bytes), "bytes"),
    Json: Codec(_exactly(Json), _exactly(Json), "Json"),
    dict: Codec(Json.of, _from_json(dict), "dict"),
    list: Codec(Json.of, _from_json(list), "list"),
    object: Codec(_identity, _identity, "value"),
}


def codec_for(kind: Any) -> Codec[Any]:
    """Of `bool`, `int`, `float`, `str`, `bytes`, `Json`; `dict` and `list`, which are held as JSON; `object`: any value; or
    a `Codec` itself."""
    if isinstance(kind, Codec):
        return kind
    if kind not in _codecs:
        raise HubError(
            Code.invalidValue, f"no store holds a {kind}: give bool, int, float, str, bytes, Json, dict, list or a Codec")
    return _codecs[kind]


class Stored(NamedTuple):
    """A value together with its position in its store's history. `time` is in nanoseconds since 1970."""

    value: Any
    revision: int
    epoch: str
    version: int
    time: int
    uid: int


def stored(state: State, epoch: str, codec: Codec[Any], store: str) -> Stored:
    return Stored(codec.decode(state.value, store), state.revision, epoch, state.version, state.time, state.uid)


def unchanged(since: Optional[Stored]) -> Condition:
    """The store has not changed since it was read; None: there is no such store."""
    return Condition(absent=True) if since is None else Condition(revision=since.revision, epoch=since.epoch)
