"""Every check fires on its fault and is silent on a healthy cluster, through a real Prometheus."""

import time
from dataclasses import replace
from datetime import UTC, datetime
from decimal import Decimal

import pytest

from finops.models import Cluster, Rate, TeamRule
from ingest.doctor import Configured, Diagnosis, examine
from ingest.open import open_source
from ingest.sources.prometheus import PrometheusSource
from tests.exposition import MODEL, Series, healthy, text
from tests.hostile import hostile, success
from tests.prometheus_server import needed, serving

pytestmark = needed
NOW = float(int(time.time()))
DAY = 86400.0
BLANK = 9223372036854775792.0
KSM = "kube_"
RULES = [TeamRule(kind="from_pod_label", label="example.com/team")]
RATES = [Rate(gpu_model=MODEL, price=Decimal("2"), currency="CHF")]
SOUND = Configured(RULES, RATES, "CHF")


def sound() -> list[Series]:
    return healthy(start=NOW - 1200, end=NOW - 15)


def without(*names: str) -> list[Series]:
    return [row for row in sound() if row.name not in names]


def changed(prefix: str, **labels: str) -> list[Series]:
    """With the labels of every series whose name begins so; {x} stands for the old value of label x."""
    return [row.having(**{k: v.format(**row.labels) for k, v in labels.items()}) if row.name.startswith(prefix) else row for row in sound()]


def until(ago: float, *prefixes: str) -> list[Series]:
    return [replace(row, times=[t for t in row.times if t <= NOW - ago]) if row.name.startswith(prefixes) else row for row in sound()]


def valued(name: str, value) -> list[Series]:
    return [replace(row, value=value) if row.name == name else row for row in sound()]


def sliced() -> list[Series]:
    """Board GPU-a is listed beside an instance of it."""
    more = [row.having(GPU_I_ID="7", GPU_I_PROFILE="3g.20gb") for row in sound()
            if row.name == "DCGM_FI_PROF_GR_ENGINE_ACTIVE" and row.labels["UUID"] == "GPU-a"]  # fmt: skip
    return sound() + more


def of_amd() -> list[Series]:
    """The same with AMD's GPUs, of which no exporter is read."""
    moved = [row.having(resource="amd_com_gpu") if row.labels.get("resource") else row for row in sound() if not row.name.startswith("DCGM")]
    return [row.having(label_nvidia_com_gpu_product="", label_nvidia_com_gpu_count="", label_amd_com_gpu_product_name=MODEL)
            if row.name == "kube_node_labels" else row for row in moved]  # fmt: skip


def by_claims(*, told: bool) -> list[Series]:
    """The same GPUs given by claims; `told`: the exporter names the pods that hold them."""
    rows = [row for row in without("kube_node_status_capacity") if row.labels.get("resource") is None]
    rows = [row.having(dra_claim_name="c") if row.labels.get("exported_pod") else row for row in rows]
    rows = rows if told else [row.having(exported_pod="", exported_namespace="", dra_claim_name="") for row in rows]
    pods = [row for row in sound() if row.name == "kube_pod_info"]
    return rows + [replace(row, name="kube_pod_resourceclaim_info").having(node="", pod_ip="", claim_name="gpu") for row in pods]


def lingering() -> list[Series]:
    """A Job that ended two hours ago and was not deleted: its device names it no longer."""
    who = {"namespace": "ml", "pod": "old", "uid": "u9"}
    times = sound()[0].times
    return sound() + [
        Series("kube_pod_container_resource_requests", {**who, "container": "c", "node": "n2", "resource": "nvidia_com_gpu"}, 1, times),
        Series("kube_pod_status_scheduled_time", who, NOW - 9000, times), Series("kube_pod_completion_time", who, NOW - 7200, times),
        Series("kube_pod_status_phase", {**who, "phase": "Succeeded"}, 1, times)]  # fmt: skip


def flipping() -> list[Series]:
    """The label of GPU-c names one pod, then another: two series of half as many samples."""
    rows = []
    for row in sound():
        halves = (row.times[::2], row.times[1::2])
        mine = row.labels.get("UUID") == "GPU-c"
        rows += [replace(row, times=halves[0]), replace(row, times=halves[1]).having(vgpu="1")] if mine else [row]
    return rows


def old(*, kept: bool) -> list[Series]:
    """Nodes that stood five days ago, with or without samples of then."""
    capacity = next(row for row in sound() if row.name == "kube_node_status_capacity")
    before = [replace(capacity, times=[NOW - 3 * DAY - 600])] if kept else []
    return valued("kube_node_created", NOW - 5 * DAY) + before


DCGM = "DCGM_"
PROFILING, UTIL = "DCGM_FI_PROF_GR_ENGINE_ACTIVE", "DCGM_FI_DEV_GPU_UTIL"
SHARDS = (("total_shards", 2), ("shard_ordinal", 0))
LABEL_ALLOW = "--metric-labels-allowlist=pods=[example.com/team,"
# cluster: (its series, check, level, part of the message, part of what mends it)
FAULTS: dict[str, tuple[list[Series], str, str, str, str]] = {
    "no-requests": (without("kube_pod_container_resource_requests"), "requests", "fault", "no kube_pod_container", "--resources=pods"),
    "no-capacity": (without("kube_node_status_capacity"), "capacity", "fault", "no kube_node_status_capacity", "--resources="),
    "no-owner": (without("kube_pod_owner"), "pod_owner", "fault", "no kube_pod_owner", "--metric-denylist that names kube_pod_owner"),
    "no-started": (without("kube_pod_container_state_started"), "started", "warn", "no kube_pod_container_state_started", "--resources="),
    "no-power": (without("DCGM_FI_DEV_POWER_USAGE"), "power", "warn", "no DCGM_FI_DEV_POWER_USAGE", "DCGM_FI_DEV_POWER_USAGE, gauge"),
    "ksm-gone": (until(930, "kube_pod_owner"), "pod_owner", "fault", "was there within the hour", "Targets"),
    "dcgm-stopped": (until(600, DCGM), "utilisation age", "fault", "since 6", "Targets"),
    "late": (until(200, DCGM), "utilisation age", "warn", "the youngest", "batch_send_deadline"),
    "slow": (healthy(start=NOW - 1300, end=NOW - 15, step=180), "capacity interval", "warn", "every 180 s", "scrape_interval: 30s"),
    "very-slow": (healthy(start=NOW - 3000, end=NOW - 15, step=290 + 15), "capacity interval", "fault", "every 305 s", "scrape_interval: 30s"),
    "holes": ([replace(r, times=[t for n, t in enumerate(r.times) if n % 10 > 2]) for r in sound()], "capacity gaps", "warn", "are missing", "up == 0"),
    "no-honor": (changed("kube_pod", exported_pod="{pod}", exported_namespace="{namespace}", pod="ksm-0", namespace="monitoring"),
                 "honor_labels", "warn", "monitoring/ksm-0", "honorLabels: true"),
    "no-uid": (changed("kube_pod_container_resource", uid=""), "uid", "fault", "ml/train", "labeldrop of uid"),
    "node-overwritten": (changed("kube_pod_container_resource", node="infra-1"), "pods' nodes", "fault", "infra-1", "honorLabels: true"),
    "claims-unnamed": (by_claims(told=False), "claims", "warn", "no device series names ml/train", "KUBERNETES_ENABLE_DRA"),
    "claims": (sound() + [Series("kube_resourceclaim_created", {"namespace": "ml", "resourceclaim": "r"}, 1, [NOW - 60])],
               "claims", "warn", "1 series of DRA", "nvidia.com/gpu: 1"),
    "kueue": (sound() + [Series("kueue_pending_workloads", {"cluster_queue": "q"}, 1, [NOW - 60])],
              "quotas", "warn", "Kueue runs", "enableClusterQueueResources: true"),
    "shards": (sound() + [Series(f"kube_state_metrics_{name}", {"shard_ordinal": "0"}, value, [NOW - 60]) for name, value in SHARDS],
               "shards", "fault", "1 of 2 shards", "autosharding"),
    "watches": (sound() + [Series("kube_state_metrics_watch_total", {"result": "error"}, lambda n: 3.0 * n, sound()[0].times)],
                "watches", "warn", "failed", "rbac"),
    "conflict": (changed("kube_pod_labels", label_example_com_team="", label_example_com_team_conflict1="ml", label_example_com_team_conflict2="x"),
                 "label conflict", "fault", "become label_example_com_team", "kubectl label"),
    "two-ksm": (sound() + [r.having(instance="ksm-1") for r in sound() if r.name.startswith(KSM)],
                "kube-state-metrics twice", "warn", "differ in instance", "replicas: 1"),
    "ha-pair": ([r.having(prometheus_replica=x) for x in "ab" for r in sound()],
                "kube-state-metrics twice", "warn", "differ in prometheus_replica", "--query.replica-label=prometheus_replica"),
    "two-dcgm": (sound() + [r.having(job="dcgm-2") for r in sound() if r.name.startswith(DCGM)],
                 "dcgm-exporter twice", "warn", "differ in job", "dcgmExporter.enabled=false"),
    "no-team-label": (without("kube_pod_labels"), "kube_pod_labels", "fault", "example.com/team: not allow-listed", LABEL_ALLOW),
    "no-node-labels": (without("kube_node_labels"), "capacity type", "fault", "no node label is shown", "nodes=[karpenter.sh/nodepool,"),
    "no-spot-label": (changed("kube_node_labels", label_karpenter_sh_capacity_type=""), "capacity type", "warn", "n1, n2 tell none", "karpenter.sh/capacity-type"),
    "no-profiling": (without(PROFILING), "profiling", "warn", "no profiling series", "DCGM_FI_PROF_GR_ENGINE_ACTIVE, gauge"),
    "mixed-boards": ([r for r in sound() if r.name != PROFILING or r.labels["UUID"] != "GPU-c"], "profiling", "warn", "on GPU-c;", "GR_ENGINE_ACTIVE"),
    "no-util": (without(UTIL), "utilisation", "warn", "no GPU_UTIL", "DCGM_FI_DEV_GPU_UTIL, gauge"),
    "no-dcgm": ([r for r in sound() if r.name.startswith(KSM)], "dcgm", "fault", "no DCGM utilisation", "DCGM_FI_DEV_GPU_UTIL"),
    "own-pod": (changed(DCGM, exported_pod="", exported_namespace=""), "pod label", "fault", "gpu-operator/dcgm-n1", "GPU_ID_TYPE"),
    "bare": (changed(DCGM, exported_pod="", exported_namespace="", pod="", namespace=""), "pod label", "fault", "no pod at all", 'value: "true"'),
    "half-mapped": ([r.having(exported_pod="", exported_namespace="") if r.labels.get("exported_pod") == "serve" else r for r in sound()],
                    "unnamed pods", "warn", "web/serve", "pod-resources"),
    "no-uuid": (changed(DCGM, UUID=""), "uuid", "fault", "bear no UUID", "labeldrop of UUID"),
    "blanks": (valued(UTIL, lambda n: BLANK if n % 5 == 0 else 50.0), "rejected values", "warn", "blank markers or nonsense", "image tag"),
    "prof-blanks": (valued(PROFILING, lambda n: BLANK if n % 5 == 0 else 0.5), "rejected values", "warn", "on GPU-a, GPU-b, GPU-c, GPU-d", "image tag"),
    "rescaled": (valued(UTIL, 0.42), "scale", "fault", "highest 0.42", "divides DCGM_FI_DEV_GPU_UTIL by 100"),
    "frozen": (valued(PROFILING, 0.0), "frozen profiling", "warn", "GPU-a, GPU-b", "rollout restart"),
    "mig-parent": (sliced(), "MIG parents", "warn", "GPU-a", "DCGM_EXPORTER_DEVICES_STR"),
    "host-engine": (changed(DCGM, Hostname="nvidia-dcgm", pod="", namespace="", instance="10.9.9.9:9400"), "devices' nodes", "fault", "GPU-d (nvidia-dcgm)",
                    "__meta_kubernetes_pod_node_name"),
    "host-is-address": (changed(DCGM, Hostname="nvidia-dcgm", instance="10.0.0.1:9400"), "host names", "warn", "nvidia-dcgm", "NODE_NAME"),
    "node-without-dcgm": ([r for r in sound() if r.labels.get("Hostname") != "n2"], "GPUs without series", "fault", "no DCGM series of n2", "tolerations"),
    "board-lost": ([r for r in sound() if r.labels.get("UUID") != "GPU-d"], "boards without series", "warn", "n2 (1 of 2)", "nvidia-smi -L"),
    "sliced-unknown": ([replace(r, value=8) if r.name == "kube_node_status_capacity" else
                        r.having(label_nvidia_com_gpu_count="", label_nvidia_com_gpu_replicas="") for r in sound()],
                       "sharing", "fault", "n1 (8 of capacity, 2 boards seen)", "nvidia.com/gpu.replicas"),
    "not-kept": (old(kept=False), "retention", "warn", "stood 3 days ago", "--storage.tsdb.retention.time"),
    "unowned": (changed("kube_pod_labels", label_example_com_team="unassigned"), "teams", "warn", "2 of 2 leases fall to no team, in ml, web",
                'match: {namespace: "'),
    "other-model": (changed(DCGM, modelName="NVIDIA H100 80GB HBM3"), "rates", "warn", "no rate in force matches NVIDIA H100", "gpu_model: \"NVIDIA H100 80GB"),
}  # fmt: skip
SILENT = {
    "sound": sound(),
    "kept": old(kept=True),
    "lingering": lingering(),
    "whole-shards": sound() + [Series(f"kube_state_metrics_{name}", {"shard_ordinal": str(n)}, value, [NOW - 60]) for name, value in SHARDS for n in (0, 1)],
    "new-pod": [replace(r, times=[t for t in r.times if t > NOW - 60], value=NOW - 60 if "time" in r.name or "started" in r.name else r.value)
                if r.labels.get("uid") else r.having(exported_pod="", exported_namespace="") for r in sound()],
    "flipping": flipping(),
    "renamed": [replace(r, name="DCGM_FI_DEV_GPU_UTIL_RATIO").having(hostname=r.labels["Hostname"], Hostname="") if r.name == UTIL else r for r in sound()],
    "honored": changed(DCGM, pod="{pod}"),
    "kueue-whole": sound() + [Series(name, {"cluster_queue": "q"}, 1, [NOW - 60]) for name in ("kueue_pending_workloads", "kueue_cluster_queue_nominal_quota")],
    "other-makers": of_amd(),
    "claims-named": by_claims(told=True),
    "quota": sound() + [Series("kube_resourcequota", {"namespace": "ml", "resource": "requests.nvidia.com/gpu"}, 8, [NOW - 60])],
}  # fmt: skip


@pytest.fixture(scope="module")
def url(tmp_path_factory):
    clusters = {name: case[0] for name, case in FAULTS.items()} | SILENT
    clusters |= {"x": healthy(start=NOW - 900, end=NOW - 15)}
    idle = [replace(r, times=[t for t in r.times if t < NOW - 400]) if r.name.startswith(("DCGM", "kube_node_s", "kube_pod_c")) else r for r in sound()]
    with serving(text(clusters | {"scaled-to-zero": idle}), tmp_path_factory.mktemp("prometheus")) as address:
        yield address


def found(url: str, name: str, *, configured: Configured = SOUND, match: dict | None = None, **more) -> list[Diagnosis]:
    cluster = Cluster(name=name, source={}, **more)
    return examine(cluster, PrometheusSource(url, match={"cluster": name} if match is None else match), configured=configured, at=NOW)


def unwell(rows: list[Diagnosis]) -> list[tuple[str, str, str]]:
    return [(row.level, row.check, row.message) for row in rows if row.level != "ok"]


@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_is_named_with_its_cost_and_cure(name: str, url) -> None:
    _, check, level, message, mend = FAULTS[name]
    rows = [row for row in found(url, name) if row.check == check and row.level != "ok"]
    assert [row.level for row in rows][:1] == [level], unwell(found(url, name))
    assert message in rows[0].message and mend in rows[0].mend and rows[0].cost and rows[0].cluster == name
    assert all(sign.isprintable() for row in rows for sign in row.message + row.cost + row.mend)


@pytest.mark.parametrize("name", SILENT)
def test_a_healthy_cluster_is_silent(name: str, url) -> None:
    assert unwell(found(url, name)) == []


def test_what_is_harmless_is_no_fault(url) -> None:
    for name in ("two-ksm", "ha-pair", "two-dcgm", "mig-parent", "no-spot-label", "late"):
        assert [row for row in found(url, name) if row.level == "fault"] == [], name


def test_a_cluster_whose_gpu_nodes_are_gone_is_healthy(url) -> None:
    assert [row.check for row in found(url, "scaled-to-zero") if row.level == "fault"] == []


def test_two_clusters_without_a_matcher_are_a_fault(url) -> None:
    rows = {row.check: row for row in found(url, "all", match={})}
    assert rows["several clusters"].level == "fault" and "values of cluster: " in rows["several clusters"].message
    assert "source: {prometheus: {match: {cluster: bare}}}" in rows["several clusters"].mend


def test_a_matcher_that_nothing_bears_is_one_fault(url) -> None:
    rows = found(url, "nowhere")
    assert [(row.check, row.level) for row in rows if row.level != "ok"] == [("match", "fault")]
    assert "remove it" in rows[-2].mend


def test_the_load_is_counted_and_bounded(url) -> None:
    (row,) = [row for row in found(url, "sound") if row.check == "load"]
    questions, series = int(row.message.split()[0]), int(row.message.split()[2])
    assert series == 52  # 4 boards x 6, 2 nodes x 4, 2 pods x 9, 2 namespaces
    assert questions <= 33 + 7 + 2 + 6  # the catalogue, the counts beside it, the clock, and the checks' own


def test_configured_interval_pool_user_and_annotation(url) -> None:
    rules = [TeamRule(kind="from_pod_annotation", label="example.com/owner"), TeamRule(kind="from_namespace_label", label="team"),
             TeamRule(kind="match", name="x", match={"pod_label": {"app": "x"}, "namespace_label": {"stage": "p*"}})]  # fmt: skip
    rates = [Rate(gpu_model=MODEL, node_pool="p", price=Decimal("2"), currency="EUR")]
    rows = {row.check: row for row in found(url, "sound", configured=Configured(rules, rates, "CHF"), scrape_interval=90.0,
                                            user_label="example.com/user", node_pool_label="example.com/pool") if row.level != "ok"}  # fmt: skip
    assert {check: row.level for check, row in rows.items()} == {
        "requests interval": "warn", "capacity interval": "warn", "profiling interval": "warn", "kube_pod_annotations": "fault",
        "kube_pod_labels": "warn", "kube_namespace_labels": "warn", "user_label": "warn", "rates": "warn", "exchange rates": "fault"}  # fmt: skip
    assert "scrape_interval: 30s" in rows["capacity interval"].mend
    assert rows["kube_pod_annotations"].mend == "kube-state-metrics: --metric-annotations-allowlist=pods=[example.com/owner]"
    assert "namespaces=[team,stage]" in rows["kube_namespace_labels"].mend and "example.com/user" in rows["user_label"].mend
    assert "currency: EUR" in rows["exchange rates"].mend


def test_a_rate_by_pool_needs_a_pool(url) -> None:
    rates = [Rate(node_pool="gpu", price=Decimal("2"), currency="CHF")]
    rows = found(url, "no-node-labels", configured=Configured(RULES, rates, "CHF"))
    assert [row.level for row in rows if row.check == "node pool"] == ["fault"]
    ended = [Rate(gpu_model=MODEL, price=Decimal("2"), currency="CHF", end=datetime(2026, 1, 1, tzinfo=UTC))]
    assert [row.check for row in found(url, "sound", configured=Configured(RULES, ended, "CHF")) if row.level != "ok"] == ["rates"]


def clock(ahead: float):
    """A query API whose clock is off, and that has nothing else."""

    def behave(request, number):
        if request.form["query"] == "vector(time())":
            return success("vector", [{"metric": {}, "value": [time.time(), f"{time.time() + ahead:.3f}"]}])
        return success("matrix" if "over_time" not in request.form["query"] and "count" not in request.form["query"] else "vector", [])

    return behave


def test_a_clock_that_is_off_is_told_and_beyond_a_minute_refused() -> None:
    for ahead, level in ((0, "ok"), (8, "warn"), (-8, "warn")):
        with hostile(clock(ahead)) as server:
            rows = {row.check: row for row in found(server.url, "x", match={})}
        assert rows["clock"].level == level and rows["series"].level == "fault"
    with hostile(clock(90)) as server:
        (row,) = found(server.url, "x", match={})
    assert (row.check, row.level) == ("clock", "fault") and "its clock is +90 s off ours; set both by NTP" in row.message


def test_a_partial_answer_is_a_fault_of_its_own() -> None:
    with hostile(lambda r, n: success("vector", [], warnings=["store is down"])) as server:
        (row,) = found(server.url, "x", match={})
    assert (row.check, row.level) == ("partial", "fault") and "wait until all its stores are back" in row.message


def test_the_checks_serve_a_file_and_look_at_its_end(tmp_path) -> None:
    """A file of September, with a board of n2 lost and without labels of pods."""
    rows = [row for row in healthy(start=1_757_000_000, end=1_757_003_000) if row.name != "kube_pod_labels" and row.labels.get("UUID") != "GPU-d"]
    (tmp_path / "dump.om").write_text(text({"lab": rows}))
    cluster = Cluster(name="lab", source={"openmetrics": {"path": str(tmp_path / "dump.om")}})
    found = {row.check: row for row in examine(cluster, open_source(cluster), configured=SOUND) if row.level != "ok"}
    assert {check: row.level for check, row in found.items()} == {"kube_pod_labels": "fault", "boards without series": "warn", "teams": "warn"}


def test_quotas_that_a_file_has_are_not_told_as_missing(tmp_path) -> None:
    rows = [*sound(), Series("kube_resourcequota", {"namespace": "ml", "resource": "requests.nvidia.com/gpu", "type": "hard"}, 8, [NOW - 60])]
    (tmp_path / "dump.om").write_text(text({"lab": rows}))
    cluster = Cluster(name="lab", source={"openmetrics": {"path": str(tmp_path / "dump.om")}})
    told = [row.message for row in examine(cluster, open_source(cluster), configured=SOUND) if row.check == "quotas"]
    assert told == ["kube_resourcequota: 1 series"]


def test_scraped_pages_without_samples_are_one_fault(db) -> None:
    cluster = Cluster.objects.create(name="lab", source={"exporters": {"dcgm": [], "kube_state_metrics": []}})
    (row,) = [row for row in examine(cluster, open_source(cluster), configured=SOUND) if row.level != "ok"]
    assert (row.check, row.level) == ("series", "fault")
