"""The price of a GPU-hour rises on the 15th, at the local midnight.

October 2025 in Zurich; a node of two A100 is rented on the 14th and the 15th (2 x 48 = 96 GPU-hours). 3.00 an hour until the 15th,
3.60 from then on. Midnight there is 22:00 UTC of the day before: a change at the UTC day would move two hours of each GPU.
Team risk holds one GPU throughout, 0.75 busy. Team search holds the other from the 14th, 18:00, to the 15th, 06:00, 0.5 busy.

    14 Oct  risk  24 h x 3.00 = 72.00 (used 18 h, 54.00, idle 6 h, 18.00)
            search 6 h x 3.00 = 18.00 (used  3 h,  9.00, idle 3 h,  9.00)    nobody 18 h, 54.00
    15 Oct  risk  24 h x 3.60 = 86.40 (used 18 h, 64.80, idle 6 h, 21.60)
            search 6 h x 3.60 = 21.60 (used  3 h, 10.80, idle 3 h, 10.80)    nobody 18 h, 64.80
    month   risk  48 h, 158.40 (36 h, 118.80 and 12 h, 39.60)
            search 12 h, 39.60 (6 h, 19.80 and 6 h, 19.80)                   nobody 36 h, 118.80
    node    48 x 3.00 + 48 x 3.60 = 316.80 = 158.40 + 39.60 + 118.80

Risk per allocated hour 158.40/48 = 3.30, per used hour 158.40/36 = 4.40; search 39.60/12 = 3.30 and 39.60/6 = 6.60.
All: (158.40 + 39.60)/60 = 3.30, per used hour 198/42 = 4.714285…, efficiency 42/60.

In November the price rises again, to 4.00: that is entered as one more rate, and October's figures stay as they are, also when its
hours are accounted again.
"""

from io import StringIO

import pytest
from django.core.management import call_command

from tests.fleet import commit
from tests.world import World, configured, followed

RENTED, NIGHT, MONTH = ("2025-10-14", "2025-10-16"), ("2025-10-14T18:00", "2025-10-15T06:00"), ("2025-10-01", "2025-11-01")
CONFIGURATION = """
currency: CHF
timezone: Europe/Zurich
clusters:
  - {{name: lab, scrape_interval: 5m, source: {{openmetrics: {{path: {file}}}}}}}
teams:
  - {{name: risk, match: {{namespace: "risk-*"}}}}
  - {{name: search, match: {{namespace: search}}}}
rates:
  - {{gpu_model: A100-SXM4-40GB, price: "3.00", currency: CHF, from: 2025-01-01, until: 2025-10-15}}
  - {{gpu_model: A100-SXM4-40GB, price: "3.60", currency: CHF, from: 2025-10-15{until}}}
{more}"""
NOVEMBER = '  - {gpu_model: A100-SXM4-40GB, price: "4.00", currency: CHF, from: 2025-11-01}\n'
MONTHS = """
team        | allocated used idle unallocated cost   used_cost idle_cost unallocated_cost efficiency coverage per_used  per_allocated
risk        | 48        36   12   0           158.40 118.80    39.60     0                0.75       1        4.40      3.30
search      | 12        6    6    0           39.60  19.80     19.80     0                0.5        1        6.60      3.30
unallocated | 0         0    0    36          118.80 0         0         118.80           –          –        –         –
total       | 60        42   18   36          316.80 138.60    59.40     118.80           0.7        1        4.714285… 3.30
"""
DAYS = """
day        team        | allocated used idle unallocated cost   used_cost idle_cost unallocated_cost per_allocated
2025-10-14 risk        | 24        18   6    0           72.00  54.00     18.00     0                3.00
2025-10-14 search      | 6         3    3    0           18.00  9.00      9.00      0                3.00
2025-10-14 unallocated | 0         0    0    18          54.00  0         0         54.00            –
2025-10-15 risk        | 24        18   6    0           86.40  64.80     21.60     0                3.60
2025-10-15 search      | 6         3    3    0           21.60  10.80     10.80     0                3.60
2025-10-15 unallocated | 0         0    0    18          64.80  0         0         64.80            –
total      -           | 60        42   18   36          316.80 138.60    59.40     118.80           3.30
"""


@pytest.mark.django_db
def test_a_rate_changes_on_the_fifteenth(every_way, tmp_path) -> None:
    world = World("Europe/Zurich").machine("n1", 2, RENTED)
    world.tenant("scores-0", 1, RENTED, namespace="risk-eu").board("GPU-0", 0.75, RENTED, pod="scores-0", namespace="risk-eu")
    world.tenant("index", 1, NIGHT, namespace="search", done=True).board("GPU-1", 0.5, NIGHT, pod="index", namespace="search")
    world.board("GPU-1", 0.0, (RENTED[0], NIGHT[0]), (NIGHT[1], RENTED[1]))
    file = world.file(tmp_path)
    followed(CONFIGURATION.format(file=file, until="", more=""), tmp_path, start=RENTED[0], end=RENTED[1])
    every_way(DAYS, *MONTH, step="day")
    every_way(MONTHS, *MONTH)

    configured(CONFIGURATION.format(file=file, until=", until: 2025-11-01", more=NOVEMBER), tmp_path)
    call_command("account", "--start", "2025-10-14T18:00", "--end", "2025-10-15T06:00", "--processes", "1", stdout=StringIO(), stderr=StringIO())
    commit()
    every_way(MONTHS, *MONTH)
