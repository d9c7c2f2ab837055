"""A real browser. Skipped where no Chromium is found."""

import os
import shutil
from collections.abc import Iterator

import pytest
from selenium import webdriver
from selenium.webdriver.chrome.options import Options
from selenium.webdriver.chrome.service import Service

FLAGS = (
    "--headless=new --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking "
    "--disable-component-update --disable-sync --disable-dev-shm-usage --force-prefers-reduced-motion"
).split()
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
DRIVER = shutil.which("chromedriver")


@pytest.fixture(scope="session")
def driver(tmp_path_factory) -> Iterator[webdriver.Chrome]:
    if not CHROMIUM or not DRIVER:
        pytest.skip("no Chromium with its chromedriver is installed: apt-get install chromium chromium-driver")
    options = Options()
    options.binary_location = CHROMIUM
    for flag in (*FLAGS, f"--user-data-dir={tmp_path_factory.mktemp('profile')}"):
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    browser = webdriver.Chrome(options=options, service=Service(DRIVER, env=os.environ | {"HOME": str(tmp_path_factory.mktemp("home"))}))
    browser.set_page_load_timeout(60)
    try:
        yield browser
    finally:
        browser.quit()
