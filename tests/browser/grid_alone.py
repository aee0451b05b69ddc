"""The grid editor alone in a page, with the test in the server's place."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from typing import Any

from playwright.sync_api import Browser, Locator, Page, Route, expect

from mineru_core.api.grid_data import table_columns
from mineru_core.document.table import Table
from mineru_core.ui.components.grid_editor import CODE, GridEditor, grid_words
from mineru_core.ui.i18n import Translator
from mineru_core.ui.setup import asset

EN = Translator("en")
ORIGIN = "http://grid.test/"
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
        path = route.request.url.removeprefix(ORIGIN)
        if path.startswith("ui/data/"):
            self.asked.append(path)
            if self.broken:
                route.fulfill(status=503, body="{}")
            else:
                route.fulfill(json=table_columns(self.table, self.version))
        elif path == "":
            style = f"<style>{asset('grid_editor.css')}</style>"
            place = '<button>before</button><main style="width: 600px"><div class="editor"></div></main>'
            route.fulfill(content_type="text/html", body=f"<!doctype html>{style}{place}")
        else:
            route.fulfill(status=404)


@contextmanager
def grid_alone(browser: Browser, server: Server) -> Iterator[Page]:
    """A page with the editor's code and its place; no error may come up in it."""
    page = browser.new_page(has_touch=True)
    complaints: list[str] = []
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.clock.install()
    page.route(f"{ORIGIN}**", server.answer)
    page.goto(ORIGIN)
    page.add_script_tag(content=CODE.replace("export default function", "window.mount = function"))
    page.evaluate("window.sent = []; window.places = []")
    page.evaluate('document.addEventListener("workbench:place", ({ detail }) => window.places.push(detail))')
    yield page
    page.close()
    assert complaints == []


def give_to(page: Page, server: Server) -> Give:
    """What tells the editor what a run of the app tells it, and waits until it shows the table."""

    def give(shown: Table | None = None, version: int | None = None, *, label: str = "Table 1", **answer: Any) -> None:
        server.table = server.table if shown is None else shown
        server.version = server.version if version is None else version
        page.evaluate(
            """(data) => mount({
              data,
              parentElement: document.querySelector("main"),
              setTriggerValue: (_, value) => window.sent.push(value),
            })""",
            asdict(GridEditor("job-1", "2.0", server.version, label, grid_words(EN), **answer)),
        )
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
    return page.evaluate("window.sent")


def kept(page: Page) -> Locator:
    """Texts that are on the tray, since they could not be put where they were typed."""
    return page.locator(".tray li .text")
