"""How many GPUs namespaces may hold, as kube-state-metrics tells it."""

import numpy as np
import pytest

from ingest.sources import Samples
from ingest.tidy.answers import Answers
from ingest.tidy.quotas import Quota, quotas

GPU = "requests.nvidia.com/gpu"


def samples(*series: tuple[dict[str, str], float]) -> Samples:
    index = np.arange(len(series), dtype=np.int32)
    return Samples([labels for labels, _ in series], index, np.full(len(series), 4200.0), np.array([value for _, value in series], float))


def hard(namespace: str, units: float, *, resource: str = GPU, name: str = "gpu") -> tuple[dict[str, str], float]:
    return {"namespace": namespace, "resourcequota": name, "resource": resource, "type": "hard"}, units


def found(*series: tuple[dict[str, str], float], spaces: Samples | None = None) -> list[Quota]:
    return quotas(Answers(0, 3600, {"quotas": samples(*series)} | ({"namespace_labels": spaces} if spaces else {})))


def test_resources_are_spelt_as_capacity_spells_them() -> None:
    assert found(hard("b", 7, resource="requests.nvidia.com/mig-1g.5gb"), hard("a", 4)) == [
        Quota("a", "nvidia_com_gpu", 4, {}),
        Quota("b", "nvidia_com_mig_1g_5gb", 7, {}),
    ]


@pytest.mark.parametrize("resource", ["requests.example.com/fpga", "requests.cpu", "count/deployments.apps"])
def test_what_is_no_gpu_is_no_quota_of_one(resource: str) -> None:
    assert found(hard("a", 4, resource=resource)) == []


def test_a_quota_for_high_priority_lies_within_that_for_all() -> None:
    """16 for all and 4 for high priority are 16, not 20."""
    assert found(hard("a", 4, name="high-priority"), hard("a", 16)) == [Quota("a", "nvidia_com_gpu", 16, {})]


def test_none_at_all_is_a_quota_too_and_nonsense_is_none() -> None:
    assert found(hard("a", 0), hard("b", float("nan")), hard("c", -1)) == [Quota("a", "nvidia_com_gpu", 0, {})]


def test_a_namespace_keeps_its_labels() -> None:
    spaces = samples(({"namespace": "a", "label_team": "fraud"}, 1))
    assert found(hard("a", 4), spaces=spaces) == [Quota("a", "nvidia_com_gpu", 4, {"team": "fraud"})]
