"""Weeks of the demo company, in its own time zone, and the dice thrown in them."""

import hashlib
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from zoneinfo import ZoneInfo

ZONE = ZoneInfo("Europe/Zurich")
FIRST_MONDAY = date(1970, 1, 5)
CYCLE = 4
MON, TUE, WED, THU, FRI, SAT, SUN = range(7)


@dataclass(frozen=True, slots=True)
class Week:
    """`index`: weeks since Monday 5 January 1970. `position`: 0 in the story week, 3 in the week before it."""

    index: int
    seed: int

    @property
    def position(self) -> int:
        return (self.index - self.seed) % CYCLE

    @property
    def next(self) -> "Week":
        return Week(self.index + 1, self.seed)

    def at(self, day: int, clock: str) -> float:
        """Unix seconds of a local "HH:MM" on a day of this week, Monday 0; a day above 6 is one of the next week."""
        on = FIRST_MONDAY + timedelta(days=7 * self.index + day)
        return datetime.combine(on, time.fromisoformat(clock), ZONE).timestamp()

    def dice(self, *words: object) -> float:
        """A number in [0, 1) that depends on the seed, the week and the words."""
        return dice(self.seed, self.index, *words)


def week_of(instant: float, *, seed: int) -> Week:
    """The week that holds a unix time."""
    return Week((datetime.fromtimestamp(instant, ZONE).date() - FIRST_MONDAY).days // 7, seed)


def seed_for(now: float) -> int:
    """The smallest seed whose story week holds the last complete Thursday before `now`."""
    last = week_of(now, seed=0)
    complete = now >= last.at(FRI, "00:00")
    return (last.index if complete else last.index - 1) % CYCLE


def digest(*words: object) -> bytes:
    """16 bytes that depend on the words alone."""
    return hashlib.md5("|".join(map(str, words)).encode(), usedforsecurity=False).digest()


def dice(*words: object) -> float:
    """A number in [0, 1) that depends on the words alone."""
    return int.from_bytes(digest(*words)[:6], "big") / 2**48


def uuid(*words: object) -> str:
    """A name in the form of a UUID that depends on the words alone."""
    text = digest(*words).hex()
    return f"{text[:8]}-{text[8:12]}-4{text[13:16]}-8{text[17:20]}-{text[20:]}"
