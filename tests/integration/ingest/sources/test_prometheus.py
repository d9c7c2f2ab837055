"""The Prometheus source against a server that lies, stalls and floods, and against the real one."""

import gzip
import os
import re
import shutil
import socket
import subprocess
import time
import zlib

import pytest

from ingest.catalogue import QUERIES
from ingest.sources import SourceError, TooMuch
from ingest.sources.prometheus import PrometheusSource
from ingest.sources.promql import selector
from tests.hostile import failure, hostile, success
from tests.prometheus_server import serving

ONE = [{"metric": {"a": "1"}, "value": [100, "1"]}]
TOO_MANY = failure(422, "execution", "query processing would load too many samples into memory in query execution")
CAPACITY, OWNER = (next(query for query in QUERIES if query.key == key) for key in ("capacity", "pod_owner"))
TOKEN = "canary-token-1234567890"


def refused(behave, *, kind=SourceError, query="up", **options):
    """The one error line of an instant query against the behaviour, the number of requests and the seconds it took."""
    with hostile(behave) as server:
        source = PrometheusSource(server.url, bearer_token=TOKEN, **({"timeout": 2.0} | options))
        began = time.monotonic()
        with pytest.raises(SourceError) as caught:
            source.instant(query, at=100)
        line = str(caught.value)
        assert type(caught.value) is kind
        assert line.startswith(server.url) and "(query: " in line and ";" in line
        assert "\n" not in line and len(line) < 900 and TOKEN not in line
        return line, server.requests, time.monotonic() - began


def test_a_request_is_a_form_and_bears_the_credentials():
    with hostile(lambda request, number: success("vector", ONE)) as server:
        source = PrometheusSource(server.url + "/", match={"cluster": "x"}, headers={"X-Scope-OrgID": "t"}, basic_auth=("u", "p"))
        found = source.instant("up", at=100.0004)
    request = server.requests[0]
    assert (request.method, request.path, request.query_string) == ("POST", "/api/v1/query", "")
    assert request.form == {
        "query": "up",
        "time": "100.000",
        "partial_response": "false",
        "dedup": "true",
        "nocache": "1",
    }
    assert request.headers["accept-encoding"] == "identity" and request.headers["x-scope-orgid"] == "t"
    assert request.headers["authorization"] == "Basic dTpw" and source.match == {"cluster": "x"}
    assert found.labels == [{"a": "1"}] and found.value.tolist() == [1.0]


def test_connection_refused():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{free.getsockname()[1]}"
    with pytest.raises(SourceError, match="connection failed: .*refused; check that the server runs"):
        PrometheusSource(url, timeout=1).instant("up", at=1)


def drip(piece, head=b"HTTP/1.1 200 OK\r\n\r\n"):
    """A server that never falls silent and never ends."""

    def behave(handler):
        handler.wfile.write(head)
        for _ in range(200):
            handler.wfile.write(piece)
            handler.wfile.flush()
            time.sleep(0.05)

    return lambda request, number: behave


@pytest.mark.parametrize(
    "behave",
    [
        drip(b" "),
        drip(b"X-A: b\r\n", b"HTTP/1.1 200 OK\r\n"),
        drip(b"0", b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"),
    ],
    ids=["body", "headers", "chunk size"],
)
def test_dripping_is_bounded_by_the_deadline(behave):
    line, requests, took = refused(behave, timeout=0.2)
    assert "not complete after 0.8 s" in line and took < 1.5 and len(requests) == 1


def test_silence_is_too_much_and_not_asked_again():
    line, requests, took = refused(lambda r, n: lambda handler: time.sleep(1), kind=TooMuch, timeout=0.2)
    assert "no answer within 0.2 s" in line and took < 1 and len(requests) == 1


def test_truncated_body_is_tried_three_times():
    status, headers, body = success("vector", ONE)
    line, requests, _ = refused(lambda r, n: (status, {"Content-Length": str(len(body) + 9)}, body))
    assert "broke off" in line and len(requests) == 3


def test_truncated_without_a_length():
    body = success("vector", ONE)[2][:-7]
    line, _, _ = refused(lambda r, n: lambda handler: handler.wfile.write(b"HTTP/1.0 200 OK\r\n\r\n" + body))
    assert "cut short" in line


def test_a_passing_fault_is_survived():
    with hostile(lambda r, n: (503, {}, b"starting") if n < 3 else success("vector", ONE)) as server:
        assert len(PrometheusSource(server.url).instant("up", at=100)) == 1
    assert len(server.requests) == 3


def test_gzip_bomb_and_plain_flood():
    squeeze = zlib.compressobj(9, zlib.DEFLATED, 31)
    bomb = b"".join(squeeze.compress(bytes(2**20)) for _ in range(200)) + squeeze.flush()
    line, _, took = refused(lambda r, n: (200, {"Content-Encoding": "gzip"}, bomb), kind=TooMuch, max_bytes=2**20)
    assert "above the limit of 1048576 bytes" in line and took < 1
    line, _, _ = refused(lambda r, n: (200, {}, b" " * 2**21), kind=TooMuch, max_bytes=2**20)
    assert "above the limit" in line


def test_a_bomb_within_the_limit_of_bytes_is_refused_too():
    squeeze = zlib.compressobj(9, zlib.DEFLATED, 31)
    bomb = b"".join(squeeze.compress(bytes(2**20)) for _ in range(200)) + squeeze.flush()
    line, requests, took = refused(lambda r, n: (200, {"Content-Encoding": "gzip"}, bomb))
    assert "unfolds to more than 200 times its size" in line and took < 1 and len(requests) == 1


@pytest.mark.parametrize("url", ["http://169.254.169.254", "http://2852039166:80", "http://[::ffff:169.254.169.254]/prometheus"])
def test_addresses_of_cloud_credentials_are_refused_before_a_byte_is_sent(url):
    with pytest.raises(SourceError, match=r"169.254.169.254.*, where clouds keep a machine's credentials.*; name the server itself"):
        PrometheusSource(url, timeout=1).instant("up", at=1)


def counting(series: int, listed: int):
    """Counts `series` and lists fewer, whole JSON and all."""

    def behave(request, number):
        if request.form["query"].startswith("count("):
            return success("vector", [{"metric": {}, "value": [100, str(series)]}])
        return success("matrix", [{"metric": {"node": str(n)}, "values": [[1000, "8"]]} for n in range(listed)])

    return behave


def test_a_list_shorter_than_the_servers_own_count_is_refused():
    for listed in (0, 2):
        with hostile(counting(3, listed)) as server:
            with pytest.raises(SourceError, match=f"answered {listed} series where it counts 3; a proxy in between shortens"):
                PrometheusSource(server.url).samples(CAPACITY, start=900, end=1100)
    with hostile(counting(3, 4)) as server:
        assert len(PrometheusSource(server.url).samples(CAPACITY, start=900, end=1100).labels) == 4
    assert [request.form["query"] for request in server.requests] == [
        'count(last_over_time(kube_node_status_capacity{resource=~"nvidia_com_(gpu|gpu_shared|mig_.+)|k8s_amazonaws_com_vgpu"}[200000ms]))',
        'kube_node_status_capacity{resource=~"nvidia_com_(gpu|gpu_shared|mig_.+)|k8s_amazonaws_com_vgpu"}[200000ms]']  # fmt: skip


def test_native_histograms_are_skipped_counted_and_told(caplog):
    mixed = [*ONE, {"metric": {"h": "1"}, "histogram": [100, {"count": "2"}]}]
    with hostile(lambda r, n: success("vector", mixed)) as server:
        source = PrometheusSource(server.url)
        assert source.instant("up", at=100).labels == [{"a": "1"}]
    assert source.histograms == 1 and "1 series are native histograms and were skipped; record them as gauges" in caplog.text


def test_a_clock_off_by_seconds_is_told_before_each_fetch(caplog):
    for ahead, told in ((1, False), (8, True)):
        caplog.clear()
        with hostile(lambda r, n, s=ahead: success("vector", [{"metric": {}, "value": [1, str(time.time() + s)]}])) as server:
            source = PrometheusSource(server.url)
            assert source.during(0, 3600) is source
            assert len(server.requests) == 2  # the clock, and one count of all objects
        assert ("its clock is +8 s off ours; set both by NTP" in caplog.text) == told


def test_gzip_unasked_is_read_and_other_encodings_are_refused():
    body = gzip.compress(success("vector", ONE)[2])
    with hostile(lambda r, n: (200, {"Content-Encoding": "gzip"}, body)) as server:
        assert len(PrometheusSource(server.url).instant("up", at=100)) == 1
    assert "cut short" in refused(lambda r, n: (200, {"Content-Encoding": "gzip"}, body[:-20]))[0]
    assert "damaged gzip" in refused(lambda r, n: (200, {"Content-Encoding": "gzip"}, b"no gzip"))[0]
    for encoding in ("br", "gzip, gzip"):
        assert "although none was asked for" in refused(lambda r, n, e=encoding: (200, {"Content-Encoding": e}, body))[0]


def test_html_with_200():
    assert "web page instead of JSON" in refused(lambda r, n: (200, {}, b"<!doctype html><p>Log in"))[0]


def test_a_redirect_is_named_and_not_followed():
    with hostile(lambda r, n: success("vector", ONE)) as other:
        target = other.url.replace("//", "//user:hunter2@") + "/api/v1/query"
        line, _, _ = refused(lambda r, n: (307, {"Location": target}, b""))
        assert other.url.replace("//", "//***@") in line and "hunter2" not in line
    assert other.requests == []


@pytest.mark.parametrize("more", [{"warnings": ["store 10.0.0.9 is down"]}, {"isPartial": True}])
def test_partial_answers_are_refused(more):
    line, requests, _ = refused(lambda r, n: success("vector", ONE, **more))
    assert "partial answer: " in line and len(requests) == 1


@pytest.mark.parametrize(
    "behaviour",
    [
        TOO_MANY,
        failure(400, "bad_data", "exceeded maximum resolution of 11,000 points per timeseries"),
        failure(503, "timeout", "query timed out in expression evaluation"),
        (413, {}, b""),
    ],
)
def test_too_much_is_told_apart_and_not_repeated(behaviour):
    assert len(refused(lambda r, n: behaviour, kind=TooMuch)[1]) == 1


@pytest.mark.parametrize("status", [400, 401, 404, 422, 500])
def test_other_refusals_are_final(status):
    line, requests, _ = refused(lambda r, n: failure(status, "execution", "many-to-many matching not allowed"))
    assert f"answered {status}: execution: many-to-many" in line and len(requests) == 1


def stored(request, number):
    """One sample every 30 s of an hour; more than ten minutes at once are too many."""
    width = int(re.search(r"\[(\d+)ms\]", request.form["query"])[1]) / 1000
    end = float(request.form["time"])
    if width > 600:
        return TOO_MANY
    times = [t for t in range(0, 3600, 30) if end - width <= t <= end]
    return success("matrix", [{"metric": {"a": "1"}, "values": [[t, str(t)] for t in times]}])


def test_a_window_too_big_is_halved_and_complete():
    with hostile(stored) as server:
        found = PrometheusSource(server.url).raw("m", start=0, end=3600)
    assert found.time.tolist() == [30.0 * k for k in range(120)] and found.labels == [{"a": "1"}]
    assert len(server.requests) == 15  # 1 + 2 + 4 refused, 8 of 450 s answered


def test_halving_ends_at_a_minute():
    with hostile(lambda r, n: TOO_MANY) as server, pytest.raises(TooMuch):
        PrometheusSource(server.url).raw("m", start=0, end=3600)
    assert len(server.requests) == 6  # 3600, 1800, 900, 450, 225, 112.5 s


def evaluated(request, number):
    """The number of the evaluation time, at most two at once."""
    form = request.form
    if "step" not in form:
        return success("vector", [{"metric": {}, "value": [float(form["time"]), form["time"]]}])
    start, end, step = (float(form[name]) for name in ("start", "end", "step"))
    times = [start + k * step for k in range(round((end - start) / step) + 1)]
    return TOO_MANY if len(times) > 2 else success("matrix", [{"metric": {}, "values": [[t, f"{t:.3f}"] for t in times]}])


def test_ends_are_halved_and_stamped():
    with hostile(evaluated) as server:
        found = PrometheusSource(server.url).over_time("m", ends=[3600, 7200, 10800, 14400, 18000])
    assert found.time.tolist() == [3600, 7200, 10800, 14400, 18000]
    assert found.value.tolist() == [3599.999, 7199.999, 10799.999, 14399.999, 17999.999] and found.labels == [{}]


def test_moved_evaluation_times_and_uneven_ends():
    aligned = success("matrix", [{"metric": {}, "values": [[3600, "1"], [7200, "1"]]}])
    with hostile(lambda r, n: aligned) as server:
        source = PrometheusSource(server.url)
        with pytest.raises(SourceError, match="moved the times of evaluation"):
            source.over_time("m", ends=[3600, 7200])
        with pytest.raises(ValueError):
            source.over_time("m", ends=[3600, 7200, 7300])
        assert len(source.over_time("m", ends=[])) == len(source.raw("m", start=5, end=5)) == 0


def test_retry_after_is_honoured_once():
    with hostile(lambda r, n: failure(429, "x", "slow down", **{"Retry-After": "1"}) if n == 1 else success("vector", ONE)) as server:
        began = time.monotonic()
        assert len(PrometheusSource(server.url).instant("up", at=100)) == 1
        assert 1 <= time.monotonic() - began < 2
    for wait, expected in (("0", 2), ("11", 1), ("Wed, 21 Oct 2026 07:28:00 GMT", 1)):
        line, requests, _ = refused(lambda r, n, w=wait: failure(429, "x", "slow down", **{"Retry-After": w}))
        assert "answered 429" in line and len(requests) == expected


@pytest.mark.parametrize(
    "result",
    [[{"metric": {}, "value": [1, "junk"]}], [{"metric": {}, "value": [1]}], [{"metric": []}], {"a": 1}, "text", [[1]]],
)
def test_junk_values_and_wrong_shapes(result):
    with hostile(lambda r, n: success("vector", result)) as server, pytest.raises(SourceError) as caught:
        PrometheusSource(server.url).instant("q" * 5000, at=1)
    assert server.url in str(caught.value) and len(str(caught.value)) < 900


def test_a_huge_error_page_is_cut_and_scrubbed():
    text = (f"stack of {TOKEN}\n\x1b[31m" + "x" * 50).encode() * 200_000
    line, requests, took = refused(lambda r, n: (500, {}, text))
    assert "stack of ***" in line and "\x1b" not in line and len(requests) == 1 and took < 2


def test_values_cannot_leave_their_quotes():
    with hostile(lambda r, n: success("vector", [])) as server:
        PrometheusSource(server.url).instant(selector(["m"], match={"ns": '"} or m{ns=~".*'}), at=1)
    assert server.requests[0].form["query"] == r'm{ns="\"} or m{ns=~\".*"}'


@pytest.mark.parametrize("url", ["ftp://x", "x:9090", "http://", "http://u:hunter2@h", "http://h?token=hunter2", "http://[::1"])
def test_addresses_are_checked_without_showing_secrets(url):
    with pytest.raises(SourceError) as caught:
        PrometheusSource(url)
    assert "hunter2" not in str(caught.value)


def test_headers_cannot_break_the_line():
    with pytest.raises(SourceError, match="'X-A' holds a line break"):
        PrometheusSource("http://h", headers={"X-A": "b\r\nX-B: c"})
    with pytest.raises(ValueError):
        PrometheusSource("http://h", bearer_token="a", basic_auth=("u", "p"))


def test_a_missing_authority_file_is_named_at_once():
    with pytest.raises(SourceError, match="cannot be sent: .*/nonexistent; check .* ca_file"):
        PrometheusSource("https://127.0.0.1:9", ca_file="/nonexistent").instant("up", at=1)


def test_the_environment_is_not_asked(monkeypatch):
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:9")
    with hostile(lambda r, n: success("vector", ONE)) as server:
        assert len(PrometheusSource(server.url).instant("up", at=100)) == 1


def test_parallel_keeps_order_and_bounds_and_stops_at_the_first_error():
    source, begun = PrometheusSource("http://h", max_parallel=2), []

    def call(number):
        begun.append(number)
        time.sleep(0.02)
        if number == 2:
            raise SourceError("two")
        return number

    assert source.parallel([lambda n=n: call(n) for n in (5, 4, 3)]) == [5, 4, 3] and source.parallel([]) == []
    begun.clear()
    with pytest.raises(SourceError, match="two"):
        source.parallel([lambda n=n: call(n) for n in range(1, 40)])
    assert len(begun) < 10


def test_skew():
    with hostile(lambda r, n: success("vector", [{"metric": {}, "value": [1030, "1030"]}])) as server:
        source = PrometheusSource(server.url)
        assert source.check(clock=lambda: 1000.0) == source.skew == 30.0
        with pytest.raises(SourceError, match=r"clock is \+61 s off"):
            source.check(clock=lambda: 969.0)
        assert source.skew == 61.0


HOUR = 1_700_000_400 // 3600 * 3600
NASTY = r'a"b\c' + "\nd'} or m{x=~'.*é☃"
FIXTURE = """# TYPE gpu gauge
{rows}
# TYPE odd gauge
odd{{name="{nasty}"}} 7 {hour}
# EOF
"""


@pytest.fixture(scope="module")
def prometheus(tmp_path_factory):
    """The address of a real server over two hours of two series, a sample exactly on every hour."""
    if not (shutil.which("prometheus") and shutil.which("promtool")):
        pytest.skip("prometheus and promtool are not installed")
    place = tmp_path_factory.mktemp("prometheus")
    rows = [f'gpu{{uuid="{u}"}} {t - HOUR + u} {t}' for u in (1, 2) for t in range(HOUR, HOUR + 7201, 30)]
    nasty = NASTY.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    (place / "fixture").write_text(FIXTURE.format(rows="\n".join(rows), nasty=nasty, hour=HOUR))
    (place / "config.yml").write_text("{}")
    subprocess.run(
        ["promtool", "tsdb", "create-blocks-from", "openmetrics", place / "fixture", place / "data"],
        check=True,
        capture_output=True,
    )
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        address = f"127.0.0.1:{free.getsockname()[1]}"
    options = ["--storage.tsdb.retention.time=100y", "--query.max-samples=150", f"--web.listen-address={address}"]
    command = ["prometheus", f"--config.file={place / 'config.yml'}", f"--storage.tsdb.path={place / 'data'}", *options]
    with open(os.devnull, "w") as nowhere, subprocess.Popen(command, stdout=nowhere, stderr=nowhere) as running:
        try:
            await_ready(f"http://{address}")
            yield f"http://{address}"
        finally:
            running.terminate()


def await_ready(url):
    for _ in range(100):
        try:
            return PrometheusSource(url, timeout=1).check()
        except SourceError:
            time.sleep(0.1)
    raise AssertionError("prometheus did not start")


def test_real_edges_are_counted_once(prometheus):
    source = PrometheusSource(prometheus)
    one = selector(["gpu"], match={"uuid": "1"})
    first = source.raw(one, start=HOUR, end=HOUR + 3600)
    second = source.raw(one, start=HOUR + 3600, end=HOUR + 7200)
    assert (len(first), len(second)) == (120, 120)
    assert first.time[0] == HOUR and first.time[-1] == HOUR + 3570 and second.time[0] == HOUR + 3600
    assert first.labels == [{"__name__": "gpu", "uuid": "1"}] and second.value[0] == 3601.0


def test_real_limit_on_samples_is_met_by_halving(prometheus):
    source = PrometheusSource(prometheus)
    assert len(source.raw("gpu", start=HOUR, end=HOUR + 7200)) == 480
    with pytest.raises(TooMuch, match="too many samples"):
        source.instant("count_over_time(gpu[2h])", at=HOUR + 7200)


def test_real_counts_over_hours(prometheus):
    source = PrometheusSource(prometheus)
    both = source.over_time("count_over_time(gpu{uuid='1'}[3600000ms])", ends=[HOUR + 3600, HOUR + 7200])
    assert both.time.tolist() == [HOUR + 3600, HOUR + 7200] and both.value.tolist() == [120.0, 120.0]
    single = source.over_time("count_over_time(gpu{uuid='1'}[3600000ms])", ends=[HOUR + 3600])
    assert single.time.tolist() == [HOUR + 3600] and single.value.tolist() == [120.0]


def test_real_resolution_limit_and_plain_mistakes(prometheus):
    source = PrometheusSource(prometheus)
    found = source.over_time("vector(1)", ends=[HOUR + k for k in range(11_002)])
    assert len(found) == 11_002
    with pytest.raises(SourceError, match="parse error") as caught:
        source.instant("sum(", at=HOUR)
    assert type(caught.value) is SourceError


def test_real_values_come_back_as_they_were_asked_for(prometheus):
    source = PrometheusSource(prometheus)
    found = source.raw(selector(["odd", "gpu"], match={"name": NASTY}), start=HOUR, end=HOUR + 1)
    assert found.labels == [{"__name__": "odd", "name": NASTY}] and found.value.tolist() == [7.0]
    for value in ("x'} or gpu{uuid=~'.*", 'x"} or gpu{uuid=~".*', "\\", "\r\t\x00", '\\"} or gpu #'):
        assert len(source.raw(selector(["gpu"], match={"uuid": value}), start=HOUR, end=HOUR + 60)) == 0


@pytest.mark.skipif(not shutil.which("promtool"), reason="needs prometheus and promtool: apt-get install prometheus")
def test_counts_agree_with_lists_at_the_edges_of_a_window(tmp_path):
    """Series that begin at the window's very end, end at its start, or have only one sample in it."""
    start, end = 1_757_000_000, 1_757_003_600
    lines = [f'kube_pod_owner{{pod="{pod}"}} 1 {t}' for pod, times in (
        ("whole", range(start, end + 1, 30)), ("after", range(end, end + 600, 30)), ("before", range(start - 600, start, 30)),
        ("at-start", [start]), ("at-end", [end]), ("last", [end - 0.001])) for t in times]  # fmt: skip
    lines += [line.replace("kube_pod_owner{", 'kube_node_status_capacity{resource="nvidia_com_gpu",node="n",') for line in lines]
    with serving("\n".join([*sorted(lines), "# EOF", ""]), tmp_path) as url:
        source = PrometheusSource(url).during(start, end)
        owners = source.reduced(OWNER, ends=[end], seconds=3600)
        capacity = source.samples(CAPACITY, start=start, end=end)
    assert sorted(row["pod"] for row in owners.labels) == ["at-start", "last", "whole"]
    assert sorted(row["pod"] for row in capacity.labels) == ["at-start", "last", "whole"]


@pytest.mark.skipif(not shutil.which("promtool"), reason="needs prometheus and promtool: apt-get install prometheus")
def test_a_device_under_two_spellings_in_one_window(tmp_path):
    """An exporter upgraded at minute 10 renames power; one sample of 7,000 W at minute 20 is a stray of the second quarter."""
    power, stray = (next(query for query in QUERIES if query.key == key) for key in ("power", "power_stray"))
    start = 1_757_000_000 // 3600 * 3600
    lines = [f'DCGM_FI_DEV_POWER_USAGE{{UUID="GPU-1"}} 200 {start + 60 * n}' for n in range(10)]
    lines += [f'DCGM_FI_DEV_BOARD_POWER_WATTS{{UUID="GPU-1"}} {7000 if n == 20 else 300} {start + 60 * n}' for n in range(10, 30)]
    window = {"ends": [start + 900.0, start + 1800.0], "seconds": 900.0}
    with serving("\n".join([*lines, "# EOF", ""]), tmp_path) as url:
        source = PrometheusSource(url)
        means, strays = source.reduced(power, **window), source.reduced(stray, **window)
    # (14 x 300 + 7000) / 15
    assert sorted(zip(means.time - start, means.value.round(3), strict=True)) == [(900.0, 200.0), (900.0, 300.0), (1800.0, 746.667)]
    assert list(zip(strays.time - start, strays.value, strict=True)) == [(1800.0, 7000.0)]


@pytest.mark.skipif(not shutil.which("promtool"), reason="needs prometheus and promtool: apt-get install prometheus")
def test_a_source_younger_than_its_first_whole_hour_begins_with_the_running_one(tmp_path):
    """Nodes are known from 10:20 on: at 10:30 no hour has ended with one; at 11:10 that of 10:00 has."""
    ten = 1_757_000_000 // 3600 * 3600
    lines = [f'kube_node_status_capacity{{resource="nvidia_com_gpu",node="n"}} 4 {t}' for t in range(ten + 1200, ten + 4200, 30)]
    with serving("\n".join([*lines, "# EOF", ""]), tmp_path) as url:
        source = PrometheusSource(url)
        spans = [source.span(until=ten + minutes * 60.0) for minutes in (10, 30, 70)]
    assert spans == [None, (ten, ten + 1800.0), (ten, ten + 4200.0)]
