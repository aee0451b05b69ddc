from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, BrowserContext, FilePayload, Page, expect, sync_playwright

CHROMIUM = Path("/usr/bin/chromium")
ARGUMENTS = (
    "--no-sandbox",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
OpenPage = Callable[..., Page]
CheckAccess = Callable[[Page], None]
BARRIERS = {"serious", "critical"}
WAIT_MS = 45_000
STORED = "local_storage,indexeddb,cache_storage,service_workers"

expect.set_options(timeout=WAIT_MS)


@pytest.fixture(scope="package")
def browser() -> Iterator[Browser]:
    """One Chromium for these tests: Debian's, or Playwright's own where there is none.

    It goes with the last of them: until then Playwright keeps an event loop running in this thread, in which no other
    test could run its own.
    """
    path = str(CHROMIUM) if CHROMIUM.exists() else None
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=path, args=list(ARGUMENTS))
        yield chromium
        chromium.close()


class Visitors:
    """Contexts of one browser. Each is used again, by another visitor, once nobody is in it: a new one would load and
    compile all of the app's code anew, which takes longer than most tests do besides."""

    def __init__(self, browser: Browser) -> None:
        self._browser = browser
        self._free: dict[str, list[BrowserContext]] = {}

    def come(self, locale: str) -> BrowserContext:
        """A context that nothing is left in of whoever was there before: no cookie, nothing stored, no permission."""
        free = self._free.setdefault(locale, [])
        if free:
            return free.pop()
        return self._browser.new_context(locale=locale, accept_downloads=True, reduced_motion="reduce")

    def go(self, locale: str, context: BrowserContext, url: str) -> None:
        """The visitor has gone, with all pages and all that the pages of ``url`` have stored."""
        first, *others = context.pages or [context.new_page()]
        for page in others:
            page.close()
        context.new_cdp_session(first).send("Storage.clearDataForOrigin", {"origin": url, "storageTypes": STORED})
        first.close()
        context.clear_cookies()
        context.clear_permissions()
        self._free[locale].append(context)


@pytest.fixture(scope="package")
def visitors(browser: Browser) -> Visitors:
    """The browser's visitors."""
    return Visitors(browser)


@pytest.fixture
def open_page(visitors: Visitors, embedded_server: str) -> Iterator[OpenPage]:
    """Opens the app as a new visitor; at the end of the test, no page may have written an error to its console."""
    complaints: list[str] = []
    here: list[tuple[str, BrowserContext]] = []

    def visit(path: str = "/", *, locale: str = "en-US", width: int = 1280, height: int = 900) -> Page:
        context = visitors.come(locale)
        here.append((locale, context))
        page = context.new_page()
        page.set_viewport_size({"width": width, "height": height})
        page.set_default_timeout(WAIT_MS)
        page.on("console", lambda said: complaints.append(said.text) if said.type == "error" else None)
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.goto(embedded_server + path)
        page.wait_for_selector('[data-testid="stMainBlockContainer"]')
        return page

    yield visit
    for locale, context in here:
        visitors.go(locale, context, embedded_server)
    assert complaints == []


@pytest.fixture(scope="session")
def axe() -> CheckAccess:
    """Fails where axe-core finds a serious or critical barrier in the page as it is now, shadow trees included."""
    checker = Axe()

    def check(page: Page) -> None:
        found = checker.run(page).response["violations"]
        told = [
            f"{one['id']} ({one['impact']}): {one['help']}\n    {node['target']}\n    {node['html'][:300]}"
            for one in found
            if one["impact"] in BARRIERS
            for node in one["nodes"]
        ]
        assert not told, "\n".join(told)

    return check


def upload(page: Page, name: str, data: bytes) -> None:
    """Put a file into the drop zone and wait until it has arrived and the page offers what to do with it."""
    file: FilePayload = {"name": name, "mimeType": "application/octet-stream", "buffer": data}
    page.locator(".zone input.pick").set_input_files(file)
    expect(page.locator(".zone .file").filter(has_text=name)).to_have_attribute("data-state", "done")
    expect(page.locator(".st-key-actions")).to_be_visible()
