"""The size of a hub, each second, and what grows: straight lines through the second half of each of its lives."""

import os
import time


def size(pid, state):
    """Resident bytes, open descriptors, and bytes in the state directory; None: the process has gone."""
    try:
        with open(f"/proc/{pid}/status") as status:
            resident = next(int(line.split()[1]) * 1024 for line in status if line.startswith("VmRSS:"))
        descriptors = len(os.listdir(f"/proc/{pid}/fd"))
        journal = sum(entry.stat().st_size for entry in os.scandir(state))
    except (OSError, StopIteration):
        return None
    return resident, descriptors, journal


class Life:
    """The samples between two starts of the hub."""

    def __init__(self, end="end"):
        self.end = end
        self.samples = []

    def take(self, pid, state):
        sizes = size(pid, state)
        if sizes:
            self.samples.append((time.monotonic(), *sizes))

    @property
    def minutes(self):
        return (self.samples[-1][0] - self.samples[0][0]) / 60 if len(self.samples) > 1 else 0.0

    def slope(self, column):
        """Per hour, over the second half."""
        half = self.samples[len(self.samples) // 2:]
        if len(half) < 10:
            return None
        times = [sample[0] / 3600 for sample in half]
        values = [sample[column] for sample in half]
        mean, level = sum(times) / len(times), sum(values) / len(values)
        spread = sum((time - mean) ** 2 for time in times)
        return sum((time - mean) * (value - level) for time, value in zip(times, values)) / spread

    def row(self):
        def text(slope, unit):
            return "" if slope is None else f"{slope / unit:+.2f}"

        most = [max(sample[column] for sample in self.samples) for column in (1, 2, 3)]
        return [
            f"{self.minutes:.1f}", self.end, f"{self.samples[-1][1] / 1e6:.1f}", f"{most[0] / 1e6:.1f}",
            text(self.slope(1), 1e6), f"{self.samples[-1][2]}", f"{most[1]}", text(self.slope(2), 1), f"{most[2] / 1e6:.1f}",
        ]


COLUMNS = [
    "minutes", "ended by", "MB at its end", "at most", "MB/h", "descriptors at its end", "at most", "per hour",
    "journal, MB at most",
]


def table(lives):
    rows = [COLUMNS, ["--:"] * len(COLUMNS), *(life.row() for life in lives if life.samples)]
    return "\n".join("| " + " | ".join(row) + " |" for row in rows)
