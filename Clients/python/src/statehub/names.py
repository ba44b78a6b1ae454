"""Names of stores, and the patterns that match them."""

from __future__ import annotations

import functools
import re
from typing import Callable, Pattern

from .errors import Code, HubError
from .values import shown

_NAME = re.compile(r"[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+)*\Z")
_PATTERN = re.compile(r"([A-Za-z0-9_-]+|\*\*?)(\.([A-Za-z0-9_-]+|\*\*?))*\Z")
LONGEST = 255


def is_name(text: str) -> bool:
    """Whether a store can have this name. The name may still be reserved for the hub."""
    return isinstance(text, str) and len(text) <= LONGEST and _NAME.match(text) is not None


def is_pattern(text: str) -> bool:
    """Whether this is a name in which whole components may be `*` (one component) or `**` (any number)."""
    return isinstance(text, str) and len(text) <= LONGEST and _PATTERN.match(text) is not None


def shown_name(text: object) -> str:
    """What is not a name, for an error that names it."""
    return str(text)[:LONGEST] if isinstance(text, str) else shown(text)


def check_name(text: str) -> str:
    if not is_name(text):
        raise HubError(
            Code.invalidName, "a name consists of components of A-Z a-z 0-9 _ - with single dots between them", shown_name(text))
    return text


def check_pattern(text: str) -> str:
    if not is_pattern(text):
        raise HubError(
            Code.invalidPattern, "a pattern is a name in which whole components may be * or **", shown_name(text))
    return text


@functools.lru_cache(maxsize=1024)
def matcher(pattern: str) -> Callable[[str], bool]:
    """A function that says whether a valid name matches a valid pattern, in linear time for each `**`.

    One with many `**` remembers the last one instead of trying every split.
    """
    parts = pattern.split(".")
    if "*" not in pattern:
        return pattern.__eq__
    if "**" not in parts:
        body = r"\.".join(r"[^.]+" if part == "*" else re.escape(part) for part in parts)
        compiled: Pattern[str] = re.compile(body + r"\Z")
        return lambda name: compiled.match(name) is not None
    return lambda name: _glob(parts, name.split("."))


def _glob(parts: list[str], components: list[str]) -> bool:
    part = component = 0
    last_part = last_component = -1
    while component < len(components):
        if part < len(parts) and parts[part] == "**":
            last_part, last_component = part, component
            part += 1
        elif part < len(parts) and parts[part] in ("*", components[component]):
            part += 1
            component += 1
        elif last_part >= 0:
            last_component += 1
            part, component = last_part + 1, last_component
        else:
            return False
    return all(rest == "**" for rest in parts[part:])
