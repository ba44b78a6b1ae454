"""A bar chart as SVG: for four things that a hub does, the processor time of each peer beside statehub's. Every picture is drawn
twice, for light and for dark pages: a forge's theme is its own, not the system's."""

import textwrap
from xml.sax.saxutils import escape

from goals import FLOORS

PANELS = [
    ("One update to 1,000 subscribers", "CPU per delivery", "m1 n1000", "broker_us_per_delivery"),
    ("64 updates in flight to 1,000", "CPU per delivery", "m2 n1000", "broker_us_per_delivery"),
    ("get on 50 connections", "CPU per request", "m3 get c50", "broker_us_per_operation"),
    ("set on 50 connections", "CPU per request", "m3 set c50", "broker_us_per_operation"),
]
PEERS = ["statehub", "redis", "mosquitto", "nats", "dbus-broker", "dbus-daemon"]
FLOOR = "floor (C)"
WIDTH, BAR, GAP, LABEL, HEAD, LINE = 380, 15, 5, 100, 40, 16
# How wide a letter is at most, on average: fonts differ, and nobody knows which one draws the chart.
LETTER = 7.5

# Colours that differ from each other, and from the page, also for people who do not see red and green apart.
THEMES = {
    "light": {"text": "#1f2328", "note": "#59636e", "grid": "#d1d9e0", "own": "#c2410c", "other": "#a3b1c2", "floor": "#59636e",
              "redis": "#59636e", "dbus-broker": "#0969da", "uds-batch": "#1a7f37", "uds-raw": "#8250df"},
    "dark": {"text": "#f0f6fc", "note": "#9198a1", "grid": "#3d444d", "own": "#fb923c", "other": "#57606a", "floor": "#9198a1",
             "redis": "#9198a1", "dbus-broker": "#4493f8", "uds-batch": "#3fb950", "uds-raw": "#ab7df8"},
}


def style(theme):
    colours = THEMES[theme]
    return (
        f"text{{font:12px system-ui,sans-serif;fill:{colours['text']}}}.title{{font-weight:600;font-size:13px}}"
        f".note{{fill:{colours['note']}}}.grid{{stroke:{colours['grid']}}}"
        f".own{{fill:{colours['own']}}}.other{{fill:{colours['other']}}}"
        f".floor{{fill:none;stroke:{colours['floor']};stroke-dasharray:3 2}}")


def digits(value):
    """Two digits: the third is noise."""
    return f"{float(f'{value:.2g}'):,g}"


def document(width, height, title, style, lines):
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}" role="img">'
        f"<title>{escape(title)}</title><style>{style}</style>\n" + "\n".join(lines) + "\n</svg>\n")


def bars(figures, row, measure):
    """Peers and their figures, and last the floor: the faster of the C loops, as one batches and the other does not."""
    found = []
    for peer in PEERS:
        value = figures.median(row, "nats-kv" if peer == "nats" and row.startswith("m3") else peer, measure)
        if value is not None:
            found.append((peer, value))
    floors = [figures.median(row, peer, measure) for peer in FLOORS]
    if any(value is not None for value in floors):
        found.append((FLOOR, min(value for value in floors if value is not None)))
    return found


def _panel(figures, left, top, title, unit, row, measure):
    shown = bars(figures, row, measure)
    if not shown:
        return []
    # Beyond five times our own a longer bar adds nothing: it ends in an arrow, and the note explains it.
    longest = min(max(value for _, value in shown), 5 * shown[0][1])
    lines = [
        f'<text x="{left}" y="{top + 14}" class="title">{escape(title)}</text>',
        f'<text x="{left}" y="{top + 30}" class="note">{escape(unit)}, µs; less is better</text>']
    for index, (peer, value) in enumerate(shown):
        y = top + HEAD + index * (BAR + GAP)
        length = (WIDTH - LABEL - 70) * min(value, longest) / longest
        kind = {"statehub": "own", FLOOR: "floor"}.get(peer, "other")
        text = ("→ " if value > longest else "") + digits(value)
        lines += [
            f'<text x="{left + LABEL - 6}" y="{y + 12}" text-anchor="end">{escape(peer)}</text>',
            f'<rect x="{left + LABEL}" y="{y}" width="{max(length, 1):.1f}" height="{BAR}" class="{kind}"/>',
            f'<text x="{left + LABEL + length + 5:.1f}" y="{y + 12}">{text}</text>']
    return lines


def svg(figures, theme):
    """- figures: of a run, or of the page that holds its tables: `median`, and in `about` the date and the like."""
    height = HEAD + (len(PEERS) + 1) * (BAR + GAP) + 20
    lines = []
    for index, panel in enumerate(PANELS):
        lines += _panel(figures, 10 + index % 2 * (WIDTH + 20), 10 + index // 2 * height, *panel)
    about = figures.about
    note = (
        f"Medians of {about['rounds']} interleaved rounds, {about['date']}, {about['cores']} cores, 16-byte values, "
        "nothing durable. Each panel has a scale of its own; → is a bar longer than five of statehub's, cut. NATS over TCP. "
        "Floor: the faster of two C loops that only move bytes, one of which batches.")
    full_width, top = 2 * WIDTH + 40, 2 * height + LINE
    for index, line in enumerate(textwrap.wrap(note, int((full_width - 20) / LETTER))):
        lines.append(f'<text x="10" y="{top + index * LINE}" class="note">{escape(line)}</text>')
        full_height = top + index * LINE + LINE // 2
    return document(full_width, full_height, "Processor time of statehub and its peers", style(theme), lines)
