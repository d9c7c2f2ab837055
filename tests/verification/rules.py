"""Prices and teams for the worlds of tests/verification/worlds.py, and the whole of what a cluster tells."""

from dataclasses import dataclass
from fractions import Fraction

from hypothesis import strategies as st

from tests.verification.exports import exported
from tests.verification.told import HOUR, Rate, Rule, Told
from tests.verification.worlds import A30, A100, H100, T4, World, worlds


@st.composite
def rates(draw, first: int) -> tuple[Rate, ...]:
    """A price per model, one of them changed at any second; one pool's and spot's own; H100 may have none."""
    turn = draw(st.integers(first + 1, first + 2 * HOUR - 1))
    found = [
        Rate(Fraction(3), A100, end=turn),
        Rate(Fraction(7, 2), A100, start=turn),
        Rate(Fraction("0.53"), T4),
        Rate(Fraction("1.10"), A30),
    ]
    found += [Rate(Fraction("9.99"), H100)] if draw(st.booleans()) else []
    found += [Rate(Fraction("1.37"), A100, capacity_type="spot", start=turn)] if draw(st.booleans()) else []
    found += [Rate(Fraction("0.41"), T4, pool="train", end=turn + 100)] if draw(st.booleans()) else []
    return tuple(found)


@st.composite
def rules(draw, first: int) -> tuple[Rule, ...]:
    """By pod label, by namespace from some second on, by pool until some second."""
    found = [Rule("from_pod_label", "team")] if draw(st.booleans()) else []
    turn = draw(st.none() | st.integers(first, first + 2 * HOUR))
    return (
        *found,
        Rule("namespace", "web-*", "web", start=turn),
        *([Rule("node_pool", "train", "research", end=turn)] if draw(st.booleans()) else []),
    )


@dataclass(frozen=True, slots=True)
class Case:
    """A world under a configuration."""

    world: World
    rates: tuple[Rate, ...]
    rules: tuple[Rule, ...]

    def told(self, cluster: str = "one") -> Told:
        """What its cluster tells, and how it is configured."""
        world = self.world
        interval = world.step if world.configured else None
        return Told(cluster, world.first, world.hours, exported(world), interval, self.rates, self.rules, world.zone)


@st.composite
def cases(draw) -> Case:
    world = draw(worlds())
    return Case(world, draw(rates(world.first)), draw(rules(world.first)))
