"""A real browser against the live server, with a company in a real database. Skipped where no Chromium is found."""

import os
import shutil
from collections.abc import Iterator
from datetime import UTC, datetime

import pytest
from django.contrib.auth.models import Group, User
from django.contrib.sessions.models import Session
from django.db import connection
from pytest_django.live_server_helper import LiveServer
from selenium import webdriver
from selenium.webdriver.chrome.options import Options
from selenium.webdriver.chrome.service import Service

from finops.models import Cluster, Setting
from reports.models import ApiToken, Membership, TeamColour
from tests.browser.reading import every, until
from tests.integration.reports.company import open_company

FLAGS = (
    "--headless=new --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking "
    "--disable-component-update --disable-sync --disable-dev-shm-usage --force-prefers-reduced-motion"
).split()
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
DRIVER = shutil.which("chromedriver")
PASSWORD = "a-browser-of-three"
FILLED = "ledger_hour, ledger_day, holding, collection_window, finding"


@pytest.fixture(scope="module")
def company(driver, django_db_setup, django_db_blocker) -> Iterator[str]:
    """The company and its people, kept for a module's tests and gone after them; → the live server's address.

    Committed, since the server reads it from threads of its own. Tests are marked django_db, or there is no test database.
    """
    with django_db_blocker.unblock():
        assert connection.settings_dict["NAME"].startswith("test_"), "only a test database may be filled and emptied"
        server = LiveServer("localhost")
        try:
            _people()
            open_company(datetime.now(UTC))
            yield server.url
        finally:
            server.stop()
            _empty()


def _people() -> None:
    frances = User.objects.create_user("frances", password=PASSWORD)
    frances.groups.add(Group.objects.create(name="finance"))
    lena = User.objects.create_user("lena", password=PASSWORD)
    Membership.objects.create(user=lena, team="fraud", role="lead")


def _empty() -> None:
    for model in (Session, ApiToken, Membership, TeamColour, Cluster, Setting, User, Group):
        model.objects.all().delete()
    with connection.cursor() as cursor:
        cursor.execute(f"truncate {FILLED}")


@pytest.fixture(scope="session")
def driver(tmp_path_factory) -> Iterator[webdriver.Chrome]:
    if not CHROMIUM or not DRIVER:
        pytest.skip("no Chromium with its chromedriver is installed: apt-get install chromium chromium-driver")
    options = Options()
    options.binary_location = CHROMIUM
    for flag in (*FLAGS, f"--user-data-dir={tmp_path_factory.mktemp('profile')}"):
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    # HOME may not be writable where the tests run; the driver is named, so that nothing is fetched.
    browser = webdriver.Chrome(options=options, service=Service(DRIVER, env=os.environ | {"HOME": str(tmp_path_factory.mktemp("home"))}))
    browser.set_page_load_timeout(60)
    try:
        yield browser
    finally:
        browser.quit()


@pytest.fixture
def visitor(driver, company) -> "Iterator[webdriver.Chrome]":
    """The browser, logged in as one who sees all, on a wide page with the system's colours."""
    driver.get(f"{company}/login/")
    driver.delete_all_cookies()
    driver.set_window_size(1440, 1000)
    log_in(driver, company, "frances")
    driver.get_log("browser")
    yield driver


def log_in(driver: webdriver.Chrome, address: str, name: str) -> None:
    driver.get(f"{address}/login/?next=/")
    driver.find_element("name", "login").send_keys(name)
    driver.find_element("name", "password").send_keys(PASSWORD)
    driver.find_element("css selector", "button.primary").click()
    until(driver, lambda d: every(d, "#frame h1"), what="the page behind the log-in")
