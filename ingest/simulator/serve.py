"""The company's exporters, live: every page as it is at the instant it is asked for."""

import time
from collections.abc import Callable
from functools import lru_cache
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit

from ingest.simulator.simulation import KARPENTER, KUEUE, STATE, TARGETS, Silent, Simulation

CONTENT = "text/plain; version=0.0.4; charset=utf-8"
PATHS = {f"/{name}/metrics": name for name in (STATE, KUEUE, KARPENTER)}


@lru_cache(maxsize=8)
def simulation(seed: int) -> Simulation:
    return Simulation(seed)


def server(host: str, port: int, *, seed: int, clock: Callable[[], float] = time.time) -> ThreadingHTTPServer:
    """A server that is bound but not yet serving; `?seed=` in a request goes before `seed`. Port 0 takes any."""

    class Page(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            status, text = answer(self.path, seed=seed, at=clock())
            body = text.encode()
            self.send_response(status)
            self.send_header("Content-Type", CONTENT)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:
            """A page a second is no news."""

    class Server(ThreadingHTTPServer):
        daemon_threads = True

    return Server((host, port), Page)


def answer(path: str, *, seed: int, at: float) -> tuple[HTTPStatus, str]:
    """Status and text for one request at unix seconds `at`."""
    asked = urlsplit(path)
    wish = parse_qs(asked.query).get("seed", [str(seed)])[-1]
    target = PATHS.get(asked.path) or asked.path.removeprefix("/nodes/").removesuffix("/metrics")
    known = asked.path in PATHS or asked.path == f"/nodes/{target}/metrics"
    if not known or not wish.isdecimal():
        return HTTPStatus.NOT_FOUND, "".join(f"{line}\n" for line in paths())
    try:
        return HTTPStatus.OK, simulation(int(wish)).page(target, at)
    except Silent:
        return HTTPStatus.SERVICE_UNAVAILABLE, f"{target} answers nothing at this time\n"


def paths() -> list[str]:
    """Every path that is always there."""
    return [*PATHS, *(f"/nodes/{name}/metrics" for name in TARGETS if name not in PATHS.values())]


def scrape_config(host: str, port: int, *, seed: int) -> str:
    """A prometheus.yml that scrapes all of it once a minute."""
    head = "global: {scrape_interval: 60s}\nscrape_configs:\n"
    return head + "".join(
        f"  - job_name: {path.strip('/').removesuffix('/metrics').replace('/', '-')}\n"
        f"    metrics_path: {path}\n    params: {{seed: ['{seed}']}}\n    honor_labels: true\n"
        f"    static_configs: [{{targets: ['{host}:{port}']}}]\n"
        for path in paths()
    )
