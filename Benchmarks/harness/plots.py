"""Line charts as SVG: how the processor time grows with the length of values and the number of updates, subscribers and stores. They
show the page's tables."""

import math
from xml.sax.saxutils import escape

import plan
from chart import THEMES, document, style

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
DASHES = {"uds-batch": "5 3", "uds-raw": "2 3"}
WIDTH, HEIGHT, LEFT, TOP, RIGHT = 330, 170, 50, 46, 100
# How far apart labels and ticks stand at least.
LINE = 14


def _ticks(low, high):
    """Round numbers around a range, as few as span it: powers of ten, or for a short range 1, 2 and 5 times these."""
    powers = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    steps = (1, 2, 5) if high / low < 20 else (1,)
    ticks = [step * 10.0 ** power for power in powers for step in steps]
    first = max(index for index, tick in enumerate(ticks) if tick <= low * 1.001)
    last = min(index for index, tick in enumerate(ticks) if tick >= high * 0.999)
    return ticks[first:last + 1]


def _number(value, unit):
    if unit == "bytes":
        for limit, name in ((1 << 20, "MiB"), (1 << 10, "KiB")):
            if value >= limit and value % limit == 0:
                return f"{value // limit} {name}"
        return "1 MB" if value == 1_000_000 else f"{value}"
    return f"{value:,}"


def _spread(ends):
    """Places for labels at the ends of curves: in their order, a line apart, and as near to their curves as that allows."""
    placed = []
    for y in ends:
        placed.append(y if not placed else max(y, placed[-1] + LINE))
    # A group that was pushed down is centred on its curves.
    start = 0
    for index in range(1, len(placed) + 1):
        if index == len(placed) or placed[index] - placed[index - 1] > LINE:
            shift = sum(placed[i] - ends[i] for i in range(start, index)) / (index - start)
            for i in range(start, index):
                placed[i] -= shift
            start = index
    return placed


def _plot(figures, theme, left, top, title, unit, what, rows, measure):
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
        f'<text x="{left}" y="{top + 30}" class="note">CPU for {escape(what)}, µs, by {escape(unit)}; logarithmic</text>']
    for tick in ys:
        _, y = place(xs[0], tick)
        lines += [
            f'<line x1="{left + LEFT}" y1="{y:.1f}" x2="{left + LEFT + WIDTH}" y2="{y:.1f}" class="grid"/>',
            f'<text x="{left + LEFT - 6}" y="{y + 4:.1f}" text-anchor="end" class="note">{tick:g}</text>']
    shown = [count for index, count in enumerate(rows) if len(rows) < 6 or index % 3 == 0 or count == xs[1]]
    for count in shown:
        x, _ = place(count, ys[0])
        lines.append(
            f'<text x="{x:.1f}" y="{top + TOP + HEIGHT + 16}" text-anchor="middle" class="note">{_number(count, unit)}</text>')
    ordered = sorted(curves, key=lambda peer: place(*curves[peer][-1])[1])
    labels = dict(zip(ordered, _spread([place(*curves[peer][-1])[1] for peer in ordered])))
    for peer in reversed(PEERS):
        if peer not in curves:
            continue
        points = [place(*point) for point in curves[peer]]
        colour = THEMES[theme]["own" if peer == "statehub" else peer]
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
        dash = f' stroke-dasharray="{DASHES[peer]}"' if peer in DASHES else ""
        lines.append(
            f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="{2.5 if peer == "statehub" else 1.5}"{dash}/>')
        lines += [f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{3 if peer == "statehub" else 2.5}" fill="{colour}"/>' for x, y in points]
        # All labels stand at the right edge; a thin line leads to a curve that ends before it or away from its label.
        x, y = points[-1]
        edge = left + LEFT + WIDTH
        if x < edge - 1 or abs(labels[peer] - y) > 5:
            lines.append(
                f'<line x1="{x:.1f}" y1="{y:.1f}" x2="{edge + 10}" y2="{labels[peer]:.1f}" stroke="{colour}" stroke-width=".6" '
                'stroke-opacity=".6"/>')
        lines.append(f'<text x="{edge + 12}" y="{labels[peer] + 4:.1f}" style="fill:{colour}">{peer}</text>')
    return lines


def svg(figures, theme):
    width, height = LEFT + WIDTH + RIGHT, TOP + HEIGHT + 40
    lines = []
    for index, plot in enumerate(PLOTS):
        lines += _plot(figures, theme, 10 + index % 2 * width, 10 + index // 2 * height, *plot)
    top = 2 * height + 16
    lines.append(
        f'<text x="10" y="{top}" class="note">Points are measured. A peer is missing where it was not measured; uds-batch and uds-raw are '
        'the C loops.</text>')
    return document(2 * width + 20, 2 * height + 28, "How processor time grows", style(theme), lines)
