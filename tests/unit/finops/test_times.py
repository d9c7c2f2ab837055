"""Windows as people type them."""

from zoneinfo import ZoneInfo

import pytest

from finops.scope import Refused
from finops.times import window


def test_a_window_that_ends_before_it_begins_is_told_in_the_words_that_were_typed() -> None:
    """In Zurich both begin at 23:00 UTC of the day before, which nobody has typed."""
    with pytest.raises(Refused, match="^end 2026-12-01 is not after start 2026-12-24$"):
        window("2026-12-24", "2026-12-01", zone=ZoneInfo("Europe/Zurich"))
