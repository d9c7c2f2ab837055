"""The overview as a person meets it: clicks, keys, Back, narrow pages, no scripts."""

from decimal import Decimal as D

import pytest
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

from tests.browser.reading import complaints, drawn, every, one, open_page, swapped, until
from tests.integration.reports.tables import Tables, number

pytestmark = pytest.mark.django_db


@pytest.fixture
def narrow(visitor):
    size = {"width": 390, "height": 844, "deviceScaleFactor": 1, "mobile": False}
    visitor.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    yield visitor
    visitor.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


@pytest.fixture
def scriptless(visitor):
    visitor.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": True})
    yield visitor
    visitor.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": False})


def heading(driver) -> str:
    return one(driver, "h1").text


@pytest.mark.parametrize("address", ["/", "/?window=30d", "/?window=mtd&by=node_pool", "/?team=fraud", "/?window=lastmonth&chart=use&by=job"])
def test_the_console_is_silent_and_the_chart_drawn(visitor, company, address):
    open_page(visitor, company + address)
    assert complaints(visitor) == []


def test_a_window_pushes_its_address_and_back_returns(visitor, company):
    open_page(visitor, company)
    week = one(visitor, ".answer").text
    swapped(visitor, one(visitor, "#window-2").click, to=lambda url: "window=30d" in url, what="30 days")
    assert one(visitor, "#window-2").get_attribute("aria-current") == "true"
    assert one(visitor, ".answer").text != week
    visitor.back()
    until(visitor, lambda d: one(d, ".answer").text == week, what="the week's answer")
    drawn(visitor)
    assert "window=" not in visitor.current_url
    assert complaints(visitor) == []


def test_down_to_jobs_and_back_by_the_crumb(visitor, company):
    open_page(visitor, company)
    link = visitor.find_element(By.LINK_TEXT, "fraud")
    swapped(visitor, link.click, to=lambda url: "team=fraud" in url, what="the team")
    assert heading(visitor) == "fraud"
    assert visitor.title.startswith("fraud · ")
    assert "fraud/txn-graph-embed" in one(visitor, "#table").text
    assert "vision" not in one(visitor, "#table").text
    swapped(visitor, one(visitor, "#crumb").click, to=lambda url: "team=" not in url, what="no team")
    assert heading(visitor) == "Overview"
    assert complaints(visitor) == []


def test_names_are_text_whatever_they_hold(visitor, company):
    open_page(visitor, f"{company}/?team=platform")
    assert "platform/<img src=x onerror=alert(1)>" in one(visitor, "#table").text


def test_sorting_stays_on_the_page(visitor, company):
    open_page(visitor, company)
    swapped(visitor, one(visitor, "#sort-efficiency").click, to=lambda url: "sort=-efficiency" in url, what="a falling sort")
    assert one(visitor, "#sort-efficiency").find_element(By.XPATH, "..").get_attribute("aria-sort") == "descending"
    shown = [cell.text for cell in every(visitor, "#table tr.item td:nth-child(9)")]
    ratios = [number(text) for text in shown if text != "\u2013"]
    assert len(ratios) == 9 and ratios == sorted(ratios, reverse=True)
    swapped(visitor, one(visitor, "#sort-efficiency").click, to=lambda url: "sort=efficiency" in url, what="a rising sort")
    again = [number(cell.text) for cell in every(visitor, "#table tr.item td:nth-child(9)")]
    assert again == sorted(again)


def test_filters_are_chips_and_can_be_taken_off(visitor, company):
    open_page(visitor, company)
    one(visitor, ".add summary").click()
    one(visitor, ".add option[value=node_pool]").click()
    one(visitor, ".add input[name=add_value]").send_keys("t4-inf")
    swapped(visitor, one(visitor, ".add button").click, to=lambda url: "node_pool=t4-inf" in url and "add_" not in url, what="a pool")
    assert "Node pool is t4-inf" in one(visitor, ".chip").text
    swapped(visitor, one(visitor, ".chip a").click, to=lambda url: "node_pool" not in url, what="no pool")
    assert every(visitor, ".chip") == []


def test_the_table_adds_up_and_is_what_the_api_says(visitor, company):
    open_page(visitor, f"{company}/?by=team")
    lines = {cells[0]: cells for table in Tables(visitor.page_source).tables if table[0][-1] == "per allocated GPU-h" for cells in table[1:]}
    sums = ("Allocated", "Capacity")
    parts = [number(cells[1]) for name, cells in lines.items() if name not in sums]
    assert sum(parts) == number(lines["Capacity"][1])
    assert sum(parts) - number(lines["Unallocated"][1]) == number(lines["Allocated"][1])
    total = api_total(visitor, company)
    assert number(lines["Capacity"][1]) == round(D(total["cost"]), 2)
    assert f"CHF\u00a0{round(D(total['cost']), 2):,}" in one(visitor, ".answer").get_attribute("textContent")


def api_total(driver, company: str) -> dict:
    ends = [driver.execute_script(f"return document.querySelector('input[name={name}]').value") for name in ("start", "end")]
    answer = driver.execute_async_script(
        "const done = arguments[arguments.length - 1]; fetch(arguments[0]).then(r => r.json()).then(done)",
        f"{company}/api/v1/costs?start={ends[0]}&end={ends[1]}&group_by=team",
    )
    return answer["total"]


def test_dark_is_kept_and_repaints_the_chart(visitor, company):
    open_page(visitor, company)
    ground = "return getComputedStyle(document.body).backgroundColor"
    bar = "return getComputedStyle(document.querySelector('#chart .barlayer .point path')).fill"
    light = visitor.execute_script(ground), visitor.execute_script(bar)
    one(visitor, ".theme button[value=dark]").click()
    until(visitor, lambda d: d.execute_script(ground) == "rgb(15, 20, 24)", what="the dark ground")
    until(visitor, lambda d: d.execute_script(bar) != light[1], what="the chart's dark colours")
    until(visitor, lambda d: (d.get_cookie("theme") or {}).get("value") == "dark", what="the cookie")
    open_page(visitor, company)
    assert one(visitor, "html").get_attribute("data-theme") == "dark"
    assert visitor.execute_script(ground) == "rgb(15, 20, 24)"
    assert complaints(visitor) == []


@pytest.mark.parametrize("address", ["/", "/?team=fraud", "/?columns=all", "/?by=job&rows=all&window=lastmonth"])
def test_a_narrow_page_does_not_scroll_sideways(narrow, company, address):
    open_page(narrow, company + address)
    assert narrow.execute_script("return document.documentElement.scrollWidth") <= 390
    over = "return [...document.querySelectorAll('main *')].filter(e => !e.closest('.scroll, svg, .chart') && e.getBoundingClientRect().right > 391).map(e => e.outerHTML.slice(0, 80))"
    assert narrow.execute_script(over) == []


def test_a_narrow_page_has_a_menu_and_all_columns(narrow, company):
    open_page(narrow, company)
    assert not one(narrow, "#places").is_displayed()
    one(narrow, "#menu").click()
    assert one(narrow, "#places").is_displayed()
    assert one(narrow, "#menu").get_attribute("aria-expanded") == "true"
    assert not one(narrow, "#sort-idle").is_displayed()
    swapped(narrow, one(narrow, "#all-columns").click, to=lambda url: "columns=all" in url, what="all columns")
    assert one(narrow, "#sort-idle").is_displayed()
    assert one(narrow, "#legend").text.split("\n")[0] == "fraud"


def test_keys_reach_every_main_control(visitor, company):
    open_page(visitor, company)
    seen = []
    for _ in range(60):
        one(visitor, "html").send_keys(Keys.TAB) if not seen else visitor.switch_to.active_element.send_keys(Keys.TAB)
        focused = visitor.switch_to.active_element
        seen.append(focused.get_attribute("id") or focused.get_attribute("class") or focused.tag_name)
        assert visitor.execute_script("return getComputedStyle(document.activeElement).outlineStyle") != "none", seen[-1]
        if seen[-1] == "sort-per_allocated":
            break
    assert seen[0] == "skip"
    wanted = ["window-1", "window-4", "chart-2", "row-1", "download", "sort-name", "sort-cost", "sort-per_allocated"]
    assert [name for name in seen if name in wanted] == wanted
    swapped(visitor, lambda: visitor.switch_to.active_element.send_keys(Keys.ENTER), to=lambda url: "sort=-per_allocated" in url, what="a sort")
    assert visitor.switch_to.active_element.get_attribute("id") == "sort-per_allocated", "the focus stays where it was"


def test_without_scripts_links_and_forms_do(scriptless, company):
    scriptless.get(company)
    assert "The chart needs JavaScript" in one(scriptless, "noscript").text
    one(scriptless, "#window-2").click()
    until(scriptless, lambda d: "window=30d" in d.current_url, what="30 days")
    scriptless.find_element(By.LINK_TEXT, "fraud").click()
    until(scriptless, lambda d: heading(d) == "fraud" and "window=30d" in d.current_url, what="the team")
    one(scriptless, ".theme button[value=dark]").click()
    until(scriptless, lambda d: one(d, "html").get_attribute("data-theme") == "dark", what="the dark page")
    assert "team=fraud" in scriptless.current_url


def test_a_session_that_ended_leads_to_the_log_in(visitor, company):
    open_page(visitor, company)
    visitor.delete_cookie("sessionid")
    one(visitor, "#window-2").click()
    until(visitor, lambda d: every(d, "#id_login"), what="the log-in")


def test_a_refused_window_is_named_in_place(visitor, company):
    visitor.get(f"{company}/?start=2026-11-02&end=2026-11-01")
    assert "is not after start" in one(visitor, ".refused").text
    assert one(visitor, "#window-1").is_displayed()


def test_the_font_comes_from_here(visitor, company):
    open_page(visitor, company)
    assert visitor.execute_script("return document.fonts.check('14px Inter') && [...document.fonts].some(f => f.status === 'loaded')")
    hosts = visitor.execute_script("return performance.getEntriesByType('resource').map(e => new URL(e.name).origin)")
    assert set(hosts) == {company}
