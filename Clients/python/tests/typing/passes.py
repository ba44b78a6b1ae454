"""Programs that a type checker must accept. They are checked, not run: see tests/typing/check."""

from __future__ import annotations

import datetime
import pathlib
from typing import Any, Optional

from statehub import (
    Add, Codec, Condition, Event, Every, Hub, Iteration, Json, Latest, Schema, Set, SharedValue, Stored, Value, Written, aio)

moment: Codec[datetime.datetime] = Codec(
    lambda value: value.isoformat(), lambda value: datetime.datetime.fromisoformat(str(value)), "moment")


def blocking() -> None:
    with Hub(pathlib.Path("/run/hub.sock"), "name", timeout=1) as hub:
        volume: SharedValue[int] = hub.value("volume", int)
        number: int = volume.get() + volume.add(1, clamp=True) + volume.reset()
        written: Written = volume.set(number, Condition(absent=True), ttl=1.5, ephemeral=True, force=True)
        stored: Stored[int] = volume.read()
        volume.set(stored.value + written.version, Condition(revision=stored.revision, epoch=stored.epoch))
        volume.update(lambda value: value + 1, default=0)
        for value in volume.values(Latest(3)):
            number = value
        maybe: Optional[int] = volume.values().next(1.0)
        muted: bool = hub.value("muted", bool).toggle()
        ratio: float = hub.value("ratio", float).add(0.5)
        text: str = hub.value("text", str).get()
        data: bytes = hub.value("data", bytes).get()
        json: Json = hub.value("json", Json).get()
        theme: dict[str, Any] = hub.value("theme", dict).get()
        names: list[Any] = hub.value("names", list).get()
        when: datetime.datetime = hub.value("when", moment).get()
        anything: SharedValue[Value] = hub.value("anything")
        anything.set("text")
        anything.set(1)
        hub.create("volume", Schema("integer", minimum=0, choices=[1, 2, 3]), if_absent=True)
        hub.create("volume", Schema("integer", choices=(1, 2, 3)))
        hub.transaction(Add("a", 1), Set("b", "x"), volume.setting(5))
        event: Event
        for event in hub.watch("a.*", "b", policy=Every(10)):
            print(event.name, event.value, event.skipped)
        print(maybe, muted, ratio, text, data, json, theme, names, when)


async def asynchronous() -> None:
    async with aio.Hub() as hub:
        volume: aio.SharedValue[int] = hub.value("volume", int)
        number: int = await volume.get() + await volume.add(1)
        stored: Stored[int] = await volume.read()
        async for value in volume.values():
            number = value + stored.value
        muted: bool = await hub.value("muted", bool).toggle()
        events: aio.Iteration[Event] = volume.events().open()
        async for event in events:
            print(event.kind, number, muted)
        when: datetime.datetime = await hub.value("when", moment).get()
        print(when)


def iterations(hub: Hub) -> Iteration[str]:
    return hub.value("text", str).values()
