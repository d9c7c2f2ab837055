"""Waiting for a page and reading it, as tests of the browser do."""

from collections.abc import Callable

from selenium import webdriver
from selenium.webdriver.common.by import By
from selenium.webdriver.remote.webelement import WebElement
from selenium.webdriver.support.ui import WebDriverWait

SECONDS = 15
BARS = "return document.querySelectorAll('#chart .barlayer .trace').length"


def one(driver: webdriver.Chrome, selector: str) -> WebElement:
    return driver.find_element(By.CSS_SELECTOR, selector)


def every(driver: webdriver.Chrome, selector: str) -> list[WebElement]:
    return driver.find_elements(By.CSS_SELECTOR, selector)


def until(driver: webdriver.Chrome, holds: Callable[[webdriver.Chrome], object], *, what: str) -> None:
    WebDriverWait(driver, SECONDS, ignored_exceptions=(Exception,)).until(holds, message=f"waited {SECONDS} s for {what}")


def drawn(driver: webdriver.Chrome) -> None:
    until(driver, lambda d: d.execute_script(BARS) > 1, what="the chart's bars")


def open_page(driver: webdriver.Chrome, address: str) -> None:
    driver.get(address)
    drawn(driver)
    driver.execute_script("window.sameDocument = true")


def swapped(driver: webdriver.Chrome, act: Callable[[], None], *, to: Callable[[str], bool], what: str) -> None:
    """`act` changes the address by a swap: the document stays, and its chart is drawn again."""
    act()
    until(driver, lambda d: to(d.current_url), what=f"an address with {what}")
    until(driver, lambda d: not every(d, ".htmx-request, .htmx-swapping, .htmx-settling"), what="the swap to end")
    drawn(driver)
    assert driver.execute_script("return window.sameDocument") is True, "the page was loaded anew"


def complaints(driver: webdriver.Chrome) -> list[str]:
    """What the console says since it was last asked: errors, warnings and breaches of the policy alike."""
    return [entry["message"] for entry in driver.get_log("browser") if entry["level"] in ("SEVERE", "WARNING")]
