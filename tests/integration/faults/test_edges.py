"""What lies on the edge of two hours, and what comes twice, counts once."""

from decimal import Decimal

from tests.integration.faults.oracle import assert_undisturbed
from tests.integration.faults.stage import HOURS, OVER, START

HOUR = 3600


def edges() -> str:
    """One GPU for three hours; a pod is bound to it on the stroke of the first hour and completes on the stroke of the second."""
    pod = 'namespace="n",pod="p",uid="u"'
    held = START + HOUR, START + 2 * HOUR
    lines = []
    for at in range(START, START + 3 * HOUR + 1, 60):
        lines += [
            f'kube_node_status_capacity{{node="n1",resource="nvidia_com_gpu",unit="integer"}} 1 {at}',
            f'kube_node_created{{node="n1"}} {START} {at}',
            f'DCGM_FI_DEV_GPU_UTIL{{UUID="GPU-1",gpu="0",modelName="T4",Hostname="n1",instance="n1:9400"'
            f'{",namespace=" + chr(34) + "n" + chr(34) + ",pod=" + chr(34) + "p" + chr(34) if held[0] <= at < held[1] else ""}}} 100 {at}',
        ]  # fmt: skip
        if held[0] <= at < held[1]:
            lines += [
                f'kube_pod_container_resource_requests{{{pod},container="c",node="n1",resource="nvidia_com_gpu",unit="integer"}} 1 {at}',
                f'kube_pod_status_scheduled_time{{{pod}}} {held[0]} {at}',
                f'kube_pod_container_state_started{{{pod},container="c"}} {held[0]} {at}',
            ]
        if at >= held[1]:
            lines += [f'kube_pod_completion_time{{{pod}}} {held[1]} {at}', f'kube_pod_status_phase{{{pod},phase="Succeeded"}} 1 {at}']
    return "\n".join(lines) + "\n"


def test_a_lease_from_one_stroke_of_the_hour_to_the_next(stage) -> None:
    (stage.folder / "edges.om").write_text(edges())
    stage.source("plain", "openmetrics", path=str(stage.folder / "edges.om"))
    assert stage.turn() == {"problems": [], "waiting": 0}
    query = """select sum(allocated), sum(used), sum(unallocated), sum(capacity) from ledger_hour where hour < to_timestamp(%s)
               group by hour order by hour"""
    one, none = Decimal(1), Decimal(0)
    assert stage.sql(query, START + 3 * HOUR) == [(none, none, one, one), (one, one, none, one), (none, none, one, one)]


def test_it_does_not_matter_how_the_hours_are_cut(stage, undisturbed) -> None:
    for part in (HOURS[5:6], HOURS[0:3], HOURS[3:5], HOURS[6:12]):
        assert stage.run("order", hours=list(part)) == {"problems": []}
    assert_undisturbed(stage, undisturbed["plain"])


def test_a_running_hour_without_samples_changes_none_before_it(prometheus, stage, undisturbed) -> None:
    """What its margin shows of the hour before is no sighting of its own."""
    stage.source("plain", "prometheus", url=prometheus, match={"cluster": "plain"})
    assert stage.turn() == {"problems": [], "waiting": 0}
    assert stage.turn(now=OVER + 300) == {"problems": [], "waiting": 0}
    assert_undisturbed(stage, undisturbed["plain"])


def test_two_replicas_of_a_prometheus_count_once(stage, dump, undisturbed) -> None:
    lines = (dump / "plain.om").read_text().split("\n")
    twice = [line.replace("{", f'{{prometheus_replica="{name}",', 1) for name in "ab" for line in lines if "{" in line]
    (stage.folder / "twice.om").write_text("\n".join(twice))
    stage.source("plain", "openmetrics", path=str(stage.folder / "twice.om"))
    assert stage.turn() == {"problems": [], "waiting": 0}
    assert_undisturbed(stage, undisturbed["plain"])
