"""Line charts as SVG: how the processor time grows with what there is more of. They show the page's tables."""

import math
from xml.sax.saxutils import escape

import plan
from chart import STYLE

DELIVERY, OPERATION = "broker_us_per_delivery", "broker_us_per_operation"
# The title, the unit of each axis, the rows of the plan by what they have more of, and the measure.
PLOTS = [
    ("Length of a value", "bytes", "a delivery", {size: f"size {size}" for size in plan.SIZES}, DELIVERY),
    ("Updates in flight", "updates", "a delivery", {rate: f"rate {rate}" for rate in plan.RATES}, DELIVERY),
    ("Subscribers of one store", "subscribers", "a delivery", {count: f"m1 n{count}" for count in (64, 1000, 10000)},
     DELIVERY),
    ("Stores, set in turn", "stores", "a set", {count: f"stores {count}" for count in plan.STORES}, OPERATION),
]
PEERS = ["statehub", "redis", "dbus-broker", "uds-batch", "uds-raw"]
COLOURS = {"statehub": "#d4572a", "redis": "#6e7781", "dbus-broker": "#3b7dd8", "uds-batch": "#3f9142", "uds-raw": "#3f9142"}
WIDTH, HEIGHT, LEFT, TOP, RIGHT = 330, 170, 50, 46, 100


def _ticks(low, high):
    """The powers of ten around a range."""
    return [10.0 ** power for power in range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)]


def _number(value):
    for limit, unit in ((1e6, "M"), (1e3, "k")):
        if value >= limit:
            return f"{value / limit:g} {unit}"
    return f"{value:g}"


def _plot(figures, left, top, title, unit, what, rows, measure):
    curves = {}
    for peer in PEERS:
        points = [(count, figures.median(row, peer, measure)) for count, row in rows.items()]
        points = [(count, value) for count, value in points if value]
        if len(points) > 1:
            curves[peer] = points
    if not curves:
        return []
    values = [value for points in curves.values() for _, value in points]
    ys, xs = _ticks(min(values), max(values)), [min(rows), max(rows)]

    def place(count, value):
        x = math.log(count / xs[0]) / math.log(xs[1] / xs[0])
        y = math.log(value / ys[0]) / math.log(ys[-1] / ys[0])
        return left + LEFT + x * WIDTH, top + TOP + HEIGHT - y * HEIGHT

    lines = [
        f'<text x="{left}" y="{top + 14}" class="title">{escape(title)}</text>',
        f'<text x="{left}" y="{top + 30}" class="note">CPU for {escape(what)}, µs, by {escape(unit)}; both axes logarithmic</text>']
    for tick in ys:
        _, y = place(xs[0], tick)
        lines += [
            f'<line x1="{left + LEFT}" y1="{y:.1f}" x2="{left + LEFT + WIDTH}" y2="{y:.1f}" class="grid"/>',
            f'<text x="{left + LEFT - 6}" y="{y + 4:.1f}" text-anchor="end" class="note">{tick:g}</text>']
    shown = [count for index, count in enumerate(rows) if len(rows) < 6 or index % 3 == 0]
    for count in shown:
        x, _ = place(count, ys[0])
        lines.append(
            f'<text x="{x:.1f}" y="{top + TOP + HEIGHT + 16}" text-anchor="middle" class="note">{_number(count)}</text>')
    # Labels at the ends of the curves, at least a line apart.
    lowest = None
    for peer, points in sorted(curves.items(), key=lambda curve: place(*curve[1][-1])[1]):
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y in (place(*point) for point in points))
        x, y = place(*points[-1])
        y = y if lowest is None else max(y, lowest + 14)
        lowest = y
        colour = COLOURS[peer]
        lines += [
            f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="{2.5 if peer == "statehub" else 1.5}"/>',
            f'<text x="{x + 6:.1f}" y="{y + 4:.1f}" style="fill:{colour}">{peer}</text>']
    return lines


def svg(figures):
    width, height = LEFT + WIDTH + RIGHT, TOP + HEIGHT + 40
    lines = []
    for index, plot in enumerate(PLOTS):
        lines += _plot(figures, 10 + index % 2 * width, 10 + index // 2 * height, *plot)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{2 * width + 20}" height="{2 * height + 10}" '
        f'viewBox="0 0 {2 * width + 20} {2 * height + 10}" role="img">'
        "<title>How processor time grows</title>"
        f"<style>{STYLE}\n.grid{{stroke:#9aa4af;stroke-opacity:.3}}</style>\n" + "\n".join(lines) + "\n</svg>\n")
