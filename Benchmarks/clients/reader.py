"""A reader in Python: prints the processor time from the first change to the last, in nanoseconds per change.

usage: reader.py bare|statehub|bare-asyncio|asyncio|redis|redis-asyncio SOCKET COUNT
"""

import asyncio
import pathlib
import socket
import struct
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "Clients/python/src"))
from statehub import requests  # noqa: E402
from statehub.kinds import CHANGE  # noqa: E402

kind, path, last = sys.argv[1], sys.argv[2], int(sys.argv[3])
clock = time.process_time_ns


class Meter:
    """Sees every value in order."""

    def __init__(self):
        self.seen = 0

    def sees(self, value):
        """Whether it is the last one."""
        if value == 1:
            self.began = clock()
        self.seen += value
        return value == last

    def report(self):
        print(f"{(clock() - self.began) / (last - 1):.1f}")
        sys.exit(self.seen != last * (last + 1) // 2)


REQUESTS = requests.hello("bare").frame(1) + requests.watch(["audio.volume"], True, None).frame(2)
SIZE, VALUE = struct.Struct("<I").unpack_from, struct.Struct("<q").unpack_from


def values(data):
    """The values in whole frames, and what is left: the least that a reader in Python does."""
    at, found = 0, []
    while len(data) - at >= 12 and len(data) - at >= 12 + SIZE(data, at)[0]:
        if data[at + 4] == CHANGE:
            found.append(VALUE(data, at + 12 + 36 + 5)[0])
        at += 12 + SIZE(data, at)[0]
    return found, data[at:]


def bare(meter):
    with socket.socket(socket.AF_UNIX) as hub:
        hub.connect(path)
        hub.sendall(REQUESTS)
        rest = b""
        while True:
            found, rest = values(rest + hub.recv(1 << 16))
            for value in found:
                if meter.sees(value):
                    return


async def bare_asynchronous(meter):
    reader, writer = await asyncio.open_unix_connection(path)
    writer.write(REQUESTS)
    rest = b""
    while True:
        found, rest = values(rest + await reader.read(1 << 16))
        for value in found:
            if meter.sees(value):
                return writer.close()


def blocking(meter):
    import statehub
    with statehub.Hub(path) as hub:
        for event in hub.value("audio.volume", int).events(statehub.Every(1 << 20)):
            if event.kind == "changed" and meter.sees(event.value):
                return


async def asynchronous(meter):
    import statehub
    async with statehub.aio.Hub(path) as hub:
        async for event in hub.value("audio.volume", int).events(statehub.Every(1 << 20)):
            if event.kind == "changed" and meter.sees(event.value):
                return


def redis_blocking(meter):
    import redis
    with redis.Redis(unix_socket_path=path, protocol=2).pubsub() as channel:
        channel.subscribe("audio.volume")
        for message in channel.listen():
            if message["type"] == "message" and meter.sees(int(message["data"])):
                return


async def redis_asynchronous(meter):
    import redis.asyncio as redis
    async with redis.Redis(unix_socket_path=path, protocol=2).pubsub() as channel:
        await channel.subscribe("audio.volume")
        async for message in channel.listen():
            if message["type"] == "message" and meter.sees(int(message["data"])):
                return


meter = Meter()
work = {"bare": bare, "bare-asyncio": bare_asynchronous, "statehub": blocking, "asyncio": asynchronous,
        "redis": redis_blocking, "redis-asyncio": redis_asynchronous}[kind]
if "asyncio" in kind:
    asyncio.run(work(meter))
else:
    work(meter)
meter.report()
