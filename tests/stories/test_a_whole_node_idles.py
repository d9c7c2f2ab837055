"""Eight GPUs that nobody uses: first held, then not even that.

8 October 2025, Zurich: a node of eight A100 at 3.00, and a second one of one A100 that works throughout.

    0:00 – 24:00   the node is there: 8 x 24                                           192 GPU-h   576.00
    0:00 – 8:00    pod `workbench` of research holds all eight and runs nothing        idle        64 GPU-h   192.00
    8:00 – 24:00   it was deleted, nobody holds them                                   unallocated 128 GPU-h  384.00
    the other node: pod `train` of vision, 24 h, 0.75 busy                             used 18, idle 6        54.00 + 18.00

    research     64 allocated, 0 used: efficiency 0, no cost per used hour (–, never 0), 3.00 per allocated hour
    vision       24 allocated: efficiency 0.75, 4.00 per used hour
    unallocated  128, its own line: neither idle nor anybody's
    all          88 allocated = 18 used + 70 idle, 128 unallocated, 216 capacity; 648.00 = 54.00 + 210.00 + 384.00
                 efficiency 18/88; per used hour 264/18 = 14.666666…; per allocated hour 264/88 = 3.00: never 648/88
"""

import csv
import io

import pytest

from tests.world import World, followed, right

DAY, HELD = ("2025-10-08", "2025-10-09"), ("2025-10-08", "2025-10-08T08:00")
CONFIGURATION = """
currency: CHF
timezone: Europe/Zurich
clusters:
  - {{name: lab, scrape_interval: 5m, node_pool_label: example.com/pool, source: {{openmetrics: {{path: {file}}}}}}}
teams:
  - {{name: research, match: {{namespace: research}}}}
  - {{name: vision, match: {{namespace: vision}}}}
rates:
  - {{price: "3.00", currency: CHF, from: 2025-01-01}}
"""
TEAMS = """
team        | allocated used idle starting unmeasured unallocated capacity cost   used_cost idle_cost unallocated_cost efficiency coverage
research    | 64        0    64   0        0          0           64       192.00 0         192.00    0                0          1
vision      | 24        18   6    0        0          0           24       72.00  54.00     18.00     0                0.75       1
unallocated | 0         0    0    0        0          128         128      384.00 0         0         384.00           –          –
total       | 88        18   70   0        0          128         216      648.00 54.00     210.00    384.00           0.204545   1
"""
RATIOS = """
team        | per_used   per_allocated distributed_cost unpriced
research    | –          3.00          0                0
vision      | 4.00       3.00          0                0
unallocated | –          –             0                0
total       | 14.666666… 3.00          0                0
"""
POOLS = """
node_pool | allocated used idle unallocated capacity cost   idle_cost unallocated_cost efficiency per_used per_allocated
big       | 64        0    64   128         192      576.00 192.00    384.00           0          –        3.00
small     | 24        18   6    0           24       72.00  18.00     0                0.75       4.00     3.00
total     | 88        18   70   128         216      648.00 210.00    384.00           0.204545   14.666666… 3.00
"""
IDLE = """
team        node_pool | idle idle_cost unallocated unallocated_cost
unallocated big       | 0    0         128         384.00
research    big       | 64   192.00    0           0
vision      small     | 6    18.00     0           0
"""


@pytest.mark.django_db
def test_a_whole_node_idles(every_way, finance, tmp_path) -> None:
    world = World("Europe/Zurich").machine("n8", 8, DAY, example_com_pool="big").machine("n1", 1, DAY, example_com_pool="small")
    world.tenant("workbench", 8, HELD, namespace="research", node="n8").tenant("train", 1, DAY, namespace="vision", node="n1")
    for number in range(8):
        world.board(f"GPU-8{number}", 0.0, HELD, pod="workbench", namespace="research", node="n8")
        world.board(f"GPU-8{number}", 0.0, (HELD[1], DAY[1]), node="n8")
    world.board("GPU-1", 0.75, DAY, pod="train", namespace="vision", node="n1")
    followed(CONFIGURATION.format(file=world.file(tmp_path)), tmp_path, start=DAY[0], end=DAY[1])
    for table in (TEAMS, RATIOS, POOLS):
        every_way(table, *DAY)
    file = finance.get("/download/idle.csv", {"start": DAY[0], "end": DAY[1]})
    right(IDLE, {"rows": list(csv.DictReader(io.StringIO(file.content.decode())))})
