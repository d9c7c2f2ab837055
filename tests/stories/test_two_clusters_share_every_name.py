"""Two clusters that tell of the same node, pod, uid and board are two clusters.

8 October 2025, Zurich, one real Prometheus that holds both, told apart by the label `cluster` alone. Each has a node `n1` with one A100,
`GPU-1`, and a pod `ml/train` with the same uid. Team ml is the namespace in both. A GPU-hour costs 2.00 in east and 3.00 in west.

    east   train 0:00 – 12:00, a quarter busy    12 h = 3 used + 9 idle     24.00 =  6.00 + 18.00   nobody 12 h, 24.00   node 48.00
    west   train all day, three quarters busy    24 h = 18 used + 6 idle    72.00 = 54.00 + 18.00                        node 72.00
    ml     in both                               36 h = 21 used + 15 idle   96.00 = 60.00 + 36.00
           efficiency 21/36; per used hour 96/21 = 4.571428…; per allocated hour 96/36 = 2.666666…
    all    36 + 12 = 48 h = 2 x 24, 120.00

The pod's name, namespace and uid give one row per cluster where the cluster is among the keys, and a question about one cluster
hears nothing of the other. Taking up the west cluster's day again changes neither.
"""

from io import StringIO

import pytest
from django.core.management import call_command

from tests.fleet import commit
from tests.prometheus_server import needed, serving
from tests.world import World, followed, queried, right

DAY, MORNING = ("2025-10-08", "2025-10-09"), ("2025-10-08", "2025-10-08T12:00")
CONFIGURATION = """
currency: CHF
timezone: Europe/Zurich
clusters:
  - {{name: east, scrape_interval: 5m, source: {{prometheus: {{url: "{url}", match: {{cluster: east}}}}}}}}
  - {{name: west, scrape_interval: 5m, source: {{prometheus: {{url: "{url}", match: {{cluster: west}}}}}}}}
teams:
  - {{name: ml, match: {{namespace: ml}}}}
rates:
  - {{cluster: east, price: "2.00", currency: CHF, from: 2025-01-01}}
  - {{cluster: west, price: "3.00", currency: CHF, from: 2025-01-01}}
"""
TEAMS = """
team        | allocated used idle starting unmeasured unallocated cost   used_cost idle_cost unallocated_cost efficiency coverage per_used  per_allocated
ml          | 36        21   15   0        0          0           96.00  60.00     36.00     0                0.583333   1        4.571428… 2.666666…
unallocated | 0         0    0    0        0          12          24.00  0         0         24.00            –          –        –         –
total       | 36        21   15   0        0          12          120.00 60.00     36.00     24.00            0.583333   1        4.571428… 2.666666…
"""
PODS = """
cluster node namespace pod    | allocated used idle unallocated capacity cost   used_cost idle_cost unallocated_cost efficiency per_used per_allocated
east    n1   ml        train  | 12        3    9    0           12       24.00  6.00      18.00     0                0.25       8.00     2.00
east    n1   nobody    nobody | 0         0    0    12          12       24.00  0         0         24.00            –          –        –
west    n1   ml        train  | 24        18   6    0           24       72.00  54.00     18.00     0                0.75       4.00     3.00
total   -    -         -      | 36        21   15   12          48       120.00 60.00     36.00     24.00            0.583333   4.571428… 2.666666…
"""
EAST = """
team        | allocated used idle unallocated cost
ml          | 12        3    9    0           24.00
unallocated | 0         0    0    12          24.00
total       | 12        3    9    12          48.00
"""
WEST = """
team  | allocated used idle unallocated cost
ml    | 24        18   6    0           72.00
total | 24        18   6    0           72.00
"""


def cluster(name: str, busy: float, *spans: tuple[str, str]) -> str:
    """The lines of one of the two, each with its label."""
    world = World("Europe/Zurich").machine("n1", 1, DAY)
    world.tenant("train", 1, *spans, namespace="ml", uid="uid-1").board("GPU-1", busy, *spans, pod="train", namespace="ml")
    return "\n".join(line.replace("{", f'{{cluster="{name}",', 1) for line in world.lines)


@needed
@pytest.mark.django_db
def test_two_clusters_share_every_name(every_way, tmp_path) -> None:
    both = World("Europe/Zurich")
    both.lines = [*cluster("east", 0.25, MORNING).splitlines(), *cluster("west", 0.75, DAY).splitlines()]
    with serving(both.text(), tmp_path) as url:
        followed(CONFIGURATION.format(url=url), tmp_path, start=DAY[0], end=DAY[1])
        for again in (False, True):
            if again:
                call_command("collect", "--cluster", "west", "--start", DAY[0], "--end", DAY[1], stdout=StringIO(), stderr=StringIO())
                commit()
            every_way(TEAMS, *DAY)
            every_way(PODS, *DAY)
            right(EAST, queried(*DAY, cluster=("east",)))
            right(WEST, queried(*DAY, cluster=("west",)))
