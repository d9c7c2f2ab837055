"""Sources that lie, stall and flood, through the command a user types: stored figures stay, and the next sound run catches up."""

import json
import os
import re
import shutil
import subprocess
import sys
import time
import urllib.error
import urllib.request
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from urllib.parse import urlencode

import pytest

from tests.hostile import Hostile, Request, failure, hostile
from tests.prometheus_server import free_port

ROOT = Path(__file__).resolve().parents[2]
CASE = json.loads((ROOT / "tests/cases/expected.json").read_text())["plain"]
START = CASE["start"]
# Held open, it keeps the embedded server up between commands and reads every stored figure of a cluster.
DIGEST = """
import sys, hashlib, json
from django.db import connection
TABLES = "node_hour pod_hour use_quarter lease ledger_hour ledger_day".split()
for name in sys.stdin:
    with connection.cursor() as cursor:
        found = []
        for table in TABLES:
            cursor.execute(f"select t::text from {table} t join finops_cluster c on c.id = t.cluster_id where c.name = %s order by 1", [name.strip()])
            found.append([row for row, in cursor.fetchall()])
    print(sum(map(len, found)), hashlib.sha256(json.dumps(found).encode()).hexdigest(), flush=True)
"""


@dataclass
class Proxy:
    """Stands before a Prometheus; `treat` may replace an answer or bend the one that came."""

    behind: str
    treat: Callable | None = None
    asked: list[Request] = field(default_factory=list)

    def __call__(self, request: Request, number: int):
        self.asked.append(request)
        return self.treat(self, request) if self.treat else self.forward(request)

    def forward(self, request: Request) -> tuple[int, dict, bytes]:
        try:
            with urllib.request.urlopen(self.behind + request.path, urlencode(request.form).encode(), timeout=20) as answer:
                return 200, {"Content-Type": "application/json"}, answer.read()
        except urllib.error.HTTPError as error:
            return error.code, {}, error.read()

    def bent(self, request: Request, bend: Callable[[dict], None]) -> tuple[int, dict, bytes]:
        """The answer of the server behind, changed in place."""
        status, headers, body = self.forward(request)
        answer = json.loads(body)
        bend(answer)
        return status, headers, json.dumps(answer).encode()


class Product:
    """manage.py with a data folder of its own."""

    def __init__(self, folder: Path) -> None:
        self.environment = {k: v for k, v in os.environ.items() if k not in ("DATABASE_URL", "REDIS_URL", "DJANGO_SETTINGS_MODULE")}
        self.environment["FINOPS_DATA_DIR"] = str(folder)

    def command(self, *words: str) -> subprocess.CompletedProcess:
        return subprocess.run([sys.executable, str(ROOT / "manage.py"), *words], cwd=ROOT, env=self.environment,
                              capture_output=True, text=True, timeout=120, check=False)  # fmt: skip

    def sound(self, *words: str) -> str:
        done = self.command(*words)
        assert done.returncode == 0, done.stdout[-1000:] + done.stderr[-2000:]
        return done.stdout

    def collect(self, cluster: str, first: int, last: int) -> subprocess.CompletedProcess:
        """Hours [first, last) of the case."""
        return self.command("collect", "--cluster", cluster, "--start", stamp(first), "--end", stamp(last))

    def figures(self, cluster: str, last: int) -> list[dict]:
        words = ["--group-by", "team,node,pod", "--step", "hour", "--format", "json"]
        rows = json.loads(self.sound("costs", "--cluster", cluster, "--start", stamp(0), "--end", stamp(last), *words))["rows"]
        return [{key: value for key, value in row.items() if key != "cluster"} for row in rows]


class Digest:
    """The number of stored rows of a cluster and a fingerprint of them, byte for byte."""

    def __init__(self, product: Product) -> None:
        self.process = subprocess.Popen([sys.executable, str(ROOT / "manage.py"), "shell", "-v", "0", "-c", DIGEST], cwd=ROOT, env=product.environment,
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)  # fmt: skip

    def __call__(self, cluster: str) -> str:
        self.process.stdin.write(cluster + "\n")
        self.process.stdin.flush()
        return self.process.stdout.readline()


def stamp(hour: int) -> str:
    return datetime.fromtimestamp(START + 3600 * hour, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def configuration(sources: dict[str, str]) -> str:
    clusters = [{"name": name, "source": {"prometheus": {"url": url, "match": {"cluster": "plain"}, "timeout": "2s" if name == "bent" else "20s"}}}
                for name, url in sources.items()]  # fmt: skip
    teams = [{"name": name, "match": {"namespace": name}} for name in ("alpha", "beta")]
    rates = [{"price": "3.80", "currency": "CHF"}]
    return json.dumps({"currency": "CHF", "timezone": "UTC", "clusters": clusters, "teams": teams, "rates": rates})


@dataclass
class Stage:
    product: Product
    proxy: Proxy
    server: Hostile
    digest: Digest
    before: str


@pytest.fixture(scope="module")
def stage(prometheus, tmp_path_factory) -> Iterator[Stage]:
    """Cluster `bent` behind the proxy and `straight` without it; both have hours 0 to 2 of the case."""
    folder = tmp_path_factory.mktemp("hostile")
    product, proxy = Product(folder / "data"), Proxy(prometheus)
    with hostile(proxy) as server:
        (folder / "finops.yaml").write_text(configuration({"bent": server.url, "straight": prometheus, "gone": f"http://127.0.0.1:{free_port()}"}))
        product.sound("migrate", "--verbosity", "0")
        digest = Digest(product)
        product.sound("apply", str(folder / "finops.yaml"))
        for name in ("bent", "straight"):
            assert product.collect(name, 0, 2).returncode == 0
        before = digest("bent")
        assert int(before.split()[0]) > 15
        yield Stage(product, proxy, server, digest, before)
        digest.process.stdin.close()
        digest.process.wait(30)
        digest.process.stdout.close()
    if (place := folder / "data/socket-folder").exists():
        shutil.rmtree(place.read_text(), ignore_errors=True)


def always(answer) -> Callable:
    return lambda proxy, request: answer


def truncated(proxy: Proxy, request: Request):
    status, headers, body = proxy.forward(request)
    return status, headers | {"Content-Length": str(len(body) + 9)}, body


def cleanly_shortened(proxy: Proxy, request: Request):
    """Every list longer than one series loses its end; the JSON is whole and the chunks end as they should."""
    status, _, body = proxy.bent(request, lambda answer: answer["data"].update(result=answer["data"]["result"][:1]))

    def chunked(handler):
        handler.wfile.write(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n%x\r\n%s\r\n0\r\n\r\n" % (len(body), body))

    return chunked


def without_owners(proxy: Proxy, request: Request):
    """One list of objects is shortened, every other is whole."""
    if request.form["query"].startswith("last_over_time(kube_pod_owner"):
        return proxy.bent(request, lambda answer: answer["data"].update(result=[]))
    return proxy.forward(request)


def junk(proxy: Proxy, request: Request):
    def bend(answer: dict) -> None:
        for series in answer["data"]["result"]:
            for point in series.get("values", []):
                point[1] = "12 apples"

    return proxy.bent(request, bend)


def partial(proxy: Proxy, request: Request):
    return proxy.bent(request, lambda answer: answer.update(warnings=["No StoreAPIs matched for this query"]))


def empty(proxy: Proxy, request: Request):
    if "time()" in request.form["query"]:
        return proxy.forward(request)
    return proxy.bent(request, lambda answer: answer["data"].update(result=[]))


def skewed(seconds: float) -> Callable:
    def treat(proxy: Proxy, request: Request):
        if request.form["query"] != "vector(time())":
            return proxy.forward(request)
        return proxy.bent(request, lambda answer: answer["data"]["result"][0].update(value=[0, str(time.time() + seconds)]))

    return treat


def bomb() -> tuple[int, dict, bytes]:
    squeeze = zlib.compressobj(9, zlib.DEFLATED, 31)
    packed = b"".join(squeeze.compress(b" " * 2**20) for _ in range(64)) + squeeze.flush()
    return 200, {"Content-Encoding": "gzip", "Content-Length": str(len(packed))}, packed


def silent(proxy: Proxy, request: Request):
    """Long lists come, reductions never do."""
    if "_over_time(" in request.form["query"] and not request.form["query"].startswith("count("):
        return lambda handler: time.sleep(2.5)
    return proxy.forward(request)


LIES: dict[str, tuple[Callable, str]] = {
    "hangs up": (always(lambda handler: None), "connection failed: .*; check that the server runs"),
    "slow": (silent, "no answer within 2 s; raise the timeout or cut the window"),
    "web page": (always((200, {}, b"<!doctype html><p>Log in")), "answered a web page instead of JSON; check that the address is the query API"),
    "truncated": (truncated, "the answer broke off: .*; check the server and the proxies in between"),
    "shortened": (cleanly_shortened, "answered 1 series where it counts .*; a proxy in between shortens its answers"),
    "objects shortened": (without_owners, "answered 0 series where it counts .*kube_pod_owner"),
    "bomb": (always(bomb()), "unfolds to more than 200 times its size; check what answers"),
    "junk": (junk, r"malformed point: .*12 apples.*; check what stands between here and the source"),
    "partial": (partial, "partial answer: .*No StoreAPIs matched.*; wait until all its stores are back"),
    "too many samples": (always(failure(422, "execution", "query processing would load too many samples into memory")),
                         "answered 422: execution: query processing would load too many samples.*; cut the window"),
    "throttled": (always(failure(429, "too_many_requests", "rate limit", **{"Retry-After": "1"})), "answered 429: .*; ask less often or raise its rate limit"),
    "throttled for long": (always(failure(429, "too_many_requests", "rate limit", **{"Retry-After": "3600"})), "answered 429: .*; ask less often"),
    "redirect": (always((302, {"Location": "http://169.254.169.254/latest"}, b"")), "redirects to http://169.254.169.254/latest; name the final address"),
    "broken": (always((500, {}, b"panic\nForged line of a log")), "answered 500: panic Forged line of a log; check the address"),
    "skewed": (skewed(90), r"its clock is \+(89|90|91) s off ours; set both by NTP"),
    "forgetful": (empty, "the source answers nothing where it had facts; kept what is stored"),
}  # fmt: skip


@pytest.mark.parametrize("lie", LIES)
def test_a_lie_is_told_and_what_is_stored_stays(lie: str, stage) -> None:
    stage.proxy.treat, told = LIES[lie]
    # Two hours that are stored, asked for together: one problem, or one per hour where each is refused by itself.
    done = stage.product.collect("bent", 0, 2)
    lines = done.stderr.splitlines()
    assert done.returncode == 1 and len(lines) == (2 if lie == "forgetful" else 1), done.stderr
    assert all("cluster bent, 2026-" in line and len(line) < 900 and line.isprintable() for line in lines)
    assert re.search(told, lines[0]), lines[0]
    assert stage.digest("bent") == stage.before


def test_an_unreachable_source_is_one_line(stage) -> None:
    done = stage.product.collect("gone", 0, 2)
    assert done.returncode == 1 and len(done.stderr.splitlines()) == 1
    assert "refused; check that the server runs and the address is right" in done.stderr
    assert stage.digest("gone").startswith("0 ")


def test_a_clock_off_by_seconds_is_told_and_collected(stage) -> None:
    stage.proxy.treat = skewed(8)
    done = stage.product.collect("bent", 0, 2)
    assert done.returncode == 0 and "its clock is +8 s off ours; set both by NTP" in done.stderr
    assert stage.digest("bent") == stage.before


def test_native_histograms_are_skipped_and_told(stage) -> None:
    def treat(proxy: Proxy, request: Request):
        histogram = {"metric": {"__name__": "h"}, "histogram": [1, {"count": "2"}], "histograms": [[1, {"count": "2"}]]}
        told = request.form["query"].startswith("{__name__=~\"DCGM_FI_PROF")
        return proxy.bent(request, lambda answer: answer["data"]["result"].append(histogram)) if told else proxy.forward(request)

    stage.proxy.treat = treat
    done = stage.product.collect("bent", 0, 2)
    assert done.returncode == 0 and "1 series are native histograms and were skipped" in done.stderr
    assert stage.digest("bent") == stage.before


def test_the_next_sound_run_catches_up_to_the_undisturbed_ledger(stage) -> None:
    """New hours fail under a lie, half of the questions only; then the server is sound, but refuses long windows and throttles once."""
    stage.proxy.treat = lambda proxy, request: proxy.forward(request) if len(proxy.asked) % 2 else failure(500, "internal", "down")
    done = stage.product.collect("bent", 2, 6)
    assert done.returncode == 1 and stage.digest("bent") == stage.before
    stage.proxy.asked.clear()

    def demanding(proxy: Proxy, request: Request):
        if len(proxy.asked) == 2:
            return failure(429, "too_many_requests", "rate limit", **{"Retry-After": "1"})
        milliseconds = request.form["query"].rpartition("[")[2].partition("ms]")[0]
        if milliseconds.isdigit() and int(milliseconds) > 3_600_000:
            return failure(422, "execution", "query processing would load too many samples into memory")
        return proxy.forward(request)

    stage.proxy.treat = demanding
    assert stage.product.collect("bent", 2, 6).stderr == ""
    assert stage.product.collect("straight", 2, 6).stderr == ""
    figures = stage.product.figures("bent", 6)
    assert figures == stage.product.figures("straight", 6) and len(figures) >= 6
    assert {row["team"] for row in figures} >= {"alpha", "beta"}
