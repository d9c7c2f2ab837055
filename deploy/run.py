"""The supervisor behind `make run`: servers, migrations, then web, worker and beat.

INT, TERM and HUP stop all of it, also where one was inherited as ignored. One child's end is
everybody's end, with exit 1.
"""

import contextlib
import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from finops import embedded  # noqa: E402

SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
PATIENCE = 10.0  # seconds between TERM and KILL


class Stopped(BaseException):
    """A signal asked us to end."""


class Failed(Exception):
    """Something ended that should not have; the message is one line."""


def main() -> int:
    for number in SIGNALS:
        signal.signal(number, _stop)
    children: dict[str, subprocess.Popen[bytes]] = {}
    try:
        _run(children)
    except Stopped:
        return 0
    except (Failed, embedded.EmbeddedError) as error:
        print(f"run: {error}", file=sys.stderr, flush=True)
        return 1
    finally:
        for number in SIGNALS:
            signal.signal(number, signal.SIG_IGN)
        _end(children)
        embedded.release()
    return 0


def _stop(number: int, _frame: object) -> None:
    raise Stopped(number)


def _run(children: dict[str, subprocess.Popen[bytes]]) -> None:
    host, port = _address()
    data_dir = ROOT / (os.environ.get("FINOPS_DATA_DIR") or ".data")
    os.environ["FINOPS_DATA_DIR"] = str(data_dir)
    data_dir.mkdir(mode=0o700, parents=True, exist_ok=True)
    if not os.environ.get("DATABASE_URL"):
        embedded.postgres_url(data_dir)
    if not os.environ.get("REDIS_URL"):
        os.environ["CELERY_BROKER_URL"], _ = embedded.redis_urls(data_dir)
    _manage(children, "migrate", "--verbosity", "0")
    _manage(children, "create-admin", "--if-none")
    for name, arguments in _commands(host, port=port, data_dir=data_dir).items():
        children[name] = _spawn(*arguments)
    _watch(children, host=host, port=port)


def _address() -> tuple[str, int]:
    host, port = os.environ.get("HOST") or "127.0.0.1", os.environ.get("PORT") or "8000"
    if not port.isdigit() or not 0 < int(port) < 65536:
        raise Failed(f"PORT is {port!r}: it must be a number from 1 to 65535")
    try:
        found = socket.getaddrinfo(host, int(port), type=socket.SOCK_STREAM)
        family, kind, _, _, address = found[0]
        with socket.socket(family, kind) as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind(address)
    except OSError as error:
        reason = f"cannot listen on {host}:{port}: {error.strerror}; set HOST or PORT"
        raise Failed(reason) from error
    return host, int(port)


def _commands(host: str, *, port: int, data_dir: Path) -> dict[str, tuple[str, ...]]:
    bind = f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
    celery = ("-m", "celery", "-A", "finops")
    return {
        "web": ("-m", "gunicorn", "finops.wsgi", "--bind", bind, "--workers", "2"),
        "worker": (*celery, "worker", "-c", "2", "--loglevel", "WARNING"),
        "beat": (*celery, "beat", "--schedule", str(data_dir / "beat-schedule"), "--pidfile=",
                 "--loglevel", "WARNING"),
    }  # fmt: skip


def _spawn(*arguments: str) -> subprocess.Popen[bytes]:
    """In a session of its own: the terminal's Ctrl-C reaches the supervisor alone."""
    return subprocess.Popen([sys.executable, *arguments], cwd=ROOT, start_new_session=True)


def _manage(children: dict[str, subprocess.Popen[bytes]], *arguments: str) -> None:
    children["manage.py"] = _spawn("manage.py", *arguments)
    code = children["manage.py"].wait()
    del children["manage.py"]
    if code:
        raise Failed(f"manage.py {arguments[0]} ended with {code}")


def _watch(children: dict[str, subprocess.Popen[bytes]], *, host: str, port: int) -> None:
    announced = False
    while True:
        for name, child in children.items():
            if child.poll() is not None:
                raise Failed(f"{name} ended with {child.returncode}, so all of it stops")
        if not announced and _open(host, port=port):
            shown = f"[{host}]" if ":" in host else host
            base = os.environ.get("BASE_PATH", "").strip("/")
            print(f"Ready: http://{shown}:{port}/{base}", flush=True)
            announced = True
        time.sleep(0.2)


def _open(host: str, *, port: int) -> bool:
    with contextlib.suppress(OSError), socket.create_connection((host, port), timeout=1):
        return True
    return False


def _end(children: dict[str, subprocess.Popen[bytes]]) -> None:
    """TERM to each, and after ten seconds KILL to its whole session."""
    for child in children.values():
        if child.poll() is None:
            child.terminate()
    deadline = time.monotonic() + PATIENCE
    for child in children.values():
        with contextlib.suppress(subprocess.TimeoutExpired):
            child.wait(timeout=max(0.0, deadline - time.monotonic()))
        with contextlib.suppress(ProcessLookupError):
            os.killpg(child.pid, signal.SIGKILL)
        child.wait()


if __name__ == "__main__":
    sys.exit(main())
