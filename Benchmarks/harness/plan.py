"""What is measured: every row of the tables as one call of the load generator, for the full and the quick form."""

PEERS = ["statehub", "redis", "mosquitto", "nats", "dbus-daemon", "dbus-broker", "uds-raw", "uds-batch"]
KEEPERS = ["statehub", "redis", "mosquitto", "nats-kv", "dbus-daemon", "dbus-broker", "uds-raw"]
# Bytes of a value. The longest is nearly as long as a frame may be.
SIZES = [16, 64, 256, 1024, 4096, 16384, 65536, 262144, 524288, 1000000]
# Updates in flight.
RATES = [1, 8, 64, 512]
STORES = [1, 100, 10000, 100000]
QUICK = {"statehub", "statehub-latest", "redis", "uds-raw", "uds-batch", "dbus-daemon"}


class Row:
    """One configuration, measured for each of its peers in turn.

    `fresh`: each measurement starts a broker of its own. `often`: how many times per round (short ones spread widely)."""

    def __init__(self, key, measurement, peers, arguments=(), fresh=False, quick=False, often=1, once=False):
        self.key, self.measurement, self.peers = key, measurement, peers
        self.arguments = [str(word) for word in arguments]
        self.fresh, self.quick, self.often, self.once = fresh, quick, often, once


def rows(quick):
    """The rows in the order in which a round takes them."""
    latency, throughput, request = ("0.15", "0.2", "0.15") if quick else ("0.5", "0.6", "0.4")
    many = 1000 if quick else 10000
    plan = [
        Row("m1 n1", "latency", PEERS, ["--subscribers", 1, "--pinned", "--seconds", latency]),
        Row("m1 n64", "latency", PEERS, ["--subscribers", 64, "--seconds", latency], quick=True, often=2),
        Row("m1 n1000", "latency", PEERS, ["--subscribers", 1000, "--seconds", latency], quick=True, often=2),
        Row("m1 n10000", "latency", ["statehub", "uds-raw"], ["--subscribers", 10000, "--seconds", "1"]),
        Row("m2 n64", "throughput", PEERS, ["--subscribers", 64, "--seconds", throughput], quick=True),
        Row("m2 n1000", "throughput", PEERS, ["--subscribers", 1000, "--seconds", throughput], quick=True),
        # As many changes in flight for each subscriber as with one store: 64 of its own.
        Row("m2 each", "throughput", ["statehub"],
            ["--subscribers", 1024, "--keys", 64, "--window", 4096, "--seconds", throughput]),
        Row("m2 one", "throughput", ["statehub"], ["--subscribers", 1024, "--seconds", throughput]),
        Row("m2 glob", "throughput", ["statehub"],
            ["--subscribers", 1024, "--keys", 64, "--pattern", "*", "--seconds", throughput]),
    ]
    plan += [
        Row(f"size {size}", "throughput", ["statehub", "redis", "dbus-broker"],
            ["--subscribers", 64, "--window", 8, "--size", size, "--seconds", throughput],
            quick=size == 65536, often=2)
        # The longest first: a subscriber begins with the value that the row before has left.
        for size in reversed(SIZES)]
    plan += [
        Row(f"rate {rate}", "throughput", ["statehub", "redis", "uds-batch"],
            ["--subscribers", 64, "--window", rate, "--seconds", throughput])
        for rate in RATES]
    for name in ["get", "set"]:
        words = ["--request", name, "--seconds", request]
        plan += [
            Row(f"m3 {name} c1", "requests", KEEPERS, [*words, "--pinned"]),
            Row(f"m3 {name} c50", "requests", KEEPERS, [*words, "--connections", 50], quick=True, often=3),
            Row(f"m3 {name} d64", "requests", KEEPERS, [*words, "--depth", 64, "--pinned"], quick=True, often=2),
        ]
    sets = ["--request", "set", "--seconds", request]
    plan += [
        Row("durable c50", "requests", ["statehub-relaxed", "redis-everysec"], [*sets, "--connections", 50],
            quick=True, often=2),
        # Alternating: what is compared is one hub in two states, and both shall see the same machine.
        *[Row(f"stores {count}", "requests", ["statehub", "redis"], ["--keys", count, *sets, "--connections", 50],
              fresh=count > 1, often=2) for count in STORES],
        Row("ring new", "requests", ["statehub"],
            ["--request", "set", "--count", 50000, "--depth", 64, "--pinned"], fresh=True, often=3),
        Row("ring full", "requests", ["statehub"],
            ["--request", "set", "--count", 50000, "--depth", 64, "--pinned", "--fill", 600000], fresh=True, often=3),
        Row("busy unwatched", "requests", ["statehub-latest"],
            [*sets, "--keys", 1000, "--depth", 64, "--pinned"], quick=True, often=2),
        Row("busy watched", "requests", ["statehub-latest"],
            [*sets, "--keys", 1000, "--depth", 64, "--pinned", "--subscribers", 1], quick=True, often=2),
        Row("stopped 0", "requests", ["statehub-latest"], [*sets, "--connections", 50], quick=True, often=2),
        Row("stopped 1000", "requests", ["statehub-latest"], [*sets, "--connections", 50, "--stopped", 1000],
            quick=True, often=2),
        Row("m4", "idle", ["statehub", "uds-raw"], ["--subscribers", many], fresh=True, quick=True),
        Row("m4", "idle", ["redis", "mosquitto", "nats", "dbus-daemon", "dbus-broker"], ["--subscribers", many],
            fresh=True, once=True),
        Row("m6", "start", PEERS, ["--runs", 3 if quick else 5], fresh=True, quick=True),
    ]
    if not quick:
        return plan
    for row in plan:
        row.peers = [peer for peer in row.peers if peer in QUICK or row.key.startswith("durable")]
    return [row for row in plan if row.quick and row.peers]


def commands(tools, addresses):
    """The command line tools: name, the peer that they ask, words."""
    def path(peer):
        return addresses[peer].removeprefix("unix:")

    tools_of = {
        "statehub": lambda: [
            ("smallest C program, get", [tools["get"], path("statehub"), "k1"]),
            ("statectl get", [tools["statectl"], "--socket", path("statehub"), "get", "k1"]),
            ("statectl set", [tools["statectl"], "--socket", path("statehub"), "set", "k1", "1234567890123456"])],
        "redis": lambda: [
            ("redis-cli get", ["redis-cli", "-s", path("redis"), "get", "k1"]),
            ("redis-cli set", ["redis-cli", "-s", path("redis"), "set", "k1", "1234567890123456"])],
        "mosquitto": lambda: [
            ("mosquitto_sub -C 1", ["mosquitto_sub", "--unix", path("mosquitto"), "-t", "k1", "-C", "1"])],
        "dbus-daemon": lambda: [
            ("dbus-send Get", ["dbus-send", f"--bus=unix:path={path('dbus-daemon')}", "--print-reply",
                               "--dest=bench.Service", "/k1", "org.freedesktop.DBus.Properties.Get",
                               "string:bench.Store", "string:Value"])],
    }
    return [(name, words) for peer in addresses if peer in tools_of for name, words in tools_of[peer]()]
