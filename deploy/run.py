"""The supervisor behind `make run`: servers, migrations, configuration, then web, worker and beat.

INT, TERM and HUP stop all of it, also where one was inherited as ignored. One child's end is
everybody's end, with exit 1.
"""

import contextlib
import http.client
import json
import os
import socket
import sys
import time
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

import servers  # noqa: E402
from children import Children, Failed, Signals, Stopped  # noqa: E402
from demo import Demo  # noqa: E402
from parent import Make  # noqa: E402

from finops import embedded, environment  # noqa: E402
from finops.environment import Environment  # noqa: E402


def main() -> int:
    signals = Signals()
    children = Children(signals)
    try:
        _run(children, signals)
    except Stopped:
        return 0
    except (Failed, environment.Wrong, embedded.EmbeddedError, OSError) as error:
        print(f"run: {error}", file=sys.stderr, flush=True)
        return 1
    finally:
        signals.ignore()
        children.end()
        embedded.release()
    return 0


def _run(children: Children, signals: Signals) -> None:
    make = Make()
    given = environment.read(os.environ, root=ROOT)
    _listen(given)
    servers.ready(given, signals=signals)
    demo = Demo(children, data_dir=given.data_dir)
    config = str(given.config or "")
    told = json.loads(children.answer("deploy/prepare.py", str(demo.port), str(_debug(given)).lower(), config))
    web, *others = _commands(given).items()
    children.start(web[0], *web[1], more=_more(web[0], given=given))
    _watch(children, until=lambda: _answers(given) or make.ending())
    for name, arguments in others:
        children.start(name, *arguments, more=_more(name, given=given))
    if told["demo"]:
        demo.start(fresh=told["fresh"])
    _announce(given, logins=told["logins"])
    _watch(children, until=make.ending, each=demo.go_on)


def _debug(given: Environment) -> bool:
    """What DEBUG says; where it says nothing, on for pages that only this machine reaches."""
    return given.only_here if given.debug is None else given.debug


def _listen(given: Environment) -> None:
    """Whether the address is free, before anything is started."""
    try:
        found = socket.getaddrinfo(given.host, given.port, type=socket.SOCK_STREAM)
        family, kind, _, _, address = found[0]
        with socket.socket(family, kind) as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind(address)
    except OSError as error:
        raise Failed(f"cannot listen on {given.shown_host}:{given.port}: {error.strerror}; set HOST or PORT") from error


def _commands(given: Environment) -> dict[str, tuple[str, ...]]:
    celery = ("-m", "celery", "-A", "finops", "-q")
    return {
        # The application is loaded before the workers are forked: an error ends the server instead of each worker in turn.
        "web": ("-m", "gunicorn", "finops.wsgi", "--bind", f"{given.shown_host}:{given.port}", "--workers", "2", "--threads", "4",
                "--preload", "--graceful-timeout", "8", "--forwarded-allow-ips", "", "--log-level", "warning"),
        "worker": (*celery, "worker", "-c", "4", "--loglevel", "WARNING"),
        "scraper": (*celery, "worker", "-Q", "scrape", "-c", "2", "-n", "scraper@%h", "--loglevel", "WARNING"),
        "beat": (*celery, "beat", "--schedule", str(given.data_dir / "beat-schedule"), "--pidfile=", "--loglevel", "WARNING"),
    }  # fmt: skip


def _more(name: str, *, given: Environment) -> dict[str, str]:
    """DEBUG is for pages alone: in a worker it would only gather queries.

    The worker, at TERM, gives running tasks a few seconds and hands the rest back; and it need not warn of root, whose
    danger are messages that carry code: ours are JSON.
    """
    worker = {"REMAP_SIGTERM": "SIGQUIT", "PYTHONWARNINGS": "ignore:You're running the worker with superuser"}
    return {"web": {"DEBUG": str(_debug(given)).lower()}, "worker": worker, "scraper": worker}.get(name, {})


def _announce(given: Environment, *, logins: str) -> None:
    print(f"Ready: http://{given.shown_host}:{given.port}{given.base_path}/", flush=True)
    print("".join(f"    {line}\n" for line in logins.splitlines()), end="", flush=True)


def _watch(children: Children, *, until: Callable[[], bool], each: Callable[[], None] = lambda: None) -> None:
    while not until():
        each()
        children.check()
        time.sleep(0.1)


def _answers(given: Environment) -> bool:
    host = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(given.host, given.host)
    with contextlib.suppress(OSError, http.client.HTTPException):
        connection = http.client.HTTPConnection(host, given.port, timeout=2)
        connection.request("GET", "/readyz", headers={"Host": "localhost"})
        return connection.getresponse().status == 200
    return False


if __name__ == "__main__":
    sys.exit(main())
