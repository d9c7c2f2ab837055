"""A pod none but whose init container or sidecar asks for GPUs is followed like any other."""

from decimal import Decimal

import pytest

from tests.cases_opencost.ground import WHOLE, Ground, bill, rows, rule
from tests.fleet import minutes

D = Decimal
WHO = {"namespace": "ml", "pod": "a", "uid": "uid-ml-a"}
pytestmark = pytest.mark.django_db


def test_one_that_failed_holds_nothing_while_its_object_stays(tmp_path) -> None:
    """Seen failed from 10:20 on, without an end's time: it holds to half a scrape interval after 10:19, which is 19.5 / 60 = 0.325."""
    ground = Ground().node().hold("a", init=True, times=WHOLE)
    ground.put("kube_pod_status_phase", WHO | {"phase": "Failed"}, 1, minutes(20, 140)).collected(tmp_path, hours=(0, 1))
    assert bill().total.allocated_gpu_hours == D("0.325")
    assert bill(first=1).total.allocated_gpu_hours == 0


def test_one_whose_labels_change_is_whose_they_said_at_the_time(tmp_path) -> None:
    """`app` alone until 10:20, `team` beside it from then on: 20 and 40 minutes."""
    rule(label="team")
    ground = Ground().node().hold("a", init=True, times=WHOLE)
    ground.put("kube_pod_labels", WHO | {"label_app": "x"}, 1, minutes(-20, 20))
    ground.put("kube_pod_labels", WHO | {"label_app": "x", "label_team": "fraud"}, 1, minutes(20, 140)).collected(tmp_path)
    held = {team: row.allocated_gpu_hours for team, row in rows("team").items() if row.allocated_gpu_hours}
    assert held == {"unassigned": D("0.3333333333"), "fraud": D("0.6666666667")}
