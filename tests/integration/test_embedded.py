"""The embedded servers, for real: each test has its own data folder and other processes."""

import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import psycopg
import pytest
import redis

from finops import embedded

ROOT = Path(__file__).resolve().parents[2]
# Joins, says the URL, and stays until its standard input closes.
USER = """
import sys
from pathlib import Path
from finops import embedded
print(getattr(embedded, sys.argv[1])(Path(sys.argv[2])), flush=True)
sys.stdin.read()
"""


class User:
    """Another process that uses a server."""

    def __init__(self, function, data_dir):
        self.process = subprocess.Popen(
            [sys.executable, "-c", USER, function, str(data_dir)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=ROOT,
        )  # fmt: skip
        self.url = self.process.stdout.readline().strip()

    def leave(self):
        self.process.stdin.close()
        self.process.stdout.close()
        assert self.process.wait(timeout=20) == 0


@pytest.fixture
def data_dir(tmp_path):
    folder = tmp_path / "data"
    yield folder
    embedded.release()
    shutil.rmtree(Path((folder / "socket-folder").read_text()), ignore_errors=True)


def ask(url, query):
    with psycopg.connect(url, autocommit=True) as connection:
        cursor = connection.execute(query)
        return cursor.fetchone()[0] if cursor.description else None


def postmaster(data_dir):
    return int((data_dir / "postgres/postmaster.pid").read_text().split("\n")[0])


def gone(pid):
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(") ")[2][0] == "Z"
    except FileNotFoundError:
        return True


def wait_until(condition):
    deadline = time.monotonic() + 10
    while not condition() and time.monotonic() < deadline:
        time.sleep(0.02)
    assert condition()


def test_second_start_keeps_the_data_and_settings_hold(data_dir):
    url = embedded.postgres_url(data_dir)
    ask(url, "CREATE TABLE kept AS SELECT 42 AS answer")
    embedded.release()
    embedded.release()
    assert not (data_dir / "postgres/postmaster.pid").exists()
    assert ask(embedded.postgres_url(data_dir), "SELECT answer FROM kept") == 42
    assert ask(url, "SHOW server_version").startswith("18.")
    assert ask(url, "SHOW fsync") == "on"
    assert ask(url, "SHOW listen_addresses") == ""
    assert ask(url, "SHOW timezone") == "UTC"
    assert not (data_dir / "postgres.new").exists()


def test_last_one_out_stops_the_server(data_dir):
    first, second = User("postgres_url", data_dir), User("postgres_url", data_dir)
    pid = postmaster(data_dir)
    assert first.url == second.url
    first.leave()
    assert ask(second.url, "SELECT 1") == 1
    assert not gone(pid)
    second.leave()
    assert gone(pid)


def test_user_that_was_killed_does_not_hold_the_server(data_dir):
    user = User("postgres_url", data_dir)
    pid = postmaster(data_dir)
    user.process.kill()
    user.process.communicate()
    assert ask(embedded.postgres_url(data_dir), "SELECT 1") == 1
    assert postmaster(data_dir) == pid
    embedded.release()
    assert gone(pid)


@pytest.mark.parametrize("after", [0.02, 0.1, 0.2])
def test_a_start_that_is_interrupted_leaves_no_server(data_dir, after):
    """The folder is prepared, so the signal falls while the server comes up, or right after."""
    embedded.postgres_url(data_dir)
    embedded.release()

    def interrupt(*_):
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGALRM, interrupt)
    try:
        with pytest.raises(KeyboardInterrupt):
            signal.setitimer(signal.ITIMER_REAL, after)
            embedded.postgres_url(data_dir)
            time.sleep(5)
    finally:
        signal.signal(signal.SIGALRM, before)
    embedded.release()
    assert not (data_dir / "postgres/postmaster.pid").exists()
    assert ask(embedded.postgres_url(data_dir), "SELECT 1") == 1


def test_users_racing_to_start_share_one_server(data_dir):
    command = [sys.executable, "-c", USER, "postgres_url", str(data_dir)]
    racing = [subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, cwd=ROOT) for _ in range(5)]
    assert len({process.communicate(timeout=40)[0] for process in racing}) == 1
    assert {process.returncode for process in racing} == {0}
    assert not (data_dir / "postgres/postmaster.pid").exists()


def test_start_after_kill_leaves_a_zombie(data_dir):
    """The server is this process's child and nobody reaps it: its pid is noted and a zombie's."""
    url = embedded.postgres_url(data_dir)
    ask(url, "CREATE TABLE kept AS SELECT 42 AS answer")
    pid = postmaster(data_dir)
    os.kill(pid, signal.SIGKILL)
    wait_until(lambda: gone(pid))
    assert Path(f"/proc/{pid}").exists()
    other = User("postgres_url", data_dir)
    assert ask(other.url, "SELECT answer FROM kept") == 42
    assert postmaster(data_dir) != pid
    other.leave()
    assert ask(embedded.postgres_url(data_dir), "SELECT answer FROM kept") == 42


def test_pid_of_an_unrelated_process_is_dropped(data_dir):
    embedded.postgres_url(data_dir)
    note = data_dir / "postgres/postmaster.pid"
    _, _, rest = note.read_text().partition("\n")
    embedded.release()
    with subprocess.Popen(["sleep", "60"]) as stranger:
        note.write_text(f"{stranger.pid}\n{rest}")
        assert ask(embedded.postgres_url(data_dir), "SELECT 1") == 1
        embedded.release()
        assert stranger.poll() is None
        stranger.kill()


def test_pid_of_a_postgres_elsewhere_is_dropped(data_dir, tmp_path):
    other = User("postgres_url", tmp_path / "other")
    embedded.postgres_url(data_dir)
    embedded.release()
    (data_dir / "postgres/postmaster.pid").write_text((tmp_path / "other/postgres/postmaster.pid").read_text())
    assert ask(embedded.postgres_url(data_dir), "SELECT 1") == 1
    assert ask(other.url, "SELECT 1") == 1
    other.leave()
    shutil.rmtree(Path((tmp_path / "other/socket-folder").read_text()))


def test_folder_with_a_space_and_a_deep_path(tmp_path):
    deep = tmp_path.joinpath(*["a rather deep folder"] * 8) / "my data"
    assert len(str(deep)) > 160
    assert ask(embedded.postgres_url(deep), "SELECT 1") == 1
    _, cache = embedded.redis_urls(deep)
    with redis.Redis.from_url(cache) as client:
        assert client.ping()
    sockets = Path((deep / "socket-folder").read_text())
    assert sockets.stat().st_mode & 0o777 == 0o700
    embedded.release()
    shutil.rmtree(sockets)


def test_other_major_version_says_how_to_move(data_dir):
    embedded.postgres_url(data_dir)
    embedded.release()
    (data_dir / "postgres/PG_VERSION").write_text("16\n")
    with pytest.raises(embedded.EmbeddedError, match="PostgreSQL 16 and this is 18: dump") as error:
        embedded.postgres_url(data_dir)
    assert "\n" not in str(error.value)
    assert "pg_dump" in str(error.value)


def test_forked_child_leaves_without_taking_the_server_along(data_dir):
    url = embedded.postgres_url(data_dir)
    pid = postmaster(data_dir)
    child = os.fork()
    if child == 0:
        embedded.release()
        embedded.release()
        os._exit(0)
    assert os.waitpid(child, 0)[1] == 0
    assert ask(url, "SELECT 1") == 1
    embedded.release()
    assert gone(pid)


def test_pushed_items_survive_a_killed_valkey(data_dir):
    _, cache = embedded.redis_urls(data_dir)
    with redis.Redis.from_url(cache) as client:
        client.rpush("queue", *range(50))
        assert client.config_get("maxmemory-policy") == {"maxmemory-policy": "noeviction"}
    pid = int((data_dir / "valkey.pid").read_text())
    os.kill(pid, signal.SIGKILL)
    wait_until(lambda: gone(pid))
    other = User("redis_urls", data_dir)
    with redis.Redis.from_url(cache) as client:
        assert client.lrange("queue", 0, -1) == [b"%d" % number for number in range(50)]
    other.leave()


@pytest.fixture
def reachable():
    """A data folder whose parents every uid may pass."""
    folder = Path(tempfile.mkdtemp())
    yield folder
    embedded.release()
    if (folder / "socket-folder").exists():
        shutil.rmtree(Path((folder / "socket-folder").read_text()))
    shutil.rmtree(folder)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root changes its uid")
def test_root_without_namespaces_hands_the_folder_to_nobody(reachable, monkeypatch):
    """Where another uid may not read the wheel, the message says so and the folder stays root's."""
    monkeypatch.setattr(embedded.identity, "NAMESPACE", "raise SystemExit(1)")
    try:
        url = embedded.postgres_url(reachable)
    except embedded.EmbeddedError as error:
        assert "may not reach" in str(error)
        assert reachable.stat().st_uid == 0
        return
    assert ask(url, "SELECT 1") == 1
    assert Path(f"/proc/{postmaster(reachable)}").stat().st_uid == reachable.stat().st_uid != 0
    with redis.Redis.from_url(embedded.redis_urls(reachable)[1]) as client:
        assert client.ping()
    embedded.release()
    monkeypatch.undo()
    assert ask(embedded.postgres_url(reachable), "SELECT 1") == 1


@pytest.mark.skipif(os.geteuid() != 0, reason="only root changes its uid")
def test_folder_that_nobody_may_not_reach_is_left_alone(tmp_path, monkeypatch):
    monkeypatch.setattr(embedded.identity, "NAMESPACE", "raise SystemExit(1)")
    tmp_path.chmod(0o700)
    with pytest.raises(embedded.EmbeddedError, match="may not reach"):
        embedded.postgres_url(tmp_path / "data")
    assert (tmp_path / "data").stat().st_uid == 0
