"""The exporter of one node says nothing for six hours; its pod goes on and is paid for.

8 October 2025, Zurich, read from a real Prometheus. Two nodes of one A100 at 2.50. Pod `loud` of fraud on n1 is half busy, pod
`calm` of vision on n2 a quarter. From 8:55 to 15:05 no series of the board of n1 is scraped; kube-state-metrics goes on.
The last sample before is of 8:52:30 and speaks for one and a half scrape intervals of five minutes, to 9:00; the first after it is of
15:07:30 and speaks from 15:00 on. What nobody measured is six hours, neither used nor idle, and nothing is carried over them.

    loud   24 h = 18 measured (9 used, 9 idle) + 6 unmeasured     60.00 = 22.50 + 22.50 + 15.00    coverage 18/24 = 0.75
           efficiency 9/18; per used hour of measured time only (22.50 + 22.50)/9 = 5.00
    calm   24 h = 6 used + 18 idle                                60.00 = 15.00 + 45.00            coverage 1
           efficiency 6/24; per used hour 60/6 = 10.00
    all    48 h = 15 used + 27 idle + 6 unmeasured                120.00 = 37.50 + 67.50 + 15.00   coverage 42/48
           efficiency 15/42; per used hour 105/15 = 7.00; per allocated hour 120/48 = 2.50
    From 10 to 11: fraud 1 h, all unmeasured, 2.50; coverage 0, no efficiency and no cost per used hour.
"""

import pytest

from tests.prometheus_server import needed, serving
from tests.world import World, followed

DAY, LOUD = ("2025-10-08", "2025-10-09"), (("2025-10-08", "2025-10-08T08:55"), ("2025-10-08T15:05", "2025-10-09"))
CONFIGURATION = """
currency: CHF
timezone: Europe/Zurich
clusters:
  - {{name: lab, scrape_interval: 5m, source: {{prometheus: {{url: "{url}"}}}}}}
teams:
  - {{name: fraud, match: {{namespace: fraud}}}}
  - {{name: vision, match: {{namespace: vision}}}}
rates:
  - {{price: "2.50", currency: CHF, from: 2025-01-01}}
"""
TEAMS = """
team   | allocated used idle starting unmeasured unallocated cost   used_cost idle_cost unmeasured_cost efficiency coverage per_used per_allocated
fraud  | 24        9    9    0        6          0           60.00  22.50     22.50     15.00           0.5        0.75     5.00     2.50
vision | 24        6    18   0        0          0           60.00  15.00     45.00     0               0.25       1        10.00    2.50
total  | 48        15   27   0        6          0           120.00 37.50     67.50     15.00           0.357143   0.875    7.00     2.50
"""
SILENT = """
team   | allocated used idle unmeasured cost unmeasured_cost efficiency coverage per_used per_allocated
fraud  | 1         0    0    1          2.50 2.50            –          0        –        2.50
vision | 1         0.25 0.75 0          2.50 0               0.25       1        10.00    2.50
total  | 2         0.25 0.75 1          5.00 2.50            0.25       0.5      10.00    2.50
"""


@needed
@pytest.mark.django_db
def test_an_exporter_goes_silent(every_way, tmp_path) -> None:
    world = World("Europe/Zurich").machine("n1", 1, DAY).machine("n2", 1, DAY)
    world.tenant("loud", 1, DAY, namespace="fraud", node="n1").tenant("calm", 1, DAY, namespace="vision", node="n2")
    world.board("GPU-1", 0.5, *LOUD, pod="loud", namespace="fraud", node="n1").board(
        "GPU-2", 0.25, DAY, pod="calm", namespace="vision", node="n2"
    )
    with serving(world.text(), tmp_path) as url:
        followed(CONFIGURATION.format(url=url), tmp_path, start=DAY[0], end=DAY[1])
    every_way(TEAMS, *DAY)
    every_way(SILENT, "2025-10-08T10:00", "2025-10-08T11:00")
