"""The compose file, the image and the list of variables say what the product says."""

import json
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

from finops.configuration.schema import parse
from finops.environment import read

ROOT = Path(__file__).resolve().parents[2]
COMPOSE = yaml.safe_load((ROOT / "docker-compose.yml").read_text())
SERVICES = COMPOSE["services"]
OURS = {name: service for name, service in SERVICES.items() if "build" in service}
EXAMPLE = re.findall(r"^([A-Z_]+)=(.*)$", (ROOT / ".env.example").read_text(), flags=re.MULTILINE)


class Asked(dict):
    """An empty environment that remembers what was looked for."""

    def __init__(self) -> None:
        self.names: set[str] = set()

    def get(self, name: str, default: str = "") -> str:
        self.names.add(name)
        return default


@pytest.fixture(scope="module")
def names() -> set[str]:
    """Every variable the product reads."""
    asked = Asked()
    read(asked, root=ROOT)
    return asked.names


def test_the_variables_are_those_that_stay_stable(names):
    assert names == {
        "DATABASE_URL", "REDIS_URL", "FINOPS_DATA_DIR", "FINOPS_CONFIG", "SECRET_KEY", "DEBUG", "HOST", "PORT", "BASE_PATH",
        "ALLOWED_HOSTS", "CSRF_TRUSTED_ORIGINS", "TRUSTED_PROXIES", "EMAIL_URL",
        "OIDC_ISSUER", "OIDC_CLIENT_ID", "OIDC_CLIENT_SECRET", "OIDC_NAME", "OIDC_GROUPS_CLAIM", "TRUSTED_USER_HEADER", "TRUSTED_GROUPS_HEADER",
    }  # fmt: skip


def test_nobody_reads_the_environment_past_them():
    """Save for credentials, whose variables the configuration file names."""
    readers = {"finops/settings.py", "ingest/open.py"}
    found = {
        str(path.relative_to(ROOT))
        for app in ("finops", "ingest", "reports")
        for path in (ROOT / app).rglob("*.py")
        if re.search(r"os\.environ(?!\.setdefault\(\"DJANGO_SETTINGS_MODULE\")|getenv", path.read_text())
    }
    assert found <= readers


def test_the_example_lists_each_with_its_default(names):
    assert [name for name, _ in EXAMPLE] == list(dict.fromkeys(name for name, _ in EXAMPLE))
    assert {name for name, _ in EXAMPLE} == names
    assert read(dict(EXAMPLE), root=ROOT) == read({}, root=ROOT)


def test_every_variable_reaches_every_process_of_ours(names):
    for service in OURS.values():
        assert set(service["environment"]) == names
    whole = (ROOT / "docker-compose.yml").read_text()
    fixed = {"FINOPS_DATA_DIR"}  # where the files lie is the image's affair
    assert {name for name in names - fixed if f"${{{name}:" not in whole} == set()


def test_what_a_process_gets_there_is_readable():
    """With nothing given but what the file insists on."""
    given = {"SECRET_KEY": "k3y-of-thirty-two-characters-0123", "POSTGRES_PASSWORD": "word"}
    environment = {name: interpolated(str(value), given) for name, value in OURS["web"]["environment"].items()}
    found = read(environment, root=ROOT)
    assert found.database_url == "postgresql://finops:word@db:5432/finops"
    assert (found.host, found.port, found.debug, found.config) == ("0.0.0.0", 8000, False, None)


def interpolated(text: str, given: dict[str, str]) -> str:
    """`${NAME:-default}`, `${NAME:?why}` and `${NAME:+instead}`, innermost first."""
    pattern = re.compile(r"\$\{(\w+)(?::([-?+])([^${}]*))?\}")
    while found := pattern.search(text):
        name, kind, more = found.groups()
        value = given.get(name, "")
        assert value or kind != "?", f"{name} {more}"
        new = value or more or "" if kind == "-" else (more if value else "") if kind == "+" else value
        text = text[: found.start()] + new + text[found.end() :]
    return text


def test_the_file_fits_the_compose_schema(tmp_path):
    """The schema of compose-spec, as check-jsonschema brings it. Merge keys are resolved first: they are YAML's, not its."""
    (tmp_path / "docker-compose.json").write_text(json.dumps(COMPOSE))
    command = [sys.executable, "-m", "check_jsonschema", "--builtin-schema", "vendor.compose-spec", str(tmp_path / "docker-compose.json")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout


def test_each_dependency_can_come_true():
    for name, service in SERVICES.items():
        for other, wanted in service.get("depends_on", {}).items():
            assert other in SERVICES, f"{name} waits for {other}"
            assert set(SERVICES[other].get("profiles", [])) <= set(service.get("profiles", []))
            if wanted["condition"] == "service_healthy":
                assert "healthcheck" in SERVICES[other], f"{name} waits for the health of {other}"
            if wanted["condition"] == "service_completed_successfully":
                assert SERVICES[other]["restart"] == "no"


def test_every_process_of_ours_finds_the_configuration_file():
    """The variable is read, and the file looked for, by each."""
    for name, service in OURS.items():
        assert OURS["web"]["volumes"][0] in service["volumes"], name


def test_every_volume_is_declared():
    named = {
        volume.split(":")[0]
        for service in SERVICES.values()
        for volume in service.get("volumes", [])
        if isinstance(volume, str) and not volume.startswith((".", "/", "$"))
    }
    assert named == set(COMPOSE["volumes"])
    mounted = re.findall(r'"\./([^":]+):', (ROOT / "docker-compose.yml").read_text())
    assert mounted and all((ROOT / path).is_file() for path in mounted)


def test_images_are_pinned_and_ports_stay_on_this_machine():
    assert [service["image"] for name, service in SERVICES.items() if name not in OURS and ":" not in service["image"]] == []
    ports = [port for service in SERVICES.values() for port in service.get("ports", [])]
    assert ports and all(port.startswith(("127.0.0.1:", "${HOST:-127.0.0.1}:")) for port in ports)


def commands() -> Iterator[list[str]]:
    """What our services run, a shell's parts one by one."""
    for service in OURS.values():
        command = service.get("command", [])
        parts = command[2].split("&&") if command[:2] == ["sh", "-c"] else [shlex.join(command)] if command else []
        yield from (shlex.split(part) for part in parts)


def test_the_commands_are_there():
    known = {path.stem for app in ("finops", "ingest", "reports") for path in (ROOT / app / "management/commands").glob("*.py")}
    asked = {command[2] for command in commands() if command[:2] == ["python", "manage.py"]}
    assert asked <= known | {"migrate", "simulate"}
    assert {"migrate", "apply"} <= asked
    for command in commands():
        if command[0] == "celery":
            check = [sys.executable, "-m", "celery", *command[1:4], "--help"]
            assert subprocess.run(check, cwd=ROOT, capture_output=True, check=False).returncode == 0


def test_the_image_copies_what_runs_and_no_server_of_the_developer():
    text = (ROOT / "Dockerfile").read_text()
    copied = re.findall(r"^COPY (\S+) \S+$", text, flags=re.MULTILINE)
    assert {"manage.py", "finops", "ingest", "reports", "templates", "static"} <= set(copied)
    assert all((ROOT / path).exists() for path in copied)
    assert "requirements-embedded" not in text
    assert re.search(r"^USER \d+$", text, flags=re.MULTILINE)


def test_the_image_and_make_run_start_the_same_server():
    """Both load the application before forking and believe nobody's X-Forwarded headers but through TRUSTED_PROXIES."""
    image = json.loads(re.search(r"^CMD (\[.*?\])", (ROOT / "Dockerfile").read_text().replace("\\\n", ""), flags=re.MULTILINE)[1])
    supervisor = (ROOT / "deploy/run.py").read_text()
    for option in ("--preload", "--forwarded-allow-ips", "--threads", "--workers"):
        assert option in image and f'"{option}"' in supervisor


def test_python_and_postgresql_are_the_ones_the_tests_run_on():
    assert f"FROM python:{sys.version_info[0]}.{sys.version_info[1]}-slim" in (ROOT / "Dockerfile").read_text()
    assert "PostgreSQL 18" in (ROOT / "deploy/requirements-embedded.txt").read_text() and SERVICES["db"]["image"] == "postgres:18"
    assert "Valkey 9" in (ROOT / "deploy/requirements-embedded.txt").read_text() and SERVICES["redis"]["image"] == "valkey/valkey:9"


@pytest.mark.skipif(os.name != "posix", reason="a shell script")
def test_packages_for_the_tests_are_named_where_they_may_not_be_installed(tmp_path):
    """With nothing on the PATH but a shell's own tools."""
    for tool in ("sh", "id", "cat"):
        (tmp_path / tool).symlink_to(f"/usr/bin/{tool}")
    given = {"PATH": str(tmp_path), "SYSTEM_PACKAGES": "no"}
    done = subprocess.run(["/bin/sh", "deploy/system-packages.sh"], cwd=ROOT, env=given, capture_output=True, text=True, check=False)
    assert done.returncode == 0 and done.stderr == ""
    assert "real Prometheus" in done.stdout and "real browser" in done.stdout
    assert "prometheus chromium chromium-driver" in done.stdout or "install prometheus with promtool" in done.stdout


def test_the_demos_configuration_is_valid_and_names_its_prometheus():
    found = parse((ROOT / "deploy/demo.yaml").read_text())
    assert [cluster.source.url for cluster in found.clusters] == ["http://prometheus:9090"]
    assert "prometheus" in SERVICES
