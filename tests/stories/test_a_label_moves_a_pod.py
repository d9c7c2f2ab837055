"""A pod changes hands twice while it runs; each team pays for its own time.

8 and 9 October 2025, a node of two A100 at 2.00, and pod `notebook` with both of them, half busy throughout. The team is its label
`finops.example.com/team`, which kube-state-metrics spells `label_finops_example_com_team`.

    fraud until it is edited at 15:20 on the 8th; the first scrape that shows the new value is of 15:22:30, and the ledger goes by that
    vision until the label is taken away at 6:20 on the 9th, as the scrape of 6:22:30 shows; from then on nobody's: unassigned

    8 Oct  fraud       15 h 22.5 min = 15.375 h x 2 = 30.75 GPU-h   used 15.375   x 2 =  61.50 = 30.75 + 30.75
           vision      24 - 15.375   =  8.625 h x 2 = 17.25         used  8.625   x 2 =  34.50
    9 Oct  vision       6 h 22.5 min =  6.375 h x 2 = 12.75         used  6.375   x 2 =  25.50
           unassigned  24 - 6.375    = 17.625 h x 2 = 35.25         used 17.625   x 2 =  70.50
    sum    fraud 30.75, vision 30.00, unassigned 35.25: 96 GPU-h; 61.50 + 60.00 + 70.50 = 192

It is one pod and one lease all along: by pod there is one row of 96 GPU-hours and 192. The half used makes each hour used cost 4.00.
The hour from three to four of the 8th is fraud's for 0.375 h and vision's for 0.625 h, each times two.
"""

import pytest

from tests.world import World, followed

TWO, FIRST, SECOND = ("2025-10-08", "2025-10-10"), "2025-10-08T15:20", "2025-10-09T06:20"
CONFIGURATION = """
currency: CHF
timezone: Europe/Zurich
clusters:
  - {{name: lab, scrape_interval: 5m, source: {{openmetrics: {{path: {file}}}}}}}
teams:
  - {{from_pod_label: finops.example.com/team}}
rates:
  - {{price: "2.00", currency: CHF, from: 2025-01-01}}
"""
TEAMS = """
team       | allocated used   idle   starting unmeasured unallocated cost  used_cost idle_cost efficiency coverage per_used per_allocated
fraud      | 30.75     15.375 15.375 0        0          0           61.50 30.75     30.75     0.5        1        4        2
vision     | 30        15     15     0        0          0           60    30        30        0.5        1        4        2
unassigned | 35.25     17.625 17.625 0        0          0           70.50 35.25     35.25     0.5        1        4        2
total      | 96        48     48     0        0          0           192   96        96        0.5        1        4        2
"""
DAYS = """
day        team       | allocated used   idle   cost  used_cost idle_cost
2025-10-08 fraud      | 30.75     15.375 15.375 61.50 30.75     30.75
2025-10-08 vision     | 17.25     8.625  8.625  34.50 17.25     17.25
2025-10-09 vision     | 12.75     6.375  6.375  25.50 12.75     12.75
2025-10-09 unassigned | 35.25     17.625 17.625 70.50 35.25     35.25
total      -          | 96        48     48     192   96        96
"""
PODS = """
pod      | allocated used cost
notebook | 96        48   192
total    | 96        48   192
"""
HOUR = """
team   | allocated used  cost
fraud  | 0.75      0.375 1.50
vision | 1.25      0.625 2.50
total  | 2         1     4
"""


@pytest.mark.django_db
def test_a_label_moves_a_pod_to_another_team(every_way, tmp_path) -> None:
    world = World("Europe/Zurich").machine("n1", 2, TWO).tenant("notebook", 2, TWO, namespace="ml")
    for number in (0, 1):
        world.board(f"GPU-{number}", 0.5, TWO, pod="notebook", namespace="ml")
    world.bearing("notebook", (TWO[0], FIRST), namespace="ml", app="jupyter", finops_example_com_team="fraud")
    world.bearing("notebook", (FIRST, SECOND), namespace="ml", app="jupyter", finops_example_com_team="vision")
    world.bearing("notebook", (SECOND, TWO[1]), namespace="ml", app="jupyter")
    followed(CONFIGURATION.format(file=world.file(tmp_path)), tmp_path, start=TWO[0], end=TWO[1])
    every_way(TEAMS, *TWO)
    every_way(DAYS, *TWO, step="day")
    every_way(PODS, *TWO)
    every_way(HOUR, "2025-10-08T15:00", "2025-10-08T16:00")
