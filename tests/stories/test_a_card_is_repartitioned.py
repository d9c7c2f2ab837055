"""One A100 is whole in the morning, cut in two at noon, cut anew in the evening.

8 October 2025, one A100 (seven slices) at 7.00 an hour, so that a slice costs 1.00 an hour.

    0:00 – 12:00   whole; pod `whole` of vision holds it, 0.5 busy
    12:30          cut into two 3g (six slices; the seventh is out of everybody's reach)
    13:00 – 24:00  pod `left` of fraud holds one 3g as instance 1, 0.6 busy
    13:00 – 19:00  pod `right` of search holds the other as instance 2, always busy
    20:00 – 24:00  the free 3g was cut into a 2g that bears its id, instance 2: pod `small` of search holds it, a quarter busy

    vision   12 h x 7/7         = 12        used 6, idle 6                                 12 x 7 =  84 = 42 + 42
    fraud    11 h x 3/7         = 33/7      used 0.6 of it, 19.8/7, idle 13.2/7              33 x 1 =  33 = 19.80 + 13.20
    search    6 h x 3/7         = 18/7      all used                                       18
              4 h x 2/7         =  8/7      used 2/7, idle 6/7                              8 = 2 + 6; with `right` 26/7 h, 26 = 20 + 6
    nobody   24 - 12 - 33/7 - 26/7 = 25/7                                                  25
    card     24 x 7 = 168 = 84 + 33 + 26 + 25

It is one card all day: 24 GPU-hours of capacity, also in the hour in which it was cut and in the one in which an id changed its size.
All: allocated 143/7, used 81.8/7, idle 61.2/7; efficiency 81.8/143; per used hour 143 / (81.8/7) = 12.237163…
A part of a card is a number of sevenths, which each hour stores to ten digits and then prices: sums of parts are compared to the
fifth or sixth digit, the whole card to the last.
"""

import pytest

from tests.world import World, followed

DAY, WHOLE, CUT, RECUT = ("2025-10-08", "2025-10-09"), ("2025-10-08", "2025-10-08T12:00"), "2025-10-08T12:30", "2025-10-08T20:00"
LEFT, RIGHT, SMALL = ("2025-10-08T13:00", "2025-10-09"), ("2025-10-08T13:00", "2025-10-08T19:00"), (RECUT, "2025-10-09")
CONFIGURATION = """
currency: CHF
timezone: Europe/Zurich
clusters:
  - {{name: lab, scrape_interval: 5m, source: {{openmetrics: {{path: {file}}}}}}}
teams:
  - {{name: vision, match: {{namespace: vision}}}}
  - {{name: fraud, match: {{namespace: fraud}}}}
  - {{name: search, match: {{namespace: search}}}}
rates:
  - {{gpu_model: A100-SXM4-40GB, price: "7.00", currency: CHF, from: 2025-01-01}}
"""
HOURS = """
team        | allocated used       idle      starting unmeasured unallocated capacity   efficiency coverage
vision      | 12        6          6         0        0          0           12         0.5        1
fraud       | 4.714285… 2.828571…  1.885714… 0        0          0           4.714285…  0.6        1
search      | 3.714285… 2.857142…  0.857142… 0        0          0           3.714285…  0.769231   1
unallocated | 0         0          0         0        0          3.571428…   3.571428…  –          –
total       | 20.42857… 11.685714… 8.742857… 0        0          3.571428…   24         0.572028   1
"""
MONEY = """
team        | cost      used_cost idle_cost starting_cost unmeasured_cost unallocated_cost per_used   per_allocated
vision      | 84        42        42        0             0               0                14         7
fraud       | 33.00000… 19.80000… 13.20000… 0             0               0                11.66666…  7.00000…
search      | 26.00000… 20.00000… 6.00000…  0             0               0                9.10000…   7.00000…
unallocated | 25.00000… 0         0         0             0               25.00000…        –          –
total       | 168       81.80000… 61.20000… 0             0               25.00000…        12.237163… 7.00000…
"""


@pytest.mark.django_db
def test_a_card_is_repartitioned(every_way, tmp_path) -> None:
    world = World("Europe/Zurich").machine("n1", 1, (DAY[0], CUT))
    three, two = "nvidia_com_mig_3g_20gb", "nvidia_com_mig_2g_10gb"
    world.machine("n1", 2, (CUT, RECUT), created=DAY[0], resource=three).machine("n1", 1, (RECUT, DAY[1]), created=DAY[0], resource=three)
    world.machine("n1", 1, (RECUT, DAY[1]), created=DAY[0], resource=two)
    world.tenant("whole", 1, WHOLE, namespace="vision").board("GPU-1", 0.5, WHOLE, pod="whole", namespace="vision")
    world.board("GPU-1", 0.0, (WHOLE[1], CUT))
    for pod, namespace, resource, instance, profile, busy, span in (
        ("left", "fraud", three, "1", "3g.20gb", 0.6, LEFT),
        ("right", "search", three, "2", "3g.20gb", 1.0, RIGHT),
        ("small", "search", two, "2", "2g.10gb", 0.25, SMALL),
    ):
        world.tenant(pod, 1, span, namespace=namespace, resource=resource)
        world.board("GPU-1", busy, span, pod=pod, namespace=namespace, GPU_I_ID=instance, GPU_I_PROFILE=profile)
    for instance, span in (("1", (CUT, LEFT[0])), ("2", (CUT, RIGHT[0])), ("2", (RIGHT[1], RECUT))):
        world.board("GPU-1", 0.0, span, GPU_I_ID=instance, GPU_I_PROFILE="3g.20gb")
    followed(CONFIGURATION.format(file=world.file(tmp_path)), tmp_path, start=DAY[0], end=DAY[1])
    every_way(HOURS, *DAY)
    every_way(MONEY, *DAY)
