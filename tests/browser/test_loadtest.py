"""A load test in a real browser: run, watch, stop, compare, download."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from mineru_core.ui.i18n import Translator
from tests.browser.conftest import WAIT_MS, CheckAccess, Visitors

pytestmark = [pytest.mark.browser, pytest.mark.timeout(300)]  # three runs, on a machine that may be busy

EN, ZH = Translator("en"), Translator("zh")
RUN_MS = 120_000
MOVED = """([title, seen]) => [...document.querySelectorAll(".st-key-load_live [data-testid='stMetric']")]
    .map((tile) => tile.innerText.trim().split("\\n"))
    .some((lines) => lines[0] === title && parseInt(lines.at(-1)) !== seen)"""
STILL = """() => !document.querySelector("[data-stale='true'], [data-testid='stStatusWidget']")
    && document.getAnimations().every((one) => one.playState !== "running")"""

Visit = Callable[[str, int], Page]


@pytest.fixture
def open_page(visitors: Visitors, echo_server: str) -> Iterator[Visit]:
    """Opens the page by its address. Its console is not looked at: Streamlit first asks for its own routes below a
    page's address, where they are not."""
    here: list[tuple[str, BrowserContext]] = []

    def visit(locale: str, width: int) -> Page:
        context = visitors.come(locale)
        here.append((locale, context))
        page = context.new_page()
        page.set_viewport_size({"width": width, "height": 900})
        page.set_default_timeout(WAIT_MS)
        page.goto(f"{echo_server}/loadtest")
        expect(page.locator(".st-key-load_runs")).to_be_visible()
        return page

    yield visit
    for locale, context in here:
        visitors.go(locale, context, echo_server)


def start(page: Page, t: Translator, name: str, seconds: int) -> None:
    page.get_by_label(t("load.seconds"), exact=True).fill(str(seconds))
    page.get_by_label(t("load.name"), exact=True).fill(name)
    page.get_by_label(t("load.name"), exact=True).press("Tab")
    page.get_by_role("button", name=t("load.start")).click()
    expect(page.get_by_role("button", name=t("load.stop"))).to_be_enabled()


def answers(page: Page, t: Translator) -> int:
    """Answers of the run on its way; -1 before there is a tile."""
    title = t("load_figure.answers")
    shown = page.locator(".st-key-load_live [data-testid='stMetric']").filter(has=page.get_by_text(title, exact=True))
    value = shown.locator("[data-testid='stMetricValue']")
    return int(value.first.inner_text()) if value.count() else -1


def choose(page: Page, side: str, name: str) -> None:
    field = page.locator(f".st-key-{side} input")
    field.click()
    field.fill(name)
    page.get_by_role("option").filter(has_text=f"{name} ·").click()
    expect(page.locator(f".st-key-{side}")).to_contain_text(f"{name} ·")
    page.keyboard.press("Escape")


def check(page: Page, axe: CheckAccess) -> None:
    """Once the page stands still: it is paler while it changes."""
    page.wait_for_function(STILL)
    axe(page)


@pytest.mark.parametrize("seconds", [2, pytest.param(20, marks=pytest.mark.long)])
def test_runs_are_watched_compared_and_downloaded(
    open_page: Visit, axe: CheckAccess, tmp_path: Path, seconds: int
) -> None:
    page = open_page("en-US", 1280)
    page.get_by_text(EN("load_where.this"), exact=True).click()
    names = [f"first {seconds}", f"second {seconds}"]
    for name in names:
        start(page, EN, name, seconds)
        expect(page.locator(".st-key-load_live [data-testid='stMetric']").first).to_be_visible(timeout=RUN_MS)
        page.wait_for_function(MOVED, arg=[EN("load_figure.answers"), answers(page, EN)], timeout=RUN_MS)
        expect(page.locator(".st-key-load_shown input")).to_have_value(re.compile(f"^{name} ·"), timeout=RUN_MS)
    check(page, axe)
    for side, name in zip(("load_a", "load_b"), names, strict=True):
        choose(page, side, name)
    compared = page.locator(".st-key-load_runs table")
    expect(compared.get_by_role("row").filter(has_text=EN("load_figure.throughput"))).to_be_visible()
    with page.expect_download() as report:
        page.locator(".st-key-load_html_chosen button").click()
    report.value.save_as(tmp_path / "report.html")
    text = (tmp_path / "report.html").read_text("utf-8")
    assert all(words in text for words in ("Before and after", *names))
    check(page, axe)


def test_a_run_is_stopped_at_once_on_a_phone(open_page: Visit) -> None:
    page = open_page("zh-CN", 390)
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    start(page, ZH, "停", 60)
    expect(page.locator(".st-key-load_live [data-testid='stMetric']").first).to_be_visible(timeout=RUN_MS)
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    page.get_by_role("button", name=ZH("load.stop")).click()
    expect(page.get_by_text(ZH("load.stopped"))).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth") <= 390


def test_whoever_reads_documents_is_told_of_one_and_finds_the_way(open_page: Visit, echo_server: str) -> None:
    page = open_page("en-US", 1280)
    start(page, EN, "", 60)
    reader = page.context.new_page()
    reader.goto(echo_server)
    expect(reader.get_by_text(EN("load.banner"))).to_be_visible()
    page.get_by_role("button", name=EN("load.stop")).click()
    expect(reader.get_by_text(EN("load.banner"))).to_be_hidden()
    reader.get_by_role("link", name=EN("load.title")).click()
    expect(reader.locator(".st-key-load_controls")).to_be_visible()
    reader.get_by_role("link", name=EN("load.back")).click()
    expect(reader.locator(".st-key-screen_first")).to_be_visible()
