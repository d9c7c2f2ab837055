"""Hours that failed, told in few lines: neighbours of one cluster with one reason are one."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta


@dataclass(frozen=True, slots=True)
class Failed:
    """The hour of `cluster` that begins at `hour`, and why it cannot be charged."""

    cluster: str
    hour: datetime
    why: str


def lines(failed: Iterable[Failed]) -> list[str]:
    """One line per run of hours, by cluster and hour."""
    runs: list[list[Failed]] = []
    for each in sorted(failed, key=lambda each: (each.cluster, each.hour, each.why)):
        last = runs[-1][-1] if runs else None
        follows = last and (last.cluster, last.why) == (each.cluster, each.why) and each.hour - last.hour <= timedelta(hours=1)
        if follows:
            runs[-1].append(each)
        else:
            runs.append([each])
    return [_line(run) for run in runs]


def _line(run: list[Failed]) -> str:
    first, last = run[0], run[-1]
    until = f" and the {len(run) - 1} hours after it, up to {last.hour.isoformat()}" if len(run) > 1 else ""
    return f"cluster {first.cluster}, {first.hour.isoformat()}{until}: {first.why}"
