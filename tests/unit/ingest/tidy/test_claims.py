"""Which pods hold by claims, and when they were seen."""

import numpy as np
import pytest

from ingest.sources import Samples
from ingest.tidy.answers import Answers
from ingest.tidy.claims import claimants, claims

INFO = {"namespace": "ml", "pod": "a", "uid": "u1", "node": "n1"}
DEVICE = {"UUID": "GPU-1", "dra_claim_name": "gpu", "pod": "a", "namespace": "ml"}
EXPORTER = {"pod": "dcgm", "namespace": "gpu-operator"}


def samples(*rows: tuple[dict[str, str], dict[float, float]]) -> Samples:
    places = [n for n, (_, values) in enumerate(rows) for _ in values]
    pairs = [pair for _, values in rows for pair in values.items()]
    time, value = (np.array([pair[n] for pair in pairs], float) for n in (0, 1))
    return Samples([labels for labels, _ in rows], np.array(places, np.int32), time, value)


def answers(info: list, claimed: list = (), devices: list = ()) -> Answers:
    found = {"pod_info": samples(*((labels, {4200.0: 1}) for labels in info)), "claims": samples(*claimed), "utilisation": samples(*devices)}
    return Answers(0, 3600, found | {"profiling": Samples.empty()})


def test_a_pods_own_series_tells_when_it_was_there() -> None:
    page = answers([INFO], [(INFO | {"claim_name": "gpu"}, {60: 1, 120: 1, 180: 0})], [(DEVICE, {60: 1, 600: 1})])
    assert claims(page, {}) == {("ml", "a", "u1"): ("n1", [60, 120])}
    assert claimants(page.found) == {"u1"}


def test_without_it_the_devices_series_does() -> None:
    page = answers([INFO], [], [(DEVICE, {60: 1, 600: 1})])
    assert claims(page, {}) == {("ml", "a", "u1"): ("n1", [60, 600])}
    assert claimants(page.found) == {"u1"}


def test_the_exporters_own_pod_holds_nothing() -> None:
    moved = {"UUID": "GPU-1", "dra_claim_name": "gpu", "exported_pod": "a", "exported_namespace": "ml", **EXPORTER}
    page = answers([INFO, EXPORTER | {"uid": "x", "node": "n1"}], [], [(moved, {60: 1})])
    assert claims(page, {}) == {("ml", "a", "u1"): ("n1", [60])}


@pytest.mark.parametrize("labels", [INFO | {"node": ""}, INFO | {"pod": "b"}], ids=["no-node", "another"])
def test_a_pod_without_a_node_or_without_a_claim_holds_nothing(labels: dict) -> None:
    assert claims(answers([labels], [(INFO, {60: 1})]), {}) == {}


def test_two_pods_of_one_name_in_turn() -> None:
    """The second was bound at 1000: what the device says from then on is its."""
    page = answers([INFO, INFO | {"uid": "u2"}], [], [(DEVICE, {60: 1, 600: 1, 1200: 1})])
    bound = {("ml", "a", "u1"): 0.0, ("ml", "a", "u2"): 1000.0}
    assert claims(page, bound) == {("ml", "a", "u1"): ("n1", [60, 600]), ("ml", "a", "u2"): ("n1", [1200])}


def test_a_device_without_a_claim_tells_of_none() -> None:
    page = answers([INFO], [], [({key: value for key, value in DEVICE.items() if key != "dra_claim_name"}, {60: 1})])
    assert claims(page, {}) == {} and claimants(page.found) == set()
