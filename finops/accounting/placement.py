"""On which model of a node with several a lease sits, where no device of the hour tells."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction


@dataclass(frozen=True, slots=True)
class Want:
    """A lease of `gpus` over [start, end), unix seconds; `seen`: boards of each model its devices were, in this hour or else in others; empty where none told."""

    lease: str
    gpus: Fraction
    start: int
    end: int
    seen: Mapping[str, float]


def placement(wants: Sequence[Want], models: Mapping[str, int]) -> tuple[dict[str, dict[str, Fraction]], set[str]]:
    """The part of each lease on each model, and the leases nothing tells about.

    `models`: boards per model. A lease without devices takes the first model with room for it, else the room there is; what finds none is the first model's.
    """
    parts = {want.lease: _parts(want.seen, models) for want in wants}
    unplaced = set()
    for want in sorted(wants, key=lambda w: w.lease):
        if parts[want.lease]:
            continue
        room = {model: boards - _taken(want, wants, parts, model) for model, boards in models.items()}
        whole = next((model for model in models if room[model] >= want.gpus), None)
        parts[want.lease] = {whole: Fraction(1)} if whole is not None else _filled(want.gpus, room)
        if whole is None:
            unplaced.add(want.lease)
    return parts, unplaced


def _filled(gpus: Fraction, room: Mapping[str, Fraction]) -> dict[str, Fraction]:
    """A lease of `gpus` over the room of each model in turn."""
    found: dict[str, Fraction] = {}
    for model, free in room.items():
        if (some := min(free, gpus - sum(found.values(), Fraction(0)))) > 0:
            found[model] = some
    first = next(iter(room))
    found[first] = found.get(first, Fraction(0)) + gpus - sum(found.values(), Fraction(0))
    return {model: some / gpus for model, some in found.items() if some}


def _parts(seen: Mapping[str, float], models: Mapping[str, int]) -> dict[str, Fraction]:
    if len(models) == 1:
        return {next(iter(models)): Fraction(1)}
    shares = {model: Fraction(share).limit_denominator(5040) for model, share in seen.items() if model in models}
    whole = sum(shares.values(), Fraction(0))
    return {model: share / whole for model, share in shares.items() if share} if whole else {}


def _taken(newcomer: Want, wants: Sequence[Want], parts: Mapping[str, Mapping[str, Fraction]], model: str) -> Fraction:
    beside = [want for want in wants if want.start < newcomer.end and newcomer.start < want.end]
    return sum((want.gpus * parts[want.lease].get(model, Fraction(0)) for want in beside), Fraction(0))
