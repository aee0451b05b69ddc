"""Chromium for the benchmarks: Debian's, or Playwright's own where there is none."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import Browser, sync_playwright

_INSTALLED = Path("/usr/bin/chromium")
_ARGUMENTS = ("--no-sandbox", "--disable-background-networking", "--disable-component-update", "--disable-sync")


@contextmanager
def chromium() -> Iterator[Browser]:
    """A browser for the length of the block, which fetches nothing by itself."""
    path = str(_INSTALLED) if _INSTALLED.exists() else None
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=list(_ARGUMENTS))
        yield browser
        browser.close()
