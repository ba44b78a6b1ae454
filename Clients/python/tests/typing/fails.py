"""Programs that a type checker must refuse: each line that ends with `# refused`, and no other. See tests/typing/check."""

from __future__ import annotations

import datetime

from statehub import Codec, Hub, Schema, Set, SharedValue, aio

moment: Codec[datetime.datetime] = Codec(
    lambda value: value.isoformat(), lambda value: datetime.datetime.fromisoformat(str(value)), "moment")


def blocking(hub: Hub) -> None:
    volume = hub.value("volume", int)
    text: str = volume.get()  # refused
    volume.set("6")  # refused
    volume.set(None)  # refused
    volume.update(lambda value: str(value))  # refused
    volume.update(lambda value: value + 1, default="0")  # refused
    volume.toggle()  # refused
    hub.value("text", str).add("x")  # refused
    hub.value("muted", bool).set("yes")  # refused
    hub.value("when", datetime.datetime)  # refused
    hub.value("when", moment).set("now")  # refused
    hub.value("theme", dict).set([1])  # refused
    other: SharedValue[str] = volume  # refused
    for value in volume.values():
        value.upper()  # refused
    for event in volume.events():
        event.valu  # refused
    hub.watch("a", policy=5)  # refused
    hub.create("a", "integer")  # refused
    Schema("integer", choices=5)  # refused
    Set("a", None)  # refused
    hub.transaction(5)  # refused
    print(text, other)


async def asynchronous(hub: aio.Hub) -> None:
    volume = hub.value("volume", int)
    text: str = await volume.get()  # refused
    await volume.set("6")  # refused
    await volume.toggle()  # refused
    await hub.value("text", str).add("x")  # refused
    hub.value("when", datetime.datetime)  # refused
    async for value in volume.values():
        value.upper()  # refused
    print(text)
