"""Every variable: its default, a right value, and the line a wrong one gets."""

from ipaddress import ip_network
from pathlib import Path

import pytest

from finops.environment import Wrong, database, read, redis

ROOT = Path("/srv/finops")
KEY = "k3y-of-thirty-two-characters-0123"


def given(**variables: str):
    return read(variables, root=ROOT)


def test_defaults():
    found = given()
    assert (found.data_dir, found.host, found.port, found.base_path) == (ROOT / ".data", "127.0.0.1", 8000, "")
    assert (found.database_url, found.redis_url, found.config, found.secret_key, found.debug) == (None,) * 5
    assert found.allowed_hosts == ("localhost", "127.0.0.1", "[::1]")
    assert found.csrf_trusted_origins == found.trusted_proxies == ()
    assert found.mail.backend == "django.core.mail.backends.console.EmailBackend"


def test_an_empty_variable_is_an_unset_one():
    names = "DATABASE_URL REDIS_URL FINOPS_DATA_DIR FINOPS_CONFIG SECRET_KEY DEBUG HOST PORT BASE_PATH ALLOWED_HOSTS EMAIL_URL"
    assert given(**dict.fromkeys(names.split(), " ")) == given()


def test_right_values(tmp_path):
    (tmp_path / "finops.yaml").touch()
    found = given(
        FINOPS_CONFIG=str(tmp_path / "finops.yaml"), SECRET_KEY=KEY, DEBUG="Yes", HOST="[::1]", PORT="80", BASE_PATH="gpu/costs/",
        ALLOWED_HOSTS="costs.example.com, .example.org,*", CSRF_TRUSTED_ORIGINS="https://a.example:8443,http://*.example.org",
        TRUSTED_PROXIES="10.0.0.0/8, 192.0.2.7,fd00::/8", FINOPS_DATA_DIR="elsewhere",
    )  # fmt: skip
    assert (found.debug, found.host, found.shown_host, found.port, found.base_path) == (True, "::1", "[::1]", 80, "/gpu/costs")
    assert found.allowed_hosts[:3] == ("costs.example.com", ".example.org", "*") and "localhost" in found.allowed_hosts
    assert found.csrf_trusted_origins == ("https://a.example:8443", "http://*.example.org")
    assert found.trusted_proxies == (ip_network("10.0.0.0/8"), ip_network("192.0.2.7/32"), ip_network("fd00::/8"))
    assert found.data_dir == ROOT / "elsewhere"


@pytest.mark.parametrize(
    ("name", "value", "why"),
    [
        ("DATABASE_URL", "mysql://h/finops", "must begin with postgresql://"),
        ("DATABASE_URL", "postgresql://h:5432x/finops", "host or port cannot be read"),
        ("DATABASE_URL", "postgresql://h/", "names no database"),
        ("DATABASE_URL", "postgresql://h/finops?sslmod=require", "option sslmod is not known"),
        ("REDIS_URL", "http://h:6379", "must begin with redis://"),
        ("REDIS_URL", "redis:///0", "names no host"),
        ("REDIS_URL", "redis://h/first", "'first' is no database number"),
        ("FINOPS_CONFIG", "absent.yaml", "there is no file /srv/finops/absent.yaml"),
        ("FINOPS_DATA_DIR", __file__, "is a file; name a folder"),
        ("SECRET_KEY", "short", "too easily guessed"),
        ("SECRET_KEY", "a" * 60, "too easily guessed"),
        ("DEBUG", "on", "'on' is neither true nor false"),
        ("HOST", "127.0.0.1:8000", "is no host name and no address"),
        ("PORT", "0", "'0' is no port"),
        ("PORT", "65536", "is no port"),
        ("PORT", "８０", "is no port"),
        ("BASE_PATH", "/a/../b", "is no path"),
        ("BASE_PATH", "https://h/a", "is no path"),
        ("ALLOWED_HOSTS", "a.example,b.example:8000", "'b.example:8000' is no host name"),
        ("CSRF_TRUSTED_ORIGINS", "a.example", "'a.example' is no origin"),
        ("CSRF_TRUSTED_ORIGINS", "ftp://a.example", "is no origin"),
        ("CSRF_TRUSTED_ORIGINS", "https://a.example/", "is no origin"),
        ("TRUSTED_PROXIES", "10.0.0.0/33", "'10.0.0.0/33' is no network"),
        ("TRUSTED_PROXIES", "10.0.0.1/8", "is no network"),
        ("EMAIL_URL", "mail.example.com", "must begin with smtp://"),
        ("EMAIL_URL", "smtp://", "must name a host"),
        ("EMAIL_URL", "smtp://h:99999", "host or port cannot be read"),
        ("EMAIL_URL", "smtp://h?tls=1", "option tls is not known"),
        ("EMAIL_URL", "smtp://h?starttls=maybe", "'maybe' is neither true nor false"),
        ("EMAIL_URL", "file://mails", "must name a folder"),
    ],
)
def test_a_wrong_value_is_one_line_that_names_the_variable(name, value, why):
    with pytest.raises(Wrong) as refused:
        given(**{name: value})
    assert str(refused.value).startswith(f"{name}") and why in str(refused.value) and "\n" not in str(refused.value)


@pytest.mark.parametrize("url", ["mysql://u:secret@h/d", "postgresql://u:secret@h:x/d", "postgresql://u:secret@h/d?a=1"])
def test_a_password_is_never_shown(url):
    with pytest.raises(Wrong) as refused:
        given(DATABASE_URL=url)
    assert "secret" not in str(refused.value)


def test_only_here():
    assert given().only_here and given(HOST="localhost").only_here and given(HOST="::1").only_here
    assert not given(HOST="0.0.0.0").only_here
    assert not given(TRUSTED_PROXIES="127.0.0.1").only_here


def test_the_host_listened_on_is_allowed_and_every_address_is_not():
    assert "10.1.2.3" in given(HOST="10.1.2.3").allowed_hosts
    assert "0.0.0.0" not in given(HOST="0.0.0.0").allowed_hosts


def test_a_database_by_host_and_by_socket():
    found = database("postgresql://u:p%40ss@db.example:6432/finops?sslmode=require", name="DATABASE_URL")
    assert [found[key] for key in ("NAME", "USER", "PASSWORD", "HOST", "PORT")] == ["finops", "u", "p@ss", "db.example", "6432"]
    assert found["OPTIONS"] == {"connect_timeout": "10", "sslmode": "require"}
    found = database("postgresql://:5432/finops?host=%2Ftmp%2Fs&user=finops", name="DATABASE_URL")
    assert [found[key] for key in ("USER", "HOST", "PORT")] == ["finops", "/tmp/s", "5432"]


def test_the_cache_is_the_database_after_the_broker():
    found = redis("redis://:pw@h:6379/0", name="REDIS_URL")
    assert (found.broker, found.cache) == ("redis://:pw@h:6379/0", "redis://:pw@h:6379/1")
    found = redis("rediss://h", name="REDIS_URL")
    assert (found.broker, found.cache) == ("rediss://h/0", "rediss://h/1")
    found = redis("unix:///run/a%20b/s.sock?db=3", name="REDIS_URL")
    assert (found.broker, found.cache) == ("redis+socket:///run/a%20b/s.sock?virtual_host=3", "unix:///run/a%20b/s.sock?db=4")
