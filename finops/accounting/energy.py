"""A pool's energy among its lines: each board's joules once, whoever held it."""

from collections.abc import Mapping, Sequence

from finops.accounting.charge import Hold, Pool, Span

KWH = 3.6e6  # joules
Key = tuple[str, int]  # a line: id of its hold ("" nobody's), start of its span


def energy(
    pool: Pool, holds: Mapping[str, Sequence[Hold]], spans: Sequence[Span], *, held: Mapping[str, Mapping[Span, float]], rest: Mapping[Span, float]
) -> dict[Key, float]:
    """kWh by line. `holds`: the pieces of each lease; `held`: joules by lease and quarter; `rest`: joules no device ties to a lease.

    The rest goes to capacity nobody held and to leases whose devices nobody told, in proportion to their GPU-seconds.
    """
    found: dict[Key, float] = {}
    for quarter in sorted({*rest, *(q for joules in held.values() for q in joules)}):
        over = rest.get(quarter, 0.0)
        for lease, joules in held.items():
            if quarter in joules and not _share(found, joules[quarter], _weights(holds.get(lease, ()), spans, quarter)):
                over += joules[quarter]
        if not over:
            continue
        told = {lease for lease, joules in held.items() if quarter in joules}
        others = [hold for lease, group in holds.items() if lease not in told for hold in group]
        everyone = _weights([hold for group in holds.values() for hold in group], spans, quarter)
        weights = _weights(others, spans, quarter) | _free(pool, everyone, spans, quarter)
        if not _share(found, over, weights):
            _share(found, over, everyone)
    return {key: joules / KWH for key, joules in found.items()}


def _weights(holds: Sequence[Hold], spans: Sequence[Span], quarter: Span) -> dict[Key, float]:
    """GPU-seconds in `quarter` by line."""
    found = {(h.id, s[0]): float(h.gpus) * (min(h.end, s[1], quarter[1]) - max(h.start, s[0], quarter[0])) for h in holds for s in spans}
    return {key: seconds for key, seconds in found.items() if seconds > 0}


def _free(pool: Pool, everyone: Mapping[Key, float], spans: Sequence[Span], quarter: Span) -> dict[Key, float]:
    """GPU-seconds in `quarter` that nobody held, by span."""
    found = {}
    for start, end in spans:
        whole = pool.boards * (min(end, pool.end, quarter[1]) - max(start, pool.start, quarter[0]))
        free = whole - sum(seconds for (_, at), seconds in everyone.items() if at == start)
        if free > 1e-6:
            found["", start] = free
    return found


def _share(into: dict[Key, float], joules: float, weights: Mapping[Key, float]) -> bool:
    """Adds `joules` in proportion to `weights`; False where there are none."""
    whole = sum(weights.values())
    for key, weight in weights.items():
        into[key] = into.get(key, 0.0) + joules * weight / whole
    return bool(weights)
