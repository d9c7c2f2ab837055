from datetime import timedelta

import pytest

from reports.pages.setup.durations import length


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(0, "0 s"), (-5, "0 s"), (89.4, "89 s"), (90, "2 min"), (3540, "59 min"), (3600, "1 h"), (20760, "5 h 46 min"), (203400, "56 h 30 min")],
)
def test_length(seconds: float, text: str) -> None:
    assert length(timedelta(seconds=seconds)).replace("\u00a0", " ") == text
