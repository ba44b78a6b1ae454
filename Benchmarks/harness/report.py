"""Results as text: the tables and the goals, in Markdown, and figures read back from it. It measures nothing."""

import re

import goals
import plan

DELIVERY, OPERATION = "broker_us_per_delivery", "broker_us_per_operation"


def number(value):
    """Three digits that count."""
    if value is None:
        return "-"
    if abs(value) >= 1e6:
        return f"{value / 1e6:.3g} M"
    if abs(value) >= 1000:
        return f"{value:,.0f}"
    return f"{value:.3g}"


def _ends(low, high):
    """Two digits of each, such as " (1.3–1.4)"; nothing if they are the same."""
    low, high = (number(float(f"{end:.2g}")) for end in (low, high))
    return "" if low == high else f" ({low}–{high})"


def cell(results, *figure):
    """The median, and the lowest and the highest figure of the rounds."""
    middle = results.median(*figure)
    return "-" if middle is None else number(middle) + _ends(*results.ends(*figure))


def value(text):
    """The median that `cell` has printed."""
    text = text.split(" (")[0].replace(",", "")
    return float(text.removesuffix(" M")) * 1e6 if text.endswith(" M") else float(text)


def _requests(name):
    return [
        (f"{name}: 1 connection, p50 µs", f"m3 {name} c1", "p50_us"),
        ("50: CPU µs", f"m3 {name} c50", OPERATION),
        ("64 in one write: CPU µs", f"m3 {name} d64", OPERATION)]


def _length(size):
    return f"{size} B" if size < 1024 else f"{size // 1024} KiB" if size % 1024 == 0 else f"{size // 1000000} MB"


# The tables that have a line for each peer: the columns' heads, rows of the plan, and measures.
TABLES = {
    "fan-out": [
        ("1 subscriber, p50 µs", "m1 n1", "last_p50_us"), ("64: last, µs", "m1 n64", "last_p50_us"),
        ("64: CPU µs", "m1 n64", DELIVERY), ("1,000: first, µs", "m1 n1000", "first_p50_us"),
        ("1,000: last, µs", "m1 n1000", "last_p50_us"), ("1,000: CPU µs", "m1 n1000", DELIVERY)],
    "in-flight": [
        ("64: deliveries/s", "m2 n64", "deliveries_per_s"), ("64: CPU µs", "m2 n64", DELIVERY),
        ("1,000: deliveries/s", "m2 n1000", "deliveries_per_s"), ("1,000: CPU µs", "m2 n1000", DELIVERY),
        ("missing", "m2 n1000", "missing")],
    "sizes": [(_length(size), f"size {size}", DELIVERY) for size in plan.SIZES],
    "sizes-throughput": [(_length(size), f"size {size}", "megabytes_per_s") for size in plan.SIZES],
    "rates": [(f"{rate} in flight", f"rate {rate}", DELIVERY) for rate in plan.RATES],
    "subscribers": [(f"{count:,}", f"m1 n{count}", DELIVERY) for count in (64, 1000, 10000)],
    "stores": [(f"{count:,}", f"stores {count}", OPERATION) for count in plan.STORES],
    "requests": _requests("get") + _requests("set"),
    "processes": [
        ("bytes per idle subscriber", "m4", "bytes_per_subscriber"),
        ("CPU µs to connect and subscribe", "m4", "broker_us_per_connect"),
        ("start to first answer, ms", "m6", "wall_ms")],
}
ORDER = ["statehub", "redis", "mosquitto", "nats", "dbus-broker", "dbus-daemon", "uds-batch", "uds-raw"]


def _table(results, columns, peers):
    lines = ["| | " + " | ".join(head for head, _, _ in columns) + " |", "|---" * (len(columns) + 1) + "|"]
    for peer in peers:
        row = [cell(results, key, speaker(key, peer), measure) for _, key, measure in columns]
        if any(cell != "-" for cell in row):
            lines.append(f"| {peer} | " + " | ".join(row) + " |")
    return "\n".join(lines)


def speaker(key, peer):
    """NATS is measured as a bus where values are broadcast, and as a store where they are read and written."""
    return "nats-kv" if peer == "nats" and key.startswith("m3") else peer


def programs(results):
    columns = [("wall ms", "m5", "wall_ms"), ("CPU ms", "m5", "cpu_ms"), ("resident KiB", "m5", "resident_kib")]
    return _table(results, columns, results.peers("m5")) if results.peers("m5") else ""


def growth(results):
    rows = [
        ("one update, 64 subscribers", "m1 n64", "statehub", DELIVERY),
        ("one update, 1,000 subscribers", "m1 n1000", "statehub", DELIVERY),
        ("one update, 10,000 subscribers", "m1 n10000", "statehub", DELIVERY),
        ("the same in uds-raw, 64", "m1 n64", "uds-raw", DELIVERY),
        ("the same in uds-raw, 10,000", "m1 n10000", "uds-raw", DELIVERY),
        ("one store, all of 1,024 watch it", "m2 one", "statehub", DELIVERY),
        ("64 stores, each of 1,024 watches one", "m2 each", "statehub", DELIVERY),
        ("64 stores, all of 1,024 watch them by one pattern", "m2 glob", "statehub", DELIVERY),
        ("set, 1 store", "stores 1", "statehub", OPERATION),
        ("set, 100,000 stores in turn", "stores 100000", "statehub", OPERATION),
        ("set, change log new", "ring new", "statehub", OPERATION),
        ("set, change log full", "ring full", "statehub", OPERATION),
        ("set, 1,000 stores in turn, none watched", "busy unwatched", "statehub-latest", OPERATION),
        ("set, 1,000 stores in turn, one watched", "busy watched", "statehub-latest", OPERATION),
        ("set, no watcher", "stopped 0", "statehub-latest", OPERATION),
        ("set, 1,000 watchers that have stopped reading", "stopped 1000", "statehub-latest", OPERATION),
        ("durable set (relaxed), 50 connections", "durable c50", "statehub-relaxed", OPERATION),
        ("the same in redis with appendonly everysec", "durable c50", "redis-everysec", OPERATION),
    ]
    lines = ["| | CPU µs per delivery or set |", "|---|---|"]
    for text, *figure in rows:
        if results.median(*figure) is not None:
            lines.append(f"| {text} | {cell(results, *figure)} |")
    return "\n".join(lines)


def goal_table(results):
    lines = ["| figure of statehub | reached | goal | | the floor |", "|---|---|---|---|---|"]
    reached = missed = 0
    for goal in goals.goals():
        value = goal.value(results)
        if value is None:
            continue
        good = value <= goal.limit
        reached, missed = reached + good, missed + (not good)
        verdict, floor = "reached" if good else "**missed**", goal.floor(results)
        lines.append(
            f"| {goal.text} | {value:.3g} | {goal.limit:g} | {verdict} | {'' if floor is None else f'{floor:.3g}'} |")
    return "\n".join(lines), reached, missed


def method(results):
    about = results.about
    versions = ", ".join(f"{name} {version}" for name, version in about["versions"].items())
    return (
        f"Measured {about['date']}: {about['processor']}, {about['cores']} cores, Linux {about['kernel']}; "
        f"{about['rounds']} rounds in {about.get('seconds', 0)} s, load {about['load_before']:.1f} before. {versions}.")


def read_method(text):
    """What `method` has printed, as far as a chart tells it."""
    date, cores, rounds = re.match(r"Measured (\S+): .*?, (\d+) cores, .*?; (\d+) rounds", text).groups()
    return {"date": date, "cores": int(cores), "rounds": int(rounds)}


def sections(results):
    """The tables that a run writes, by the name of their markers."""
    table, reached, missed = goal_table(results)
    return {
        "method": method(results), "goals": f"{table}\n\n{reached} goals reached, {missed} missed.",
        **{name: _table(results, columns, ORDER) for name, columns in TABLES.items()},
        "programs": programs(results), "growth": growth(results)}


TITLES = {
    "method": "", "goals": "Goals", "fan-out": "One update to many", "in-flight": "64 updates in flight",
    "sizes": "Values of any length", "sizes-throughput": "The same, in MB/s", "rates": "Updates in flight",
    "subscribers": "Subscribers", "stores": "Stores", "requests": "Get and set", "processes": "Processes", "programs": "Command line tools", "growth": "Growth"}


def markdown(results):
    parts = ["# Benchmarks"]
    for name, text in sections(results).items():
        parts.append((f"## {TITLES[name]}\n\n" if TITLES[name] else "") + text)
    return "\n\n".join(parts) + "\n"
