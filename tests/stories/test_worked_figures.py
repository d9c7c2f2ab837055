"""Worked figures to the last digit that no other test asks of the whole product; the others stand in docs/cases.md.

Prometheus down from 2:00 to 4:00 of a day, the same pod before and after it, 1 GPU at 3.00, a quarter busy. The scrape of 1:52:30
speaks to 2:00, the one of 4:07:30 from 4:00, one and a half intervals of five minutes each.

    allocated 24 = 5.5 used + 16.5 idle + 2 unmeasured     72.00 = 16.50 + 49.50 + 6.00
    coverage 22/24 = 91.7 %; per used hour (16.50 + 49.50)/5.5 = 12.00; per allocated hour 3.00; nothing is unallocated
"""

import pytest

from tests.world import World, followed

DAY, UP = ("2025-10-08", "2025-10-09"), (("2025-10-08", "2025-10-08T01:55"), ("2025-10-08T04:05", "2025-10-09"))
CONFIGURATION = """
currency: CHF
timezone: Europe/Zurich
clusters:
  - {{name: lab, scrape_interval: 5m, source: {{openmetrics: {{path: {file}}}}}}}
teams:
  - {{name: fraud, match: {{namespace: fraud}}}}
rates:
  - {{price: "3.00", currency: CHF, from: 2025-01-01}}
"""
OUTAGE = """
team  | allocated used idle starting unmeasured unallocated cost  used_cost idle_cost unmeasured_cost efficiency coverage per_used per_allocated
fraud | 24        5.5  16.5 0        2          0           72.00 16.50     49.50     6.00            0.25       0.916667 12.00    3.00
total | 24        5.5  16.5 0        2          0           72.00 16.50     49.50     6.00            0.25       0.916667 12.00    3.00
"""


@pytest.mark.django_db
def test_prometheus_down_for_two_hours(every_way, tmp_path) -> None:
    world = World("Europe/Zurich").machine("n1", 1, *UP).tenant("serve", 1, *UP, namespace="fraud")
    world.board("GPU-1", 0.25, *UP, pod="serve", namespace="fraud")
    followed(CONFIGURATION.format(file=world.file(tmp_path)), tmp_path, start=DAY[0], end=DAY[1])
    every_way(OUTAGE, *DAY)
