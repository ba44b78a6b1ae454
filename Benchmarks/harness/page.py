"""Puts a run's tables between the markers of a page of the documentation, and nothing else there."""

import re


def update(path, sections):
    """Replaces what stands between `<!-- measured: NAME -->` and `<!-- end -->`. Fails if the page lacks a marker."""
    text = path.read_text()
    for name, body in sections.items():
        pattern = rf"(<!-- measured: {name} -->\n).*?(<!-- end -->)"
        text, count = re.subn(pattern, lambda found: f"{found[1]}{body}\n{found[2]}", text, flags=re.DOTALL)
        if count == 0:
            raise SystemExit(f"run: {path} has no marker for {name}")
    path.write_text(text)
