"""Which page an address is."""

import pytest

from ingest.simulator.serve import answer, paths, scrape_config

NOON = 1795604400.0


@pytest.mark.parametrize("path", paths())
def test_every_path_answers(path: str) -> None:
    status, text = answer(path, seed=1, at=NOON)
    assert status == 200 and "# TYPE" in text


@pytest.mark.parametrize("path", ["/", "/nodes/gpu-v100-01", "/metrics", "/nodes/gpu-v100-01/metrics?seed=x"])
def test_other_paths_list_those_that_do(path: str) -> None:
    status, text = answer(path, seed=1, at=NOON)
    assert status == 404 and text.splitlines() == paths()


def test_a_node_that_is_not_there() -> None:
    assert answer("/nodes/gpu-v100-77/metrics", seed=1, at=NOON)[0] == 503


def test_the_address_may_carry_the_seed() -> None:
    own, other = (answer(f"/kueue/metrics{query}", seed=1, at=NOON)[1] for query in ("", "?seed=2"))
    assert own != other == answer("/kueue/metrics", seed=2, at=NOON)[1]


def test_scrape_configuration_names_every_path() -> None:
    text = scrape_config("127.0.0.1", 9480, seed=3)
    assert all(f"metrics_path: {path}\n" in text for path in paths()) and text.count("seed: ['3']") == len(paths())
