"""A spot node is taken away; its work goes on on demand, at three times the price.

8 October 2025, Zurich. Node s1, spot, two A100 at 1.00, lives from 6:00 to 17:30. Pod `index-a` of search is bound to it at 6:15, starts
at 6:30 and is 0.9 busy until the node is taken; its object stays for half an hour in phase Failed, with no completion time. Node o1,
on demand, two A100 at 3.00, joins at 17:45 and stays. Pod `index-b` is bound to it at 18:00, starts at 18:15 and is 0.9 busy.

    s1   6:00 – 17:30   11.5 h x 2  = 23 GPU-h                                       x 1 = 23.00
         unallocated     0.25 x 2   = 0.5                                                   0.50
         index-a        11.25 x 2   = 22.5   starting 0.5, measured 22: 19.8 used, 2.2 idle
                                                                 22.50 = 0.50 + 19.80 + 2.20
    o1  17:45 – 24:00    6.25 x 2   = 12.5 GPU-h                                     x 3 = 37.50
         unallocated     0.25 x 2   = 0.5                                                   1.50
         index-b         6 x 2      = 12     starting 0.5, measured 11.5: 10.35 used, 1.15 idle
                                                                 36.00 = 1.50 + 31.05 + 3.45
    sum  allocated 34.5 = 30.15 used + 3.35 idle + 1 starting, unallocated 1, capacity 35.5
         60.50 = 50.85 + 5.65 + 2.00 + 2.00 unallocated

Nothing is charged between 17:30 and 17:45, nor for the Failed pod. Search: efficiency 30.15/33.5 = 0.9; per allocated hour
58.50/34.5 = 1.695652…; per used hour (50.85 + 5.65)/30.15 = 1.873963….
"""

import pytest

from tests.world import World, followed

DAY, SPOT, DEMAND = ("2025-10-08", "2025-10-09"), ("2025-10-08T06:00", "2025-10-08T17:30"), ("2025-10-08T17:45", "2025-10-09")
FIRST, SECOND = ("2025-10-08T06:15", SPOT[1]), ("2025-10-08T18:00", "2025-10-09")
CONFIGURATION = """
currency: CHF
timezone: Europe/Zurich
clusters:
  - {{name: lab, scrape_interval: 5m, source: {{openmetrics: {{path: {file}}}}}}}
teams:
  - {{name: search, match: {{namespace: search}}}}
rates:
  - {{gpu_model: A100-SXM4-40GB, capacity_type: on-demand, price: "3.00", currency: CHF, from: 2025-01-01}}
  - {{gpu_model: A100-SXM4-40GB, capacity_type: spot, price: "1.00", currency: CHF, from: 2025-01-01}}
"""
TEAMS = """
team        | allocated used  idle starting unmeasured unallocated cost  used_cost idle_cost starting_cost unallocated_cost efficiency coverage
search      | 34.5      30.15 3.35 1        0          0           58.50 50.85     5.65      2.00          0                0.9        1
unallocated | 0         0     0    0        0          1           2.00  0         0         0             2.00             –          –
total       | 34.5      30.15 3.35 1        0          1           60.50 50.85     5.65      2.00          2.00             0.9        1
"""
KINDS = """
capacity_type | allocated used  idle starting unallocated capacity cost  used_cost idle_cost starting_cost unallocated_cost per_used  per_allocated
spot          | 22.5      19.8  2.2  0.5      0.5         23       23.00 19.80     2.20      0.50          0.50             1.111111… 1.00
on-demand     | 12        10.35 1.15 0.5      0.5         12.5     37.50 31.05     3.45      1.50          1.50             3.333333… 3.00
total         | 34.5      30.15 3.35 1        1           35.5     60.50 50.85     5.65      2.00          2.00             1.873963… 1.695652…
"""


@pytest.mark.django_db
def test_a_spot_node_is_taken(every_way, tmp_path) -> None:
    world = World("Europe/Zurich").machine("s1", 2, SPOT, karpenter_sh_capacity_type="spot", karpenter_sh_nodepool="cheap")
    world.machine("o1", 2, DEMAND, karpenter_sh_capacity_type="on-demand", karpenter_sh_nodepool="steady")
    world.tenant("index-a", 2, FIRST, namespace="search", node="s1", started="2025-10-08T06:30", failed="2025-10-08T18:00")
    world.tenant("index-b", 2, SECOND, namespace="search", node="o1", started="2025-10-08T18:15")
    for number in (0, 1):
        world.board(f"GPU-s{number}", 0.0, (SPOT[0], FIRST[0]), node="s1").board(f"GPU-o{number}", 0.0, (DEMAND[0], SECOND[0]), node="o1")
        world.board(f"GPU-s{number}", 0.9, FIRST, pod="index-a", namespace="search", node="s1")
        world.board(f"GPU-o{number}", 0.9, SECOND, pod="index-b", namespace="search", node="o1")
    followed(CONFIGURATION.format(file=world.file(tmp_path)), tmp_path, start=DAY[0], end=DAY[1])
    every_way(TEAMS, *DAY)
    every_way(KINDS, *DAY)
