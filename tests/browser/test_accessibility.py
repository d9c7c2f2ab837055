"""axe-core finds nothing on any page, light and dark, wide and narrow. The library is vendored beside, for tests only."""

from pathlib import Path

import pytest

from tests.browser.reading import drawn, every

AXE = (Path(__file__).parent / "vendor" / "axe.min.js").read_text()
RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
RUN = """
const done = arguments[arguments.length - 1];
axe.run(document, {runOnly: arguments[0]}).then(found => done(found.violations.map(
    one => `${one.id} (${one.impact}): ${one.nodes.slice(0, 3).map(node => node.target.join(' ') + ' ' + node.any.map(a => a.message).join()).join(' | ')}`)))
"""

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize(
    ("address", "width", "theme"),
    [
        ("/", 1440, "light"),
        ("/", 1440, "dark"),
        ("/", 390, "light"),
        ("/", 390, "dark"),
        ("/?team=fraud&columns=all", 390, "light"),
        ("/?team=fraud&columns=all", 1440, "dark"),
        ("/?start=2026-11-02&end=2026-11-01", 390, "dark"),
        ("/?start=2020-01-01&end=2020-01-02", 1440, "light"),
    ],
)
def test_axe_finds_nothing(visitor, company, address, width, theme):
    size = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": False}
    visitor.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    visitor.add_cookie({"name": "theme", "value": theme, "path": "/"})
    visitor.get(company + address)
    if every(visitor, "#chart"):
        drawn(visitor)
    for drop in every(visitor, "details.how summary"):
        drop.click()
    violations = axe(visitor)
    visitor.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
    assert violations == []


def test_axe_finds_nothing_before_the_log_in(driver, company):
    driver.delete_all_cookies()
    driver.get(f"{company}/login/")
    assert axe(driver) == []


def axe(driver) -> list[str]:
    driver.execute_script(AXE)
    return driver.execute_async_script(RUN, RULES)
