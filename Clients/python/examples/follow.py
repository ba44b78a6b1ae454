"""Follows a store and counts it up, in one asyncio program: python3 follow.py [NAME]. It ends at 100."""

import asyncio
import sys

from statehub import aio


async def follow(volume):
    async for event in volume.events():
        if event.value is not None:
            print(f"{volume.name}: {event.value}, {event.skipped} skipped", flush=True)
        if event.value == 100:
            return


async def count(volume):
    for _ in range(100):
        await volume.update(lambda value: value + 1, default=0)


async def main(name):
    async with aio.Hub() as hub:
        volume = hub.value(name, int)
        await volume.set(0)
        await asyncio.gather(follow(volume), count(volume))


asyncio.run(main(sys.argv[1] if len(sys.argv) > 1 else "audio.volume"))
