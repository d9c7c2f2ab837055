"""When a pod ran and nobody measured it, by the hours of its lines."""

from collections import defaultdict
from collections.abc import Iterable
from decimal import Decimal

from finops.job.explanation import Gap
from finops.job.lines import Line


def gaps(lines: Iterable[Line]) -> list[Gap]:
    """Spans of hours that follow one another with something unmeasured in each; `lines`: one pod's."""
    hours: dict[tuple[int, int], Decimal] = defaultdict(Decimal)
    for line in lines:
        if unmeasured := line.sums.hours("unmeasured"):
            hours[line.hour, line.until] += unmeasured
    found: list[Gap] = []
    for (start, end), amount in sorted(hours.items()):
        if found and found[-1].end == start:
            last = found.pop()
            start, amount = last.start, last.gpu_hours + amount
        found.append(Gap(start, end, amount))
    return found
