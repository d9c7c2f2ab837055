"""A node of two GPUs freezes; its pod is bound anew on another one.

8 October 2025, two nodes of two A100 at 4.00. Pod `train-x` holds both GPUs of n1 from midnight, 0.8 busy. At 13:55 the machine
freezes: its exporter's last sample is of 13:52:30 and speaks for one and a half scrape intervals of five minutes, to 14:00.
The API keeps pod and node until 14:30, when the cloud takes the node away. At that minute its Deployment's next pod `train-y` is
bound to n2, whose GPUs were free; it pulls its image until 14:45 and runs, 0.8 busy, to midnight.

    train-x  14.5 h x 2 = 29 GPU-h   used 14 x 2 x 0.8 = 22.4   idle 5.6   unmeasured 0.5 x 2 = 1      x 4 = 116 = 89.6 + 22.4 + 4
    train-y   9.5 h x 2 = 19 GPU-h   starting 0.25 x 2 = 0.5   used 9.25 x 2 x 0.8 = 14.8   idle 3.7   x 4 =  76 = 59.2 + 14.8 + 2
    n1       29 GPU-h, nothing unallocated: it costs to 14:30 and no longer
    n2       48 GPU-h = 19 + 14.5 x 2 unallocated = 19 + 29, x 4 = 192 = 76 + 116
    sum      48 allocated = 37.2 used + 9.3 idle + 0.5 starting + 1 unmeasured; 29 unallocated; 77 x 4 = 308

Coverage 46.5/47.5: what is starting could not be measured, what is unmeasured should have been. Efficiency 37.2/46.5 = 0.8.
Per used hour (37.2 + 9.3) x 4 / 37.2 = 5; per allocated hour 192/48 = 4.
"""

import pytest

from tests.world import World, followed

DAY, FROZEN, TAKEN = ("2025-10-08", "2025-10-09"), "2025-10-08T13:55", "2025-10-08T14:30"
CONFIGURATION = """
currency: CHF
timezone: Europe/Zurich
clusters:
  - {{name: lab, scrape_interval: 5m, source: {{openmetrics: {{path: {file}}}}}}}
teams:
  - {{name: vision, match: {{namespace: ml}}}}
rates:
  - {{price: "4.00", currency: CHF, from: 2025-01-01}}
"""
TEAMS = """
team        | allocated used idle starting unmeasured unallocated efficiency coverage
vision      | 48        37.2 9.3  0.5      1          0           0.8        0.978947
unallocated | 0         0    0    0        0          29          –          –
total       | 48        37.2 9.3  0.5      1          29          0.8        0.978947
"""
MONEY = """
team        | cost used_cost idle_cost starting_cost unmeasured_cost unallocated_cost per_used per_allocated
vision      | 192  148.8     37.2      2             4               0                5        4
unallocated | 116  0         0         0             0               116              –        –
total       | 308  148.8     37.2      2             4               116              5        4
"""
NODES = """
node  | allocated used idle starting unmeasured unallocated capacity cost used_cost idle_cost starting_cost unmeasured_cost unallocated_cost
n1    | 29        22.4 5.6  0        1          0           29       116  89.6      22.4      0             4               0
n2    | 19        14.8 3.7  0.5      0          29          48       192  59.2      14.8      2             0               116
total | 48        37.2 9.3  0.5      1          29          77       308  148.8     37.2      2             4               116
"""
PODS = """
pod     | allocated used starting unmeasured cost
train-x | 29        22.4 0        1          116
train-y | 19        14.8 0.5      0          76
nobody  | 0         0    0        0          116
total   | 48        37.2 0.5      1          308
"""


@pytest.mark.django_db
def test_a_node_dies(every_way, tmp_path) -> None:
    world = World("Europe/Zurich").machine("n1", 2, (DAY[0], TAKEN)).machine("n2", 2, DAY)
    world.tenant("train-x", 2, (DAY[0], TAKEN), namespace="ml", node="n1")
    world.tenant("train-y", 2, (TAKEN, DAY[1]), namespace="ml", node="n2", started="2025-10-08T14:45")
    for number in (0, 1):
        world.board(f"GPU-1{number}", 0.8, (DAY[0], FROZEN), pod="train-x", namespace="ml", node="n1")
        world.board(f"GPU-2{number}", 0.0, (DAY[0], TAKEN), node="n2")
        world.board(f"GPU-2{number}", 0.8, (TAKEN, DAY[1]), pod="train-y", namespace="ml", node="n2")
    followed(CONFIGURATION.format(file=world.file(tmp_path)), tmp_path, start=DAY[0], end=DAY[1])
    for table in (TEAMS, MONEY, NODES, PODS):
        every_way(table, *DAY)
