"""The settings as a whole: Django's own check of a deployment, the schedule's tasks, the cache."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from django.conf import settings
from django.core.cache import caches

from finops import embedded
from finops.celery import app

ROOT = Path(__file__).resolve().parents[2]


def manage(*arguments: str, data: Path, **variables: str) -> subprocess.CompletedProcess[str]:
    given = {"FINOPS_DATA_DIR": str(data), "DJANGO_SETTINGS_MODULE": "finops.settings"} | variables
    command = [sys.executable, "manage.py", *arguments]
    return subprocess.run(command, cwd=ROOT, env=os.environ | given, capture_output=True, text=True, timeout=120, check=False)


def test_behind_tls_the_deployment_check_finds_nothing(tmp_path):
    given = {"CSRF_TRUSTED_ORIGINS": "https://costs.example.com", "TRUSTED_PROXIES": "10.0.0.0/8", "DEBUG": "false"}
    done = manage("check", "--deploy", "--fail-level", "WARNING", data=tmp_path, **given)
    assert done.returncode == 0, done.stderr


def test_commands_do_not_need_the_broker(tmp_path):
    """The cache of a command is its own memory, even where a server is named that does not answer."""
    code = "from django.core.cache import cache; cache.set('a', 1); print(cache.get('a'))"
    done = manage("shell", "--no-imports", "-c", code, data=tmp_path, REDIS_URL="redis://127.0.0.1:1/0")
    assert (done.returncode, done.stdout) == (0, "1\n"), done.stderr


def test_pages_share_the_cache_and_it_is_not_the_brokers_database(tmp_path):
    """As a server reads the settings, whose program is not manage.py."""
    broker, cache = embedded.redis_urls(tmp_path / "data")
    code = "from finops import settings; print(settings.CELERY_BROKER_URL, settings.CACHES['default']['LOCATION'])"
    given = os.environ | {"REDIS_URL": cache.replace("db=1", "db=0"), "FINOPS_DATA_DIR": str(tmp_path / "data")}
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, env=given, capture_output=True, text=True, check=True, timeout=60)
    assert done.stdout.split() == [broker, cache]


@pytest.mark.parametrize("entry", app.conf.beat_schedule.values(), ids=lambda entry: entry["task"])
def test_the_schedule_names_tasks_that_can_be_sent(entry):
    """A limit of the settings that contradicts the task's own would be refused at sending."""
    with app.connection_for_write("memory://") as connection:
        app.loader.import_default_modules()
        app.tasks[entry["task"]].apply_async(connection=connection, **entry["options"])


def test_no_task_outlives_the_visibility_timeout():
    app.loader.import_default_modules()
    limits = [task.time_limit or settings.CELERY_TASK_TIME_LIMIT for task in app.tasks.values()]
    assert max(limits) <= 900 and settings.CELERY_BROKER_TRANSPORT_OPTIONS["visibility_timeout"] == 3600


def test_the_settings_of_celery_are_ones_it_knows():
    """A misspelt one would be ignored."""
    known = {name.upper() for name in app.conf.defaults[0]} | {name.upper() for name in app.conf.defaults[-1]}
    asked = [name.removeprefix("CELERY_") for name in dir(settings) if name.startswith("CELERY_")]
    assert len(asked) > 12
    assert [name for name in asked if name not in known] == []


def test_the_tests_cache_is_local():
    assert type(caches["default"]).__name__ == "LocMemCache"
