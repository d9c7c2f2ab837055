"""`make run` with real processes: it starts, starts again, keeps its data, and every signal ends all of it.

The demo company is a stub of one cluster (tests/stub), so that a start takes seconds.
"""

import contextlib
import os
import re
import shlex
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
import urllib.parse
import urllib.request
from http.cookiejar import CookieJar
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
RUN = (sys.executable, "deploy/run.py")
NAMES = (
    "DATABASE_URL REDIS_URL FINOPS_CONFIG SECRET_KEY DEBUG HOST BASE_PATH ALLOWED_HOSTS CSRF_TRUSTED_ORIGINS TRUSTED_PROXIES EMAIL_URL"
).split()


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class House:
    """One data folder, started any number of times."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.port = folder, free_port()
        self.data, self.noted = folder / "data", folder / "noted"
        self.started: list[Started] = []
        self.environment = {name: value for name, value in os.environ.items() if name not in NAMES} | {
            "FINOPS_DATA_DIR": str(self.data),
            "PORT": str(self.port),
            "NOTED": str(self.noted),
            "PYTHONPATH": str(ROOT / "tests/stub"),
            "DJANGO_SETTINGS_MODULE": "stub_settings",
        }

    def start(self, *command: str, ignoring_int: bool = False, **variables: str) -> "Started":
        self.started.append(Started(self, command or RUN, variables, ignoring_int=ignoring_int))
        return self.started[-1]

    def calls(self) -> list[str]:
        """What was asked of the demo's simulator."""
        return self.noted.read_text().splitlines() if self.noted.exists() else []

    def processes(self) -> list[tuple[int, str]]:
        """Pids and commands of all that belongs to this house, the servers' included."""
        found, mark = [], f"FINOPS_DATA_DIR={self.data}".encode()
        for environ in Path("/proc").glob("[0-9]*/environ"):
            with contextlib.suppress(OSError):
                if mark in environ.read_bytes().split(b"\0"):
                    command = environ.with_name("cmdline").read_bytes().replace(b"\0", b" ").decode()
                    found.append((int(environ.parent.name), command))
        return found

    def left(self) -> list[str]:
        return [command for _, command in self.processes() if command]

    @property
    def simulator_port(self) -> str:
        return (self.data / "simulator-port").read_text()

    def until_called(self, call: str, *, times: int = 1) -> None:
        deadline = time.monotonic() + 30
        while self.calls().count(call) < times:
            assert time.monotonic() < deadline, self.calls()
            time.sleep(0.05)

    def pid_of(self, word: str) -> int:
        """The process whose command holds this file of the data folder."""
        return next(pid for pid, command in self.processes() if str(self.data / word) in command)

    def clear(self) -> None:
        """After a failed test something may still run."""
        for started in self.started:
            if started.process.poll() is None:
                os.killpg(started.process.pid, signal.SIGTERM)
                started.process.wait(timeout=25)
        with contextlib.suppress(FileNotFoundError):
            shutil.rmtree(Path((self.data / "socket-folder").read_text()), ignore_errors=True)


class Started:
    """The supervisor's process; its lines are gathered while it runs."""

    def __init__(self, house: House, command: tuple[str, ...], variables: dict[str, str], *, ignoring_int: bool) -> None:
        self.house, self.begun = house, time.monotonic()
        self.process = subprocess.Popen(
            command, cwd=ROOT, env=house.environment | variables, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
            start_new_session=True, preexec_fn=(lambda: signal.signal(signal.SIGINT, signal.SIG_IGN)) if ignoring_int else None,
        )  # fmt: skip
        self.lines: list[str] = []
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self) -> None:
        with self.process.stdout as lines:
            for line in lines:
                self.lines.append(line.rstrip("\n"))

    @property
    def text(self) -> str:
        return "\n".join(self.lines)

    def until(self, pattern: str, *, within: float = 40) -> float:
        """Seconds since the start until a line matches."""
        while time.monotonic() < self.begun + within:
            if re.search(pattern, self.text):
                return time.monotonic() - self.begun
            if self.process.poll() is not None:
                break
            time.sleep(0.02)
        raise AssertionError(f"no {pattern!r} in:\n{self.text}")

    def stop(self, number: int, *, code: int = 0) -> None:
        self.process.send_signal(number)
        self.gone(code)

    def gone(self, code: int = 0) -> None:
        assert self.process.wait(timeout=25) == code, self.text
        self._reader.join(timeout=10)
        assert self.house.left() == []

    def ask(self, path: str, form: dict[str, str] | None = None) -> tuple[int, str, str]:
        """Status, final address and text; one browser per process, so that a log-in lasts."""
        self.browser = getattr(self, "browser", None) or urllib.request.build_opener(
            urllib.request.ProxyHandler({}), urllib.request.HTTPCookieProcessor(CookieJar())
        )
        data = urllib.parse.urlencode(form).encode() if form else None
        try:
            with self.browser.open(f"http://127.0.0.1:{self.house.port}{path}", data, timeout=20) as answer:
                return answer.status, answer.url.partition(str(self.house.port))[2], answer.read().decode()
        except urllib.error.HTTPError as error:
            return error.code, path, error.read().decode()

    def log_in(self, user: str, password: str, *, base: str = "") -> tuple[int, str, str]:
        token = re.search(r'csrfmiddlewaretoken" value="(\w+)"', self.ask(f"{base}/login/")[2])[1]
        return self.ask(f"{base}/login/", {"login": user, "password": password, "csrfmiddlewaretoken": token, "next": ""})


@pytest.fixture
def house(tmp_path):
    made = House(tmp_path)
    yield made
    made.clear()


@pytest.fixture(scope="module")
def company(tmp_path_factory):
    """A house whose demo company is there, its older history cut short."""
    made = House(tmp_path_factory.mktemp("company"))
    started = made.start(HISTORY_TAKES="60")
    started.until("engineer")
    made.until_called("load 70")
    started.stop(signal.SIGTERM)
    yield made
    made.clear()


def test_it_starts_starts_again_and_every_signal_ends_it(house, tmp_path):
    """Five starts on one folder: the first fills it, and each of the signals ends one of them."""
    first = house.start()
    first.until("engineer")
    house.until_called("load 70")
    house.until_called(f"serve {house.simulator_port}")
    assert house.calls()[0] == "load 8" and sorted(house.calls()[1:]) == ["load 70", f"serve {house.simulator_port}"]
    assert re.search(r"Ready: http://127\.0\.0\.1:\d+/\n    user +password\n    finance +finance-of-demo +sees every team\n", first.text)
    assert first.log_in("fraud-lead", "fraud-lead-of-demo")[:2] == (200, "/")
    key = (house.data / "secret-key").read_text()
    first.stop(signal.SIGTERM)

    # make, where it alone gets INT, waits for the supervisor and tells it nothing
    (tmp_path / "Makefile").write_text(f"run:\n\t@exec {shlex.join(RUN)}\n")
    make = ("make", "-f", str(tmp_path / "Makefile"))
    for before, (number, command, ignoring) in enumerate((
        (signal.SIGINT, RUN, False),
        (signal.SIGINT, RUN, True),
        (signal.SIGHUP, RUN, False),
        (signal.SIGINT, make, False),
    ), start=1):  # fmt: skip
        again = house.start(*command, ignoring_int=ignoring)
        assert again.until("engineer") < 10 * max(1, os.getloadavg()[0] / os.cpu_count())  # seconds of a machine of its own
        assert again.log_in("finance", "finance-of-demo")[:2] == (200, "/")
        house.until_called("load 8", times=before + 1)  # the pause, behind the pages
        house.until_called(f"serve {house.simulator_port}", times=before + 1)
        again.stop(number, code=-number if command is make else 0)
    assert (house.data / "secret-key").read_text() == key
    assert house.calls().count("load 70") == 1
    assert house.calls().count("load 8") == house.calls().count(f"serve {house.simulator_port}") == 5


def test_history_cut_short_goes_on_and_a_dead_child_ends_all(company):
    again = company.start(HISTORY_TAKES="60")
    company.until_called("load 70", times=2)
    again.until("engineer")
    os.kill(company.pid_of("beat-schedule"), signal.SIGKILL)
    again.gone(1)
    assert "run: beat ended with -9, so all of it stops" in again.lines


def test_without_debug_there_is_no_demo_log_in_and_a_prefix_is_everywhere(company):
    """The demo accounts of an earlier start are refused, and an administrator is made instead."""
    started = company.start(DEBUG="false", BASE_PATH="/gpu")
    started.until("created admin, password")
    assert f"Ready: http://127.0.0.1:{company.port}/gpu/" in started.text and "of-demo" not in started.text
    assert "User name and password do not match" in started.log_in("finance", "finance-of-demo", base="/gpu")[2]
    assert started.ask("/gpu/")[:2] == (200, "/gpu/login/?next=/gpu/")
    assert started.ask("/")[1] == "/gpu/login/?next=/gpu/"
    styles = re.findall(r'href="(/gpu/static/[^"]+[.]css)"', started.ask("/gpu/login/")[2])
    assert len(styles) == 2 and all(started.ask(path)[0] == 200 for path in styles)
    password = re.search(r"created admin, password (\S+)", started.text)[1]
    status, address, page = started.log_in("admin", password, base="/gpu")
    assert (status, address) == (200, "/gpu/")
    assert [link for link in re.findall(r'(?:href|src|action)="(/[^"]*)"', page) if not link.startswith("/gpu/")] == []
    assert started.ask("/gpu/api/v1/nothing")[0] == 404
    started.stop(signal.SIGTERM)


@pytest.mark.parametrize("after", [0.05, 0.6, 1.5])
def test_a_signal_while_it_starts_ends_what_is_there(house, after):
    started = house.start()
    time.sleep(after)
    started.process.send_signal(signal.SIGTERM)
    assert started.process.wait(timeout=25) in (0, -signal.SIGTERM)  # the latter before Python itself is there
    assert house.left() == []


REFUSED = {
    "DATABASE_URL": "postgresql://nobody:secret-word@127.0.0.1:1/finops",
    "REDIS_URL": "redis://:secret-word@127.0.0.1:1/0",
    "FINOPS_DATA_DIR": str(ROOT / "manage.py"),
    "FINOPS_CONFIG": "/nowhere/finops.yaml",
    "SECRET_KEY": "short",
    "DEBUG": "perhaps",
    "HOST": "http://localhost",
    "PORT": "http",
    "BASE_PATH": "/a b",
    "ALLOWED_HOSTS": "https://costs.example.com",
    "CSRF_TRUSTED_ORIGINS": "costs.example.com",
    "TRUSTED_PROXIES": "10.0.0.1/8",
    "EMAIL_URL": "mail.example.com:25",
}


@pytest.mark.parametrize("name", REFUSED)
def test_a_wrong_value_stops_the_start_with_one_line(house, name):
    started = house.start(**{name: REFUSED[name]})
    started.gone(1)
    assert len(started.lines) == 1 and started.lines[0].startswith(f"run: {name}: "), started.text
    assert "secret-word" not in started.text


@pytest.mark.parametrize("name", [name for name in REFUSED if name not in ("DATABASE_URL", "REDIS_URL")])
def test_a_command_refuses_it_too(house, name):
    command = [sys.executable, "manage.py", "check"]
    done = subprocess.run(command, cwd=ROOT, env=house.environment | {name: REFUSED[name]}, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (1, "", 1)
    assert done.stderr.startswith(f"{name}: ")


def test_a_taken_port_is_named(house):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", house.port))
        taken.listen()
        started = house.start()
        started.gone(1)
    assert started.lines == [f"run: cannot listen on 127.0.0.1:{house.port}: Address already in use; set HOST or PORT"]


def test_a_configuration_file_comes_before_the_demo(house, tmp_path):
    """With clusters of one's own there is no demo company, and a wrong file stops the start naming its line."""
    file = tmp_path / "finops.yaml"
    file.write_text("currency: CHF\nclusters:\n  - {name: own, source: {prometheus: {url: nowhere}}}\n")
    started = house.start(FINOPS_CONFIG=str(file))
    started.gone(1)
    assert f"{file}: line 3: clusters[0].source.prometheus.url" in started.text and "Traceback" not in started.text
    file.write_text(file.read_text().replace("nowhere", '"http://127.0.0.1:9"'))
    started = house.start(FINOPS_CONFIG=str(file))
    started.until("created admin, password")
    assert f"{file}: cluster own: added" in started.lines
    assert house.calls() == []
    started.stop(signal.SIGTERM)
