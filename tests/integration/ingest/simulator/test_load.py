"""The demo company through the product: its ledger is the company's own account."""

from collections import defaultdict
from datetime import UTC, datetime, timedelta

import pytest
from django.db import connection

from finops import pipeline, queries
from finops.models import Cluster
from finops.scope import Scope, Window
from ingest.collect import collect
from ingest.open import open_source
from ingest.simulator import load
from ingest.simulator.history import write
from ingest.simulator.simulation import Simulation
from ingest.simulator.truth import truth
from ingest.simulator.weeks import Week, week_of
from ingest.sources.held import Held
from ingest.sources.openmetrics import open_file

pytestmark = pytest.mark.django_db
SEED = 0
STORY = next(week for n in range(4) if (week := Week(week_of(1795000000.0, seed=SEED).index + n, SEED)).position == 0)
FRIDAY = datetime.fromtimestamp(STORY.at(4, "09:20"), UTC)
BUCKETS = ("allocated", "starting", "used", "idle", "unmeasured")


def at(day: int, clock: str) -> datetime:
    return datetime.fromtimestamp(STORY.at(day, clock), UTC)


def bill(cluster: Cluster, start: datetime, end: datetime, *keys: str, step: str = "total") -> list[dict]:
    rows = queries.costs(Scope(Window(start, end), keys, step, {"cluster": (cluster.name,)})).rows
    return [{key: value for key, value in row.as_json().items() if key != "cluster"} for row in rows]


def feed(cluster: Cluster, source: Held, start: datetime, end: datetime) -> None:
    hours = [(start + timedelta(hours=n), start + timedelta(hours=n + 1)) for n in range(int((end - start).total_seconds()) // 3600)]
    assert collect(cluster, hours, source=source, until=end, settled=end) == []
    pipeline.account(cluster)


@pytest.fixture
def cluster() -> Cluster:
    made = load.demo_cluster(9480, now=FRIDAY)
    assert load.seed_of(made) == SEED
    return made


def test_an_empty_database_gets_the_configuration_and_another_port_only_moves_its_addresses(cluster) -> None:
    own = Cluster.objects.create(name="eks-prod", source={"openmetrics": {"path": "x"}})
    again = load.demo_cluster(9555, now=FRIDAY + timedelta(days=20))
    assert Cluster.objects.get(pk=own.pk).ended_at is None
    assert again.pk == cluster.pk and load.seed_of(again) == SEED
    assert all(":9555/" in url for url, _ in again.source["exporters"]["dcgm"])


def test_other_peoples_clusters_are_left_alone() -> None:
    Cluster.objects.create(name="eks-prod", source={"openmetrics": {"path": "x"}})
    with pytest.raises(load.NotEmpty):
        load.demo_cluster(9480, now=FRIDAY)


def test_the_ledger_of_a_day_is_the_companys_own_account(cluster) -> None:
    """Tolerances: half a scrape interval at each unseen end of a lease, samples a minute apart for what is busy."""
    start, end = at(2, "12:00"), at(3, "12:00")  # a spot node is taken back, eight nodes join, images of 12 GB are pulled
    feed(cluster, Held(Simulation(SEED).samples), start, end)
    right = truth(Simulation(SEED).schedule, start.timestamp(), end.timestamp())
    expected = defaultdict(lambda: defaultdict(float))
    for (_, team, _, job), account in right.jobs.items():
        for bucket in BUCKETS:
            expected[team or "unassigned", job][bucket] += getattr(account, bucket)
    got = {(row["team"], row["job"]): row for row in bill(cluster, start, end, "team", "job")}
    assert set(expected) == {key for key in got if key[0] != "unallocated"} and len(expected) > 25
    for key, hours in expected.items():
        for bucket, value in hours.items():
            slack = 0.03 + 0.01 * hours["allocated"]
            assert float(got[key][f"{bucket}_gpu_hours"]) == pytest.approx(value, abs=slack), (key, bucket)
    capacity = sum(float(row["capacity_gpu_hours"]) for row in bill(cluster, start, end, "node_pool"))
    assert capacity == pytest.approx(sum(right.capacity.values()), abs=0.2)


def test_a_silent_exporter_is_two_unmeasured_hours_of_four_cards(cluster) -> None:
    feed(cluster, Held(Simulation(SEED).samples), at(2, "01:00"), at(2, "05:00"))
    unmeasured = {row["node"]: float(row["unmeasured_gpu_hours"]) for row in bill(cluster, at(2, "01:00"), at(2, "05:00"), "node")}
    # samples at both edges speak for up to a minute and a half of the silence
    assert unmeasured.pop("gpu-v100-06") == pytest.approx(8.0, abs=0.21)
    assert max(unmeasured.values()) < 0.01


def test_text_gives_the_ledger_that_frames_give(cluster, tmp_path) -> None:
    start, end = at(1, "13:00"), at(1, "16:00")  # the last four pods of the gang come
    path = tmp_path / "history.om.gz"
    write(Simulation(SEED), path, start=start.timestamp() - 600, end=end.timestamp() + 600)
    twin = Cluster.objects.create(
        name="twin", source={"openmetrics": {"path": str(path)}}, scrape_interval=60.0, user_label=cluster.user_label
    )
    feed(cluster, Held(Simulation(SEED).samples), start, end)
    feed(twin, open_file(path), start, end)
    keys = ("team", "job", "pod", "user", "node", "gpu_model", "capacity_type", "queue")
    frames = bill(cluster, start, end, *keys, step="hour")
    assert len(frames) > 140 and frames == bill(twin, start, end, *keys, step="hour")


def test_loading_goes_on_where_it_stopped_and_pages_stand_in_for_the_schedule(cluster) -> None:
    assert load.load(cluster, days=0, now=FRIDAY) == []
    hours = bill(cluster, at(4, "00:00"), at(4, "09:00"), "team", step="hour")
    assert len({row["period_start"] for row in hours}) == 9
    assert {row["unpriced_gpu_hours"] for row in hours} == {"0"} or all(float(row["unpriced_gpu_hours"]) == 0 for row in hours)
    until = load.settled(FRIDAY)
    assert [start for start, _ in load.due(cluster, days=0, until=until)] == [at(4, "09:00")]  # the running one
    with connection.cursor() as cursor:
        cursor.execute("select count(*), count(distinct target), min(at), max(at) from scrape where cluster_id = %s", [cluster.id])
        count, targets, first, last = cursor.fetchone()
    assert (count, targets) == (135 * 14, 14)
    assert first - (FRIDAY - timedelta(minutes=135)) < timedelta(minutes=1) and FRIDAY - last < timedelta(minutes=1)
    assert Cluster.objects.get(pk=cluster.pk).first_hour == at(4, "08:00")


def test_the_schedule_reads_from_kept_pages_what_was_loaded_from_frames(cluster) -> None:
    load.load(cluster, days=0, now=FRIDAY)
    keys = ("team", "job", "pod", "node", "gpu_model")
    before = bill(cluster, at(4, "08:00"), at(4, "09:00"), *keys)
    hour = [(at(4, "08:00"), at(4, "09:00"))]
    assert (
        collect(Cluster.objects.get(pk=cluster.pk), hour, source=open_source(cluster), until=at(4, "09:18"), settled=at(4, "09:18")) == []
    )
    pipeline.account(cluster)
    assert len(before) > 30 and bill(cluster, at(4, "08:00"), at(4, "09:00"), *keys) == before


def test_an_hour_read_while_nothing_was_served_is_not_done(cluster) -> None:
    with connection.cursor() as cursor:
        cursor.execute(
            """insert into collection_window (cluster_id, start, "end", state, rows, dirty) values (%s, %s, %s, 'done', 0, false)""",
            [cluster.id, at(4, "03:00"), at(4, "04:00")],
        )
    assert (at(4, "03:00"), at(4, "04:00")) in load.due(cluster, days=0, until=load.settled(FRIDAY))
