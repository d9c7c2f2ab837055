"""A team gives its GPUs back, one after the other.

One node of four A100 at 2.00 an hour, three days. Team fraud has three pods of one GPU each: `a` stays (half busy), `b` leaves on
the second day at noon (a quarter busy), `c` at the second midnight (never busy). Team vision holds the fourth GPU, always busy.

    fraud       6 Oct  3 x 24      = 72 h   used 24 x 0.50 + 24 x 0.25 = 18   idle 54   x 2 = 144 = 36 + 108
                7 Oct  24 + 12 + 24 = 60 h  used 24 x 0.50 + 12 x 0.25 = 15   idle 45   x 2 = 120 = 30 + 90
                8 Oct  24 h                 used 24 x 0.50             = 12   idle 12   x 2 =  48 = 24 + 24
                sum    156 h                used 45                           idle 111  x 2 = 312 = 90 + 222
    vision      each day 24 h, all used: 48; sum 72 h, 144
    unallocated 7 Oct 12 h after b; 8 Oct 24 + 24 = 48 h; sum 60 h, 120
    node        4 x 72 = 288 h = 156 + 72 + 60, x 2 = 576 = 312 + 144 + 120

Fraud: efficiency 45/156, per used hour 312/45. All: efficiency 117/228, per used hour 456/117, per allocated hour 456/228 = 2:
what nobody held is in neither.
"""

import pytest

from tests.world import World, followed

THREE = ("2025-10-06", "2025-10-09")
TO_NOON, TO_MIDNIGHT = ("2025-10-06", "2025-10-07T12:00"), ("2025-10-06", "2025-10-08")
TEAM_OF = {"antifraud": "fraud", "cameras": "vision"}
CONFIGURATION = """
currency: CHF
timezone: Europe/Zurich
clusters:
  - {{name: lab, scrape_interval: 5m, source: {{openmetrics: {{path: {file}}}}}}}
teams:
  - {{from_namespace_label: team}}
rates:
  - {{gpu_model: A100-SXM4-40GB, price: "2.00", currency: CHF, from: 2025-01-01}}
"""
TEAMS = """
team        | allocated used idle starting unmeasured unallocated cost used_cost idle_cost unallocated_cost efficiency coverage per_used  per_allocated
fraud       | 156       45   111  0        0          0           312  90        222       0                0.288462   1        6.93333…  2
vision      | 72        72   0    0        0          0           144  144       0         0                1          1        2         2
unallocated | 0         0    0    0        0          60          120  0         0         120              –          –        –         –
total       | 228       117  111  0        0          60          576  234       222       120              0.513158   1        3.897435… 2
"""
DAYS = """
day        team        | allocated used idle unallocated cost used_cost idle_cost unallocated_cost
2025-10-06 fraud       | 72        18   54   0           144  36        108       0
2025-10-06 vision      | 24        24   0    0           48   48        0         0
2025-10-07 fraud       | 60        15   45   0           120  30        90        0
2025-10-07 vision      | 24        24   0    0           48   48        0         0
2025-10-07 unallocated | 0         0    0    12          24   0         0         24
2025-10-08 fraud       | 24        12   12   0           48   24        24        0
2025-10-08 vision      | 24        24   0    0           48   48        0         0
2025-10-08 unallocated | 0         0    0    48          96   0         0         96
total      -           | 228       117  111  60          576  234       222       120
"""


@pytest.mark.django_db
def test_a_team_shrinks(every_way, tmp_path) -> None:
    world = World("Europe/Zurich").machine("n1", 4, THREE)
    for namespace in ("antifraud", "cameras"):
        world.put("kube_namespace_labels", {"namespace": namespace, "label_team": TEAM_OF[namespace]}, 1, world.scrapes(THREE))
    for number, (pod, busy, span) in enumerate((("a", 0.5, THREE), ("b", 0.25, TO_NOON), ("c", 0.0, TO_MIDNIGHT))):
        world.tenant(pod, 1, span, namespace="antifraud").board(f"GPU-{number}", busy, span, pod=pod, namespace="antifraud")
        if span != THREE:  # the freed board is seen on, with nobody's name
            world.board(f"GPU-{number}", 0.0, (span[1], THREE[1]))
    world.tenant("v", 1, THREE, namespace="cameras").board("GPU-3", 1.0, THREE, pod="v", namespace="cameras")
    followed(CONFIGURATION.format(file=world.file(tmp_path)), tmp_path, start=THREE[0], end=THREE[1])
    every_way(TEAMS, *THREE)
    every_way(DAYS, *THREE, step="day")
