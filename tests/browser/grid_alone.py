"""The grid editor alone in a page, with the test in the server's place."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from typing import Any

from playwright.sync_api import Browser, Locator, Page, Route, expect

from mineru_core.api.grid_data import table_columns
from mineru_core.document.table import Table
from mineru_core.ui.components.grid_editor import SCRIPT, GridEditor, grid_words
from mineru_core.ui.i18n import Translator
from mineru_core.ui.setup import asset
from tests.browser import alone

EN = Translator("en")
SMALL = Table.from_rows([["a", "b"], ["c", "d"], ["e", "f"]])
Give = Callable[..., None]


@dataclass
class Server:
    """What is given out as the table, and what was asked for."""

    table: Table = SMALL
    version: int = 0
    broken: bool = False
    asked: list[str] = field(default_factory=list)

    def answer(self, route: Route) -> None:
        path = route.request.url.removeprefix(f"{alone.ORIGIN}/")
        if not path.startswith("ui/data/"):
            route.fulfill(status=404)
            return
        self.asked.append(path)
        if self.broken:
            route.fulfill(status=503, body="{}")
        else:
            route.fulfill(json=table_columns(self.table, self.version))


@contextmanager
def grid_alone(browser: Browser, server: Server) -> Iterator[Page]:
    """A page with the editor's code and its place; no error may come up in it."""
    body = '<button>before</button><main style="width: 600px"><div class="editor"></div></main>'
    style = asset("grid_editor.css")
    with alone.component_page(
        browser, script=SCRIPT, style=style, body=body, serve=server.answer, refuses=True, has_touch=True
    ) as page:
        page.clock.install()
        page.evaluate("window.places = []")
        page.evaluate('document.addEventListener("workbench:place", ({ detail }) => window.places.push(detail))')
        yield page


def give_to(page: Page, server: Server) -> Give:
    """What tells the editor what a run of the app tells it, and waits until it shows the table."""

    def give(shown: Table | None = None, version: int | None = None, *, label: str = "Table 1", **answer: Any) -> None:
        server.table = server.table if shown is None else shown
        server.version = server.version if version is None else version
        editor = GridEditor(
            job="job-1", place="2.0", version=server.version, label=label, words=grid_words(EN), **answer
        )
        alone.mount(page, asdict(editor))
        if not server.broken:
            expect(page.get_by_role("grid")).to_be_visible()

    return give


def cell(page: Page, row: int, col: int) -> Locator:
    return page.locator(f'[data-place="{row},{col}"]')


def write(page: Page, row: int, col: int, text: str) -> None:
    cell(page, row, col).click()
    page.keyboard.type(text)
    page.keyboard.press("Enter")


def text_set(row: int, col: int, text: str) -> dict[str, Any]:
    return {"op": "set-text", "row": row, "col": col, "text": text}


def sent(page: Page) -> list[dict[str, Any]]:
    return alone.sent(page, "edits")


def kept(page: Page) -> Locator:
    """Texts that are on the tray, since they could not be put where they were typed."""
    return page.locator(".tray li .text")
