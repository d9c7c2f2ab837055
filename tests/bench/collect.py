"""One hour of 1,000 GPUs: collecting and accounting it, beside the download of the same answers alone.

usage: collect.py [GPUS] (needs `prometheus` and `promtool`; prints the ratio, writes bench.json)
"""

import json
import os
import resource
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

START = 1_792_886_400  # 2026-10-25 00:00 UTC
SPAN = range(START - 1200, START + 3600 + 1200, 60)
GPUS_PER_NODE = 8


def families(gpus: int) -> Iterator[tuple[str, list[tuple[str, float]]]]:
    """(metric, [(labels, value)]) of a fleet in which every pod holds two GPUs."""
    nodes, pods = range(gpus // GPUS_PER_NODE), range(gpus // 2)
    pod = [f'namespace="team-{p % 20}",pod="job-{p}-x",uid="uid-{p}"' for p in pods]
    home = [f"node-{p * 2 // GPUS_PER_NODE}" for p in pods]
    device = [
        f'gpu="{g % 8}",UUID="GPU-{g:08d}",device="nvidia{g % 8}",modelName="NVIDIA A100-SXM4-40GB",Hostname="node-{g // 8}",'
        f'instance="10.0.0.{g // 8}:9400",job="dcgm",container="main",namespace="team-{g // 2 % 20}",pod="job-{g // 2}-x"'
        for g in range(gpus)
    ]
    for name, value in (("DCGM_FI_DEV_GPU_UTIL", 50), ("DCGM_FI_PROF_GR_ENGINE_ACTIVE", 0.5), ("DCGM_FI_DEV_FB_USED", 9000),
                        ("DCGM_FI_DEV_POWER_USAGE", 250), ("DCGM_FI_DEV_GPU_TEMP", 60), ("DCGM_FI_DEV_XID_ERRORS", 0)):  # fmt: skip
        yield name, [(labels, value) for labels in device]
    gpu = 'resource="nvidia_com_gpu",unit="integer"'
    yield "kube_pod_container_resource_requests", [(f'{p},container="main",node="{n}",{gpu}', 2) for p, n in zip(pod, home, strict=True)]
    yield "kube_node_status_capacity", [(f'node="node-{n}",{gpu}', 8) for n in nodes]
    for name in ("kube_pod_status_scheduled_time", "kube_pod_start_time"):
        yield name, [(p, START - 86400) for p in pod]
    yield "kube_pod_container_state_started", [(f'{p},container="main"', START - 86300) for p in pod]
    yield "kube_pod_owner", [(f'{p},owner_kind="Job",owner_name="job-{i}",owner_is_controller="true"', 1) for i, p in enumerate(pod)]
    yield "kube_pod_labels", [(f'{p},label_team="t{i % 20}"', 1) for i, p in enumerate(pod)]
    yield "kube_pod_info", [(f'{p},node="{n}"', 1) for p, n in zip(pod, home, strict=True)]
    phases = ("Pending", "Running", "Succeeded", "Failed", "Unknown")
    yield "kube_pod_status_phase", [(f'{p},phase="{phase}"', int(phase == "Running")) for p in pod for phase in phases]
    yield "kube_node_info", [(f'node="node-{n}",system_uuid="machine-{n}"', 1) for n in nodes]
    yield "kube_node_created", [(f'node="node-{n}"', START - 900_000) for n in nodes]


def write(path: Path, gpus: int) -> None:
    """OpenMetrics text with timestamps."""
    with path.open("w") as out:
        for name, series in families(gpus):
            out.write(f"# TYPE {name} gauge\n")
            for labels, value in series:
                out.writelines(f"{name}{{{labels}}} {value} {t}\n" for t in SPAN)
        out.write("# EOF\n")


def prometheus(folder: Path, gpus: int) -> tuple[subprocess.Popen[bytes], str]:
    """A Prometheus on loopback with the fleet in it."""
    write(folder / "metrics.om", gpus)
    subprocess.run(["promtool", "tsdb", "create-blocks-from", "openmetrics", "-q", folder / "metrics.om", folder / "tsdb"], check=True)
    (folder / "prometheus.yml").write_text("global: {scrape_interval: 60s}\n")
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    server = subprocess.Popen(
        ["prometheus", f"--config.file={folder}/prometheus.yml", f"--storage.tsdb.path={folder}/tsdb",
         "--storage.tsdb.retention.time=50y", f"--web.listen-address=127.0.0.1:{port}"], stderr=subprocess.DEVNULL)  # fmt: skip
    url = f"http://127.0.0.1:{port}"
    for _ in range(120):
        try:
            urllib.request.urlopen(f"{url}/-/ready", timeout=1)
            break
        except OSError:
            time.sleep(0.25)
    return server, url


def measure(url: str, rounds: int = 5) -> dict[str, float]:
    """Medians of the download alone and of the whole, taken in turns."""
    import django

    django.setup()
    from django.core.management import call_command
    from django.db import connection

    from finops import pipeline
    from finops.models import Cluster, Rate
    from ingest.collect import collect, fetch
    from ingest.open import open_source

    call_command("migrate", verbosity=0)
    Rate.objects.get_or_create(price="3.80", currency="CHF")
    cluster, _ = Cluster.objects.get_or_create(name="bench", defaults={"source": {"prometheus": {"url": url, "match": {}, "headers": {}}}})
    begin, end = datetime.fromtimestamp(START, UTC), datetime.fromtimestamp(START + 3600, UTC)
    download, whole = [], []
    for _ in range(rounds):
        started = time.perf_counter()
        fetch(open_source(cluster), [(START, START + 3600)])
        download.append(time.perf_counter() - started)
        with connection.cursor() as cursor:  # equal facts would be left alone: each round writes its hour anew
            cursor.execute("update collection_window set fingerprint = ''")
        started = time.perf_counter()
        problems = collect(cluster, [(begin, end)], source=open_source(cluster), until=end, settled=end)
        assert not problems, problems
        pipeline.account(cluster)
        whole.append(time.perf_counter() - started)
    middle = rounds // 2
    fast, slow = sorted(download)[middle], sorted(whole)[middle]
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return {"download_seconds": fast, "whole_seconds": slow, "ratio": slow / fast, "peak_mib": peak}


def main() -> None:
    gpus = int(sys.argv[1]) if len(sys.argv) > 1 else 1000
    sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
    with tempfile.TemporaryDirectory() as work:
        folder = Path(work)
        os.environ |= {"FINOPS_DATA_DIR": str(folder / "data"), "DJANGO_SETTINGS_MODULE": "finops.settings"}
        server, url = prometheus(folder, gpus)
        try:
            figures = {"gpus": gpus, **measure(url)}
        finally:
            server.terminate()
            server.wait()
            from finops import embedded

            embedded.release()
    print(json.dumps(figures, indent=1))
    Path("bench.json").write_text(json.dumps(figures, indent=1) + "\n")


if __name__ == "__main__":
    main()
