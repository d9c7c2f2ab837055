"""How busy a card is at an instant: pure functions of (card, time), so that any minute can be asked for alone."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
HOUR, DAY = 3600.0, 86400.0
LOCAL = HOUR  # people get up by the sun: local standard time, summer or winter
MONDAY = 4 * DAY  # 5 January 1970
IDLE_CONTEXT = 0.12  # what checkpoints and evaluation leave of a training's load


def noise(key: int, slot: NDArray[np.int64]) -> Floats:
    """One number in [0, 1) per slot: the finaliser of SplitMix64 over key and slot."""
    with np.errstate(over="ignore"):
        z = slot.astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15) + np.uint64(key & 0xFFFFFFFFFFFFFFFF)
        z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        z ^= z >> np.uint64(31)
    return (z >> np.uint64(11)) / 2.0**53


def minutes(time: Floats) -> NDArray[np.int64]:
    return (time // 60).astype(np.int64)


@dataclass(frozen=True, slots=True)
class Curve:
    """`memory`: share of the card's memory in use. `effect`: how much of the busy time the SMs work."""

    level: float = 0.0
    memory: float = 0.5
    effect: float = 0.7

    def busy(self, key: int, time: Floats, *, started: float, ended: float) -> Floats:
        """Fractions [n] at unix seconds [n] within [started, ended): the level, restless by 15 %."""
        return np.minimum(self.level * (0.85 + 0.3 * noise(key, minutes(time))), 1.0)


@dataclass(frozen=True, slots=True)
class Training(Curve):
    """A checkpoint every three hours; nothing for `waits` seconds, evaluation alone in the last `evaluates` ones."""

    memory: float = 0.8
    waits: float = 0.0
    evaluates: float = 0.0

    def busy(self, key: int, time: Floats, *, started: float, ended: float) -> Floats:
        working = np.minimum(self.level * (0.95 + 0.1 * noise(key, minutes(time))), 1.0)
        quiet = ((time - started) % (3 * HOUR) < 900) | (time >= ended - self.evaluates)
        found = np.where(quiet, IDLE_CONTEXT * self.level, working)
        return np.where(time < started + self.waits, 0.007, found)


@dataclass(frozen=True, slots=True)
class Notebook(Curve):
    """Half hours of work on working days; `share` of all time, none after `until` seconds, Tuesdays if so wished."""

    level: float = 0.6
    memory: float = 0.3
    share: float = 0.02
    until: float = float("inf")
    tuesdays: bool = False

    def busy(self, key: int, time: Floats, *, started: float, ended: float) -> Floats:
        local = time + LOCAL - MONDAY
        day, hour = (local // DAY) % 7, (local % DAY) / HOUR
        open_hours = (hour >= 13) & (hour < 18) & (day == 1) if self.tuesdays else (hour >= 8) & (hour < 18) & (day < 5)
        chance = self.share / self.level * 168 / (5 if self.tuesdays else 50)
        at_work = open_hours & (noise(key + 1, (time // 1800).astype(np.int64)) < chance) & (time < started + self.until)
        return np.where(at_work, np.minimum(self.level * (0.7 + 0.6 * noise(key, minutes(time))), 1.0), 0.0)


@dataclass(frozen=True, slots=True)
class Serving(Curve):
    """Requests of a day: most at three in the afternoon, few at night, fewer at weekends; `level` is the mean."""

    memory: float = 0.6

    def busy(self, key: int, time: Floats, *, started: float, ended: float) -> Floats:
        local = time + LOCAL - MONDAY
        day = (local // DAY) % 7
        shape = (1 + 0.7 * np.cos(2 * np.pi * (local % DAY - 15 * HOUR) / DAY)) * np.where(day < 5, 1.12, 0.7)
        return np.minimum(self.level * shape * (0.8 + 0.4 * noise(key, minutes(time))), 1.0)
