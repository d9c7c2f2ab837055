"""History as OpenMetrics."""

import gzip

from ingest.simulator.history import write
from ingest.simulator.simulation import Simulation

START = 1795604400.0


def test_families_stand_together_and_times_rise(tmp_path) -> None:
    path = tmp_path / "history.om.gz"
    write(Simulation(1), path, start=START, end=START + 180)
    lines = gzip.decompress(path.read_bytes()).decode().splitlines()
    assert lines[-1] == "# EOF"
    types = [line.split()[2] for line in lines if line.startswith("# TYPE")]
    assert types == sorted(set(types)) and "DCGM_FI_PROF_GR_ENGINE_ACTIVE" in types
    before: dict[str, int] = {}
    for line in lines[:-1]:
        if not line.startswith("#"):
            series, _, time = line.rsplit(" ", 2)
            assert before.get(series, 0) < int(time)
            before[series] = int(time)
    assert {line.rsplit(" ", 1)[1] for line in lines if line.startswith("kube_node_created")} == {"1795604430", "1795604490", "1795604550"}
