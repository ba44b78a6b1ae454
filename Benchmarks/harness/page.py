"""The pages that hold the tables of a run: puts tables between their markers, and reads them back."""

import pathlib
import re

import report

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGES = [ROOT / path for path in ("docs/performance.md", "Benchmarks/RESULTS.md", "Benchmarks/strangers/RESULTS.md")]


def update(sections):
    """Replaces what stands between `<!-- measured: NAME -->` and `<!-- end -->`. Fails unless exactly one page has the marker."""
    texts = {path: path.read_text() for path in PAGES}
    for name, body in sections.items():
        pattern = rf"(<!-- measured: {name} -->\n).*?(<!-- end -->)"
        total = 0
        for path, text in texts.items():
            texts[path], count = re.subn(pattern, lambda found: f"{found[1]}{body}\n{found[2]}", text, flags=re.DOTALL)
            total += count
        if total != 1:
            raise SystemExit(f"run: {total} markers for {name}")
    for path, text in texts.items():
        path.write_text(text)


class Figures:
    """The medians of the pages' tables, rounded as they are printed there: what a chart beside them shows."""

    def __init__(self):
        self.text, self.figures = "".join(path.read_text() for path in PAGES), {}
        for name, columns in report.TABLES.items():
            for line in self._section(name).splitlines()[2:]:
                peer, *cells = [cell.strip() for cell in line.strip("|").split("|")]
                for (_, row, measure), cell in zip(columns, cells, strict=True):
                    if cell != "-":
                        self.figures[row, report.speaker(row, peer), measure] = report.value(cell)
        self.about = report.read_method(self._section("method"))

    def _section(self, name):
        found = re.search(rf"<!-- measured: {name} -->\n(.*?)\n<!-- end -->", self.text, flags=re.DOTALL)
        if not found:
            raise SystemExit(f"run: no page has a marker for {name}")
        return found[1]

    def median(self, row, peer, measure):
        return self.figures.get((row, peer, measure))
