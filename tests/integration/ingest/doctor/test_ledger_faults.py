"""What the doctor says of the ledger's last seven days: one GPU that two pods hold from ten to eleven, 1 GPU-hour at 3."""

import json
from datetime import timedelta
from io import StringIO
from zoneinfo import ZoneInfo

import pytest
from django.core.management import call_command

from finops.models import Cluster, Rate
from ingest.doctor import ledger_faults
from ingest.doctor.diagnosis import Past
from ingest.management.commands import doctor
from tests.fleet import A100, GPU, HOUR, TEN, Fleet

ZURICH = ZoneInfo("Europe/Zurich")


@pytest.fixture(autouse=True)
def ground(db, tmp_path) -> None:
    Rate.objects.create(price="3", currency="CHF", gpu_model=A100)
    Fleet().node(**{GPU: 1}).pod("a").pod("b").card("GPU-1", "a").card("GPU-1", "b").collected(tmp_path)


def past(hours: float = 1, clusters: tuple[str, ...] = ("lab",)) -> dict[str, Past]:
    return {each.check: each for each in ledger_faults(clusters, at=TEN + hours * HOUR, zone=ZURICH, currency="CHF")}


def test_a_fault_that_lasts_tells_since_when_what_it_touches_and_its_cure() -> None:
    found = past()["over_committed"]
    assert (found.level, found.cluster, found.since, found.last, found.hours) == ("fault", "lab", "2026-10-06T12:00+02:00", "2026-10-06T12:00+02:00", 1)
    assert (found.gpu_hours, found.money) == ("1.0000000000", "3.0000000000")
    assert found.message.endswith("; since 2026-10-06T12:00+02:00, last 2026-10-06T12:00+02:00, 1 hours of the last seven days, 1.00 GPU-hours, 3.00 CHF")
    assert found.mend.startswith("kube-state-metrics: one instance")


def test_seven_days_and_no_more_of_these_clusters() -> None:
    assert "over_committed" in past(hours=24 * 7)
    assert past(hours=24 * 7 + 1) == past(clusters=("elsewhere",)) == {}


def test_what_is_over_is_no_fault_any_more(tmp_path) -> None:
    """From eleven on a board more is there: the newest hours of the cluster no longer show it."""
    sound = Fleet().node(**{GPU: 2}).pod("a").pod("b").card("GPU-1", "a").card("GPU-2", "b")
    sound.collected(tmp_path, hours=(1,))
    assert past(hours=2)["over_committed"].level == "fault"  # told two hours at most after it was last seen
    Fleet().node(times=range(6600, 10920, 60), **{GPU: 2}).collected(tmp_path, hours=(2,))
    assert past(hours=3)["over_committed"].level == "warn"


@pytest.mark.parametrize("form", ["text", "json"])
def test_the_command_prints_them_below_the_source(form: str, tmp_path, monkeypatch) -> None:
    monkeypatch.setattr(doctor, "now", lambda: TEN + timedelta(days=2))
    Cluster.objects.update(source={"openmetrics": {"path": str(tmp_path / "fleet.om")}})
    shown = StringIO()
    with pytest.raises(SystemExit) as left:
        call_command("doctor", "--format", form, stdout=shown)
    assert left.value.code == 1
    if form == "json":
        rows = json.loads(shown.getvalue())
        assert rows[0]["check"] != "over_committed"
        (row,) = [row for row in rows if row["check"] == "over_committed"]
        assert list(row) == ["cluster", "level", "check", "message", "cost", "mend", "since", "last", "hours", "gpu_hours", "money"]
    else:
        assert "fault  lab  over_committed: leases on n1 exceed its NVIDIA A100-SXM4-40GB" in shown.getvalue()
        assert "       mend: kube-state-metrics: one instance" in shown.getvalue()
