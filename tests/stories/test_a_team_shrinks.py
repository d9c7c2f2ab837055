"""A team gives its GPUs back, one after the other.

One node of four A100 at 2.00 an hour, three days. Team fraud has three pods of one GPU each: `a` stays (half busy), `b` leaves on
the second day at 12:30 (a quarter busy), `c` at the second midnight (never busy). Team vision holds the fourth GPU, always busy.

    fraud       6 Oct  3 x 24      = 72 h   used 24 x 0.50 + 24 x 0.25 = 18   idle 54   x 2 = 144 = 36 + 108
                7 Oct  24 + 12.5 + 24 = 60.5 h   used 12 + 12.5 x 0.25 = 15.125   idle 45.375   x 2 = 121 = 30.25 + 90.75
                8 Oct  24 h                 used 24 x 0.50             = 12   idle 12   x 2 =  48 = 24 + 24
                sum    156.5 h              used 45.125                       idle 111.375   x 2 = 313 = 90.25 + 222.75
    vision      each day 24 h, all used: 48; sum 72 h, 144
    unallocated 7 Oct 11.5 h after b; 8 Oct 24 + 24 = 48 h; sum 59.5 h, 119
    node        4 x 72 = 288 h = 156.5 + 72 + 59.5, x 2 = 576 = 313 + 144 + 119

Fraud: efficiency 45.125/156.5, per used hour 313/45.125. All: efficiency 117.125/228.5, per used hour 457/117.125, per allocated
hour 457/228.5 = 2: what nobody held is in neither.
"""

import pytest

from tests.world import World, followed

THREE = ("2025-10-06", "2025-10-09")
TO_LUNCH, TO_MIDNIGHT = ("2025-10-06", "2025-10-07T12:30"), ("2025-10-06", "2025-10-08")
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
team        | allocated used    idle    starting unmeasured unallocated cost used_cost idle_cost unallocated_cost efficiency coverage per_used  per_allocated
fraud       | 156.5     45.125  111.375 0        0          0           313  90.25     222.75    0                0.288339   1        6.936288… 2
vision      | 72        72      0       0        0          0           144  144       0         0                1          1        2         2
unallocated | 0         0       0       0        0          59.5        119  0         0         119              –          –        –         –
total       | 228.5     117.125 111.375 0        0          59.5        576  234.25    222.75    119              0.512582   1        3.901814… 2
"""
DAYS = """
day        team        | allocated used    idle    unallocated cost used_cost idle_cost unallocated_cost
2025-10-06 fraud       | 72        18      54      0           144  36        108       0
2025-10-06 vision      | 24        24      0       0           48   48        0         0
2025-10-07 fraud       | 60.5      15.125  45.375  0           121  30.25     90.75     0
2025-10-07 vision      | 24        24      0       0           48   48        0         0
2025-10-07 unallocated | 0         0       0       11.5        23   0         0         23
2025-10-08 fraud       | 24        12      12      0           48   24        24        0
2025-10-08 vision      | 24        24      0       0           48   48        0         0
2025-10-08 unallocated | 0         0       0       48          96   0         0         96
total      -           | 228.5     117.125 111.375 59.5        576  234.25    222.75    119
"""


@pytest.mark.django_db
def test_a_team_shrinks(every_way, tmp_path) -> None:
    world = World("Europe/Zurich").machine("n1", 4, THREE)
    for namespace in ("antifraud", "cameras"):
        world.put("kube_namespace_labels", {"namespace": namespace, "label_team": TEAM_OF[namespace]}, 1, world.scrapes(THREE))
    for number, (pod, busy, span) in enumerate((("a", 0.5, THREE), ("b", 0.25, TO_LUNCH), ("c", 0.0, TO_MIDNIGHT))):
        world.tenant(pod, 1, span, namespace="antifraud").board(f"GPU-{number}", busy, span, pod=pod, namespace="antifraud")
        if span != THREE:  # the freed board is seen on, with nobody's name
            world.board(f"GPU-{number}", 0.0, (span[1], THREE[1]))
    world.tenant("v", 1, THREE, namespace="cameras").board("GPU-3", 1.0, THREE, pod="v", namespace="cameras")
    followed(CONFIGURATION.format(file=world.file(tmp_path)), tmp_path, start=THREE[0], end=THREE[1])
    every_way(TEAMS, *THREE)
    every_way(DAYS, *THREE, step="day")
