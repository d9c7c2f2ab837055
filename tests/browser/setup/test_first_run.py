"""From an empty installation to the first figures, in the browser, with a worker that comes late and an address that is wrong at first."""

import os
from datetime import UTC, datetime, timedelta
from pathlib import Path

from selenium.webdriver.common.by import By
from selenium.webdriver.support.ui import WebDriverWait

from tests.browser.test_accessibility import axe

from .conftest import PASSWORD, free_port

SHOTS = os.environ.get("FIRST_RUN_SHOTS")  # a folder for pictures of every step, for whoever wants to look


class Visit:
    def __init__(self, driver, address: str) -> None:
        self.driver, self.address, self.seen = driver, address, 0

    def see(self, text: str, *, seconds: float = 20) -> None:
        """Waits for the text, then checks the page: nothing refused by the policy, nothing too wide, axe finds nothing."""
        WebDriverWait(self.driver, seconds, poll_frequency=0.2, ignored_exceptions=[Exception]).until(
            lambda driver: text in driver.find_element(By.TAG_NAME, "main").text, f"no {text!r}")  # fmt: skip
        self.seen += 1
        self._check("light", 1440)
        self._check("dark", 390)
        assert [row for row in self.driver.get_log("browser") if "Content Security Policy" in row["message"]] == []

    def _check(self, theme: str, width: int) -> None:
        """Colours are changed in place: a reload would lose what was typed."""
        size = {"width": width, "height": 1000, "deviceScaleFactor": 1, "mobile": False}
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
        self.driver.execute_script("document.documentElement.dataset.theme = arguments[0]", theme)
        if SHOTS:
            self.driver.save_screenshot(str(Path(SHOTS) / f"{self.seen:02d}-{theme}-{width}.png"))
        wide = self.driver.execute_script("return document.documentElement.scrollWidth - document.documentElement.clientWidth")
        violations = axe(self.driver)
        self.driver.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
        assert wide <= 0, f"page {self.seen} is {wide} px too wide for {width}"
        assert violations == [], f"page {self.seen}, {theme}, {width}"

    def type(self, name: str, text: str) -> None:
        field = self.driver.find_element(By.NAME, name)
        field.clear()
        field.send_keys(text)

    def press(self, text: str) -> None:
        self._click(f"//button[normalize-space()='{text}']")

    def follow(self, text: str) -> None:
        self._click(f"//main//a[normalize-space()='{text}']")

    def _click(self, path: str) -> None:
        element = self.driver.find_element(By.XPATH, path)
        self.driver.execute_script("arguments[0].scrollIntoView({block: 'center'})", element)
        element.click()


def test_first_run(driver, installation, recent_prometheus) -> None:
    visit = Visit(driver, installation.url)
    driver.set_window_size(1440, 1000)
    driver.get(f"{installation.url}/login/")
    visit.type("login", "ada")
    visit.type("password", PASSWORD)
    visit.press("Log in")
    visit.see("No cluster has delivered data yet")

    visit.follow("Connect a cluster")
    visit.see("Where are the samples?")
    visit.type("url", "prometheus:9090")
    visit.press("Examine this source")
    visit.see("is not an http or https address")
    visit.type("url", f"http://127.0.0.1:{free_port()}")
    visit.press("Examine this source")
    visit.see("No worker has taken this up", seconds=30)
    installation.start_worker()
    visit.see("connection failed", seconds=60)

    visit.follow("Change the address")
    visit.type("url", recent_prometheus)
    visit.press("Examine this source")
    visit.see("7 clusters answer behind this address", seconds=60)
    driver.find_element(By.XPATH, "//option[.='team_by_pod_label']").click()
    visit.press("Examine this cluster")
    visit.see("It knows 4 GPUs on 1 node; 3 pods held GPUs in the last hour.", seconds=60)

    visit.type("name", "eks")
    visit.type("timezone", "Europe/Zurich")
    visit.press("Collect from this source")
    visit.see("Load on the source", seconds=60)
    visit.see("complete", seconds=120)

    driver.get(f"{installation.url}/setup/teams")
    visit.see("are unassigned.")
    visit._click("//button[@aria-label='Its value is the team: Namespace label team']")
    visit.see("These rules give 1 team their GPU time")
    visit._click("//button[normalize-space()='Team of that name']")
    visit.see("Namespace elsewhere: team elsewhere")
    visit.press("Save these rules")
    visit.see("Saved; the hours collected so far are being accounted again.")

    visit.follow("Next: prices")
    visit.see("1 of 1 kinds of GPU have no price")
    visit.type("price-0", "3.80")
    visit.press("Save these prices")
    visit.see("has a price.")

    today = datetime.now(UTC).date()
    page = f"{installation.url}/?start={today - timedelta(days=1)}&end={today + timedelta(days=1)}"

    def priced(_) -> bool:
        driver.get(page)
        text = driver.find_element(By.TAG_NAME, "main").text
        return "platform" in text and "elsewhere" in text and "cost CHF" in text.replace("\u00a0", " ")

    WebDriverWait(driver, 60, poll_frequency=1).until(priced)
