"""A reader who closes the page, and one who reloads it."""

from __future__ import annotations

import re
import time
from pathlib import Path

import httpx
import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from mineru_core.ui.i18n import Translator
from tests.browser.conftest import WAIT_MS, upload
from tests.documents import table_pdf
from tests.servers import serve_process, workbench_environment

pytestmark = pytest.mark.browser

EN = Translator("en")
AWAY_S = 4.0  # a reload takes less
CANCELLED = re.compile(r'^mineru_workbench_failures_total\{code="cancelled"\} (\S+)$', re.M)


def reading_page(context: BrowserContext, url: str) -> Page:
    """A page of a new visitor, whose document is being read."""
    page = context.new_page()
    page.set_default_timeout(WAIT_MS)
    page.goto(url)
    upload(page, "note.pdf", table_pdf())
    page.get_by_role("button", name=EN("wishes.everything")).click()
    expect(page.get_by_role("button", name=EN("progress.cancel"))).to_be_visible()
    return page


def cancelled(url: str) -> float:
    found = CANCELLED.search(httpx.get(f"{url}/metrics").text)
    return float(found[1]) if found else 0.0


def test_a_closed_page_ends_its_job_and_a_reloaded_one_does_not(browser: Browser, tmp_path: Path) -> None:
    environment = workbench_environment(
        tmp_path,
        tmp_path / "models",
        ENGINE__NAME="echo",
        ENGINE__ECHO_DELAY_S="600",
        ENGINE__DEADLINE_S="600",
        JOBS__DEPARTURE_S=str(AWAY_S),
    )
    stays, goes = browser.new_context(locale="en-US"), browser.new_context(locale="en-US")
    try:
        with serve_process(environment) as url:
            page, left = reading_page(stays, url), reading_page(goes, url)
            page.reload()
            left.close()
            until = time.monotonic() + 10 * AWAY_S
            while cancelled(url) == 0 and time.monotonic() < until:
                page.wait_for_timeout(250)  # another process's counter has no event to wait for
            assert cancelled(url) == 1
            expect(page.get_by_role("button", name=EN("progress.cancel"))).to_be_visible()
            back = goes.new_page()
            back.goto(url)
            back.locator(".st-key-history").get_by_role("button").first.click()
            expect(back.get_by_text(EN("job.cancelled"))).to_be_visible()
    finally:
        stays.close()
        goes.close()
