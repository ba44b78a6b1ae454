"""The goals of the hub, each a ratio of two figures of one run, and the budgets that continuous integration holds it to."""


class Goal:
    """`figure` and `against` are (row, peer, measure); without `against` the figure itself is judged.

    `limit` is the goal; `budget`, if there is one, the wider bound that the quick form checks: what a regression of a
    third or more exceeds, and what a busy machine does not."""

    def __init__(self, text, figure, against, limit, budget=None, growth=None):
        self.text, self.figure, self.against, self.limit = text, figure, against, limit
        self.budget, self.growth = budget, growth

    def value(self, results):
        """The ratio, or None if something was not measured."""
        value = _ratio(results, self.figure, self.against)
        if value is not None and self.growth:
            growth = _ratio(results, *self.growth)
            return value / growth if growth else None
        return value

    def floor(self, results):
        """The same ratio of the C broker that only moves bytes, where a peer is the measure: less cannot be reached."""
        if self.against is None or self.figure[0] != self.against[0] or self.against[1] in FLOORS:
            return None
        row, _, measure = self.figure
        ratios = [_ratio(results, (row, floor, measure), self.against) for floor in FLOORS]
        return min((ratio for ratio in ratios if ratio is not None), default=None)


def _ratio(results, figure, against):
    value = results.median(*figure)
    if value is None or against is None:
        return value
    base = results.median(*against)
    return value / base if base else None


def _of(row, measure, peer, other, *bounds):
    return (row, peer, measure), (row, other, measure), *bounds


FLOORS = ["uds-raw", "uds-batch"]
DELIVERY, OPERATION = "broker_us_per_delivery", "broker_us_per_operation"


def goals():
    hub = "statehub"
    return [
        Goal("one update to 64, CPU per delivery, of uds-raw",
             *_of("m1 n64", DELIVERY, hub, "uds-raw", 1.10, 1.6)),
        Goal("one update to 1,000, CPU per delivery, of uds-raw",
             *_of("m1 n1000", DELIVERY, hub, "uds-raw", 1.10, 1.6)),
        Goal("one update to 1,000, last receipt, of redis",
             *_of("m1 n1000", "last_p50_us", hub, "redis", 0.85, 1.5)),
        Goal("one update to 1,000, first receipt, of redis",
             *_of("m1 n1000", "first_p50_us", hub, "redis", 0.30)),
        Goal("64 in flight to 64, CPU per delivery, of redis",
             *_of("m2 n64", DELIVERY, hub, "redis", 0.40, 0.8)),
        Goal("64 in flight to 1,000, CPU per delivery, of redis",
             *_of("m2 n1000", DELIVERY, hub, "redis", 0.40, 0.8)),
        Goal("64 stores, each subscriber watches one, CPU per delivery, of one store",
             ("m2 each", hub, DELIVERY), ("m2 one", hub, DELIVERY), 1.5),
        Goal("64 stores, all watch them by one pattern, CPU per delivery, of one store",
             ("m2 glob", hub, DELIVERY), ("m2 one", hub, DELIVERY), 1.5),
        Goal("values of 64 KiB to 64, CPU per delivery, of redis",
             *_of("size 65536", DELIVERY, hub, "redis", 0.80, 1.2)),
        Goal("the same in its dearest eighth, of redis' median",
             ("size 65536", hub, "dearest_us_per_delivery"), ("size 65536", "redis", DELIVERY), 0.80),
        Goal("values of 64 KiB to 64, redis' throughput, of statehub's",
             ("size 65536", "redis", "megabytes_per_s"), ("size 65536", hub, "megabytes_per_s"), 1 / 1.2),
        Goal("the same, of statehub's slowest eighth",
             ("size 65536", "redis", "megabytes_per_s"), ("size 65536", hub, "slowest_megabytes_per_s"), 1.0),
        Goal("values of 512 KiB to 64, CPU per delivery, of dbus-broker",
             *_of("size 524288", DELIVERY, hub, "dbus-broker", 0.90)),
        Goal("512 in flight to 64, CPU per delivery, of uds-batch",
             *_of("rate 512", DELIVERY, hub, "uds-batch", 1.3)),
        Goal("get on 1 connection, p50, of redis", *_of("m3 get c1", "p50_us", hub, "redis", 1.05)),
        Goal("set on 1 connection, p50, of redis", *_of("m3 set c1", "p50_us", hub, "redis", 1.05)),
        Goal("get on 50 connections, CPU, of redis", *_of("m3 get c50", OPERATION, hub, "redis", 0.75, 1.1)),
        Goal("set on 50 connections, CPU, of redis", *_of("m3 set c50", OPERATION, hub, "redis", 0.75, 1.1)),
        Goal("64 gets in one write, CPU, of redis", *_of("m3 get d64", OPERATION, hub, "redis", 0.50, 0.8)),
        Goal("64 sets in one write, CPU, of redis", *_of("m3 set d64", OPERATION, hub, "redis", 0.50, 0.8)),
        Goal("bytes per idle subscriber", ("m4", hub, "bytes_per_subscriber"), None, 200, 400),
        Goal("connect and subscribe, CPU, of uds-raw",
             *_of("m4", "broker_us_per_connect", hub, "uds-raw", 1.5, 2.5)),
        Goal("statectl get, wall, of the smallest C program",
             ("m5", "statectl get", "wall_ms"), ("m5", "smallest C program, get", "wall_ms"), 1.6, 3.0),
        Goal("statectl get, CPU, of the smallest C program",
             ("m5", "statectl get", "cpu_ms"), ("m5", "smallest C program, get", "cpu_ms"), 1.6, 3.0),
        Goal("statectl get, wall, of redis-cli",
             ("m5", "statectl get", "wall_ms"), ("m5", "redis-cli get", "wall_ms"), 0.35, 0.7),
        Goal("cold start, of dbus-daemon", *_of("m6", "wall_ms", hub, "dbus-daemon", 1.0, 1.6)),
        Goal("set with 1,000 stopped watchers, CPU, of set without",
             ("stopped 1000", "statehub-latest", OPERATION), ("stopped 0", "statehub-latest", OPERATION), 1.05, 1.4),
        Goal("durable set on 50 connections, CPU, of redis with appendonly everysec",
             ("durable c50", "statehub-relaxed", OPERATION), ("durable c50", "redis-everysec", OPERATION), 0.85, 1.3),
        Goal("from 64 to 10,000 subscribers, CPU per delivery, of the growth of uds-raw",
             ("m1 n10000", hub, DELIVERY), ("m1 n64", hub, DELIVERY), 1.3,
             growth=(("m1 n10000", "uds-raw", DELIVERY), ("m1 n64", "uds-raw", DELIVERY))),
        Goal("from 1 to 100,000 stores, CPU per set",
             ("stores 100000", hub, OPERATION), ("stores 1", hub, OPERATION), 1.3),
        Goal("from a new to a full change log, CPU per set",
             ("ring full", hub, OPERATION), ("ring new", hub, OPERATION), 1.3),
        Goal("1,000 busy stores, one of them watched, CPU per set, of unwatched",
             ("busy watched", "statehub-latest", OPERATION), ("busy unwatched", "statehub-latest", OPERATION),
             1.3, 1.6),
    ]


def losses(results):
    """Every update that somebody did not get, by row and peer."""
    found = []
    for (row, peer, measure), values in results.figures.items():
        if measure in ("missing", "gaps", "stalls", "failures") and max(values) > 0 and peer != "uds-lossy":
            found.append(f"{row}, {peer}: {measure} {max(values):g}")
    return found
