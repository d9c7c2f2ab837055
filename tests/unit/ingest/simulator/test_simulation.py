"""The company's exporters."""

import numpy as np
import pytest

from ingest.simulator.simulation import KARPENTER, KUEUE, PASSING, STATE, TARGETS, Silent, Simulation
from ingest.simulator.weeks import Week, week_of
from ingest.sources import Samples
from ingest.sources.exposition import labels_of, split

SEED = 2
STORY = next(week for n in range(4) if (week := Week(week_of(1795000000.0, seed=SEED).index + n, SEED)).position == 0)
TUESDAY = STORY.at(1, "13:00")


@pytest.fixture(scope="module")
def company() -> Simulation:
    return Simulation(SEED)


def plain(samples: Samples) -> set[tuple]:
    rows = [tuple(sorted(labels.items())) for labels in samples.labels]
    return {(rows[s], t, v) for s, t, v in zip(samples.series.tolist(), samples.time.tolist(), samples.value.tolist(), strict=True)}


def parsed(page: str, at: float) -> set[tuple]:
    found = set()
    for line in page.splitlines():
        if not line.startswith("#"):
            series, value, _ = split(line)
            found.add((tuple(sorted(labels_of(series).items())), at, value))
    return found


def rows(page: str, name: str) -> list[tuple[dict[str, str], float]]:
    return [(dict(labels), value) for labels, _, value in parsed(page, 0) if ("__name__", name) in labels]


def test_time_cut_anyhow_gives_the_same_samples(company) -> None:
    whole = plain(company.samples(TUESDAY, TUESDAY + 7200))
    pieces = plain(Simulation(SEED).samples(TUESDAY + 3000, TUESDAY + 7200)) | plain(company.samples(TUESDAY, TUESDAY + 3000))
    assert len(whole) > 100_000 and pieces == whole


def test_every_scrape_counts_once(company) -> None:
    samples = company.samples(TUESDAY, TUESDAY + 600)
    assert len(plain(samples)) == len(samples)


@pytest.mark.parametrize("target", [STATE, KUEUE, KARPENTER, "gpu-v100-03", "gpu-a100-01", "gpu-t4-03", PASSING])
def test_a_page_says_what_the_samples_say(target: str, company) -> None:
    pages = dict(company.pages(target, TUESDAY, TUESDAY + 180))
    assert len(pages) == 3
    whole = plain(company.samples(TUESDAY, TUESDAY + 180))
    for at, page in pages.items():
        assert page == company.page(target, at)
        assert parsed(page, at) <= whole


def test_pages_together_are_all_samples(company) -> None:
    found = set().union(*(parsed(page, at) for name in TARGETS for at, page in company.pages(name, TUESDAY, TUESDAY + 60)))
    assert found == plain(company.samples(TUESDAY, TUESDAY + 60))


def test_a_mig_instance_has_profiling_alone_and_repeats_its_boards_heat(company) -> None:
    page = company.page("gpu-a100-01", TUESDAY)
    assert {labels["gpu"] for labels, _ in rows(page, "DCGM_FI_DEV_GPU_UTIL")} == {"0", "1"}
    instances = [labels for labels, _ in rows(page, "DCGM_FI_PROF_GR_ENGINE_ACTIVE") if "GPU_I_ID" in labels]
    assert sorted(labels["GPU_I_PROFILE"] for labels in instances) == [
        "1g.5gb",
        "1g.5gb",
        "2g.10gb",
        "2g.10gb",
        "2g.10gb",
        "3g.20gb",
        "3g.20gb",
    ]
    heat = [value for labels, value in rows(page, "DCGM_FI_DEV_GPU_TEMP") if labels["gpu"] == "2"]
    assert len(heat) == 3 and len(set(heat)) == 1


def test_pods_that_share_a_board_repeat_its_value(company) -> None:
    found = rows(company.page("gpu-t4-03", TUESDAY), "DCGM_FI_DEV_GPU_UTIL")
    first = [(labels["vgpu"], value) for labels, value in found if labels["gpu"] == "0"]
    assert sorted(v for v, _ in first) == ["0", "1"] and len({value for _, value in first}) == 1
    assert not rows(company.page("gpu-t4-03", TUESDAY), "DCGM_FI_PROF_GR_ENGINE_ACTIVE")


def test_a_gang_of_twelve_and_four_that_wait(company) -> None:
    page = company.page(STATE, TUESDAY)
    mine = [labels for labels, _ in rows(page, "kube_pod_container_resource_requests") if labels["pod"].startswith("txn-graph-embed") and labels["resource"] == "nvidia_com_gpu"]  # fmt: skip
    assert sorted(bool(labels["node"]) for labels in mine) == [False] * 4 + [True] * 12
    waiting = {labels["pod"] for labels, _ in rows(page, "kube_pod_status_unschedulable")}
    assert {labels["pod"] for labels in mine if not labels["node"]} <= waiting


def test_a_finished_pod_lingers_with_its_requests(company) -> None:
    page = company.page(STATE, TUESDAY)
    done = {labels["uid"] for labels, value in rows(page, "kube_pod_status_phase") if labels["phase"] == "Succeeded" and value == 1}
    assert done and done <= {labels["uid"] for labels, _ in rows(page, "kube_pod_container_resource_requests")}


def test_exactly_one_phase_holds(company) -> None:
    found: dict[str, float] = {}
    for labels, value in rows(company.page(STATE, TUESDAY), "kube_pod_status_phase"):
        found[labels["uid"]] = found.get(labels["uid"], 0) + value
    assert set(found.values()) == {1}


def test_owner_chains(company) -> None:
    page = company.page(STATE, STORY.at(2, "03:00"))
    kinds = {labels["owner_kind"] for labels, _ in rows(page, "kube_pod_owner")}
    assert kinds == {"ReplicaSet", "StatefulSet", "Job", "PyTorchJob", ""}
    assert {labels["owner_kind"] for labels, _ in rows(page, "kube_job_owner")} >= {"CronJob"}
    assert {labels["owner_kind"] for labels, _ in rows(page, "kube_replicaset_owner")} == {"Deployment"}


def test_an_exporter_is_silent_for_two_hours(company) -> None:
    with pytest.raises(Silent):
        company.page("gpu-v100-06", STORY.at(2, "03:00"))
    assert company.page("gpu-v100-06", STORY.at(2, "04:00")) and company.page("gpu-v100-05", STORY.at(2, "03:00"))
    assert len(list(company.pages("gpu-v100-06", STORY.at(2, "01:30"), STORY.at(2, "04:30")))) == 60


def test_no_such_node_and_no_passing_node(company) -> None:
    with pytest.raises(Silent):
        company.page("gpu-v100-09", TUESDAY)
    assert company.page("gpu-v100-09", STORY.at(3, "12:00"))
    assert "# TYPE" in company.page(PASSING, STORY.at(7, "00:15"))  # between the long spot node and its successor


def test_quota_series(company) -> None:
    quota = {labels["cluster_queue"]: value for labels, value in rows(company.page(KUEUE, TUESDAY), "kueue_cluster_queue_nominal_quota") if labels["flavor"] == "v100-od"}  # fmt: skip
    assert quota == {"fraud": 20, "scoring": 6, "vision": 3, "nlp": 1, "claims": 1, "pricing": 1}
    used = {labels["cluster_queue"]: value for labels, value in rows(company.page(KUEUE, TUESDAY), "kueue_cluster_queue_resource_usage") if labels["flavor"] == "v100-od"}  # fmt: skip
    assert used["fraud"] == 20 and used["scoring"] in (4, 5, 6, 3, 2)
    hard = {labels["namespace"] for labels, _ in rows(company.page(STATE, TUESDAY), "kube_resourcequota")}
    assert "scoring" in hard


def test_counters_never_fall(company) -> None:
    samples = company.samples(STORY.at(6, "23:00"), STORY.at(7, "01:00"))
    for place, labels in enumerate(samples.labels):
        if labels["__name__"].startswith("karpenter_") and labels["__name__"].endswith("_total"):
            assert np.all(np.diff(samples.value[samples.series == place]) >= 0)
