"""Draws a session in two terminals side by side as SVG. Its lines appear one after the other, each in a row of its own, so that what
happens later stands lower in both terminals; then it starts again."""

from xml.sax.saxutils import escape

SIZE, HEIGHT, EDGE, BAR = 13, 19, 14, 28
# How wide a letter is at most: of the usual fonts DejaVu Sans Mono is the widest.
LETTER = SIZE * 0.603
TITLES = ["one terminal", "another terminal"]
# Seconds: before a command, before a line of output, and before it starts again.
TYPED, PRINTED, REST = 1.3, 0.4, 8

STYLE = f"""text{{font:{SIZE}px ui-monospace,Menlo,Consolas,"DejaVu Sans Mono",monospace;fill:#e6edf3;white-space:pre}}
.window{{fill:#161b22;stroke:#6e7681}}.title{{font:12px system-ui,sans-serif;fill:#9198a1;text-anchor:middle}}
.prompt{{fill:#7ee787}}.typed{{fill:#fff}}.remark{{fill:#9198a1}}.log{{fill:#a5d6ff}}.error{{fill:#ffa657}}
@media(prefers-reduced-motion:reduce){{.line{{animation:none!important}}}}"""


def escaped(text):
    """A text as it stands in the picture, up to a remark."""
    return escape(text.split("#")[0].rstrip())


def _spans(line):
    if not line.is_typed:
        kind = "log" if line.text.startswith("statehub: ") else "error" if line.text.startswith("statectl: ") else "out"
        return f'<tspan class="{kind}">{escape(line.text)}</tspan>'
    command, mark, remark = line.text.partition("#")
    spans = '<tspan class="prompt">$ </tspan>' + f'<tspan class="typed">{escape(command)}</tspan>'
    return spans + (f'<tspan class="remark">{escape(mark + remark)}</tspan>' if mark else "")


def svg(lines):
    """- lines: in the order in which they come."""
    widths = [
        max(len(line.text) + 2 * line.is_typed for line in lines if line.terminal == number) * LETTER + 2 * EDGE
        for number in range(len(TITLES))]
    lefts = [0.5, widths[0] + 12.5]
    height = BAR + len(lines) * HEIGHT + EDGE
    times, time = [], 0.0
    for line in lines:
        time += TYPED if line.is_typed else PRINTED
        times.append(time)
    whole = time + REST
    parts = []
    for left, width, title in zip(lefts, widths, TITLES):
        parts.append(f'<rect class="window" x="{left}" y=".5" width="{width:.0f}" height="{height}" rx="8"/>')
        parts.append(f'<text class="title" x="{left + width / 2:.0f}" y="19">{title}</text>')
    frames = []
    for index, (line, time) in enumerate(zip(lines, times)):
        share = 100 * time / whole
        frames.append(f"@keyframes l{index}{{0%,{share:.2f}%{{opacity:0}}{share + .01:.2f}%,100%{{opacity:1}}}}")
        parts.append(
            f'<text class="line" style="animation:l{index} {whole:.1f}s infinite" x="{lefts[line.terminal] + EDGE}" '
            f'y="{BAR + HEIGHT * index + SIZE + 2}" xml:space="preserve">{_spans(line)}</text>')
    full_width, full_height = int(lefts[-1] + widths[-1] + 1.5), height + 2
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{full_width}" height="{full_height}" '
        f'viewBox="0 0 {full_width} {full_height}" role="img">'
        "<title>A session in two terminals: one changes a value, the other watches it across a restart of the hub</title>"
        f"<style>{STYLE}\n" + "\n".join(frames) + "</style>\n" + "\n".join(parts) + "\n</svg>\n")
