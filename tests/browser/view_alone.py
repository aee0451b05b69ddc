"""The page view alone in a page, with the test in the server's place."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, replace
from typing import Any

from playwright.sync_api import Browser, Page, Route

from mineru_core.document.geometry import Box
from mineru_core.ui.components.page_view import SCRIPT, PageView, view_heat, view_looks, view_words
from mineru_core.ui.i18n import Translator
from mineru_core.ui.setup import asset
from tests.browser import alone
from tests.documents import draw_lines, png_bytes

WIDTH, HEIGHT = 900, 1200
"""Pixels of every page here."""

_STYLE = "body { margin: 0; } main { width: 560px; margin: 80px 20px 900px; }"
_BODY = '<main><div class="view"></div></main><div id="answer"></div>'


def boxes(page: int = 1, **more: Any) -> dict[str, Any]:
    """What the server tells of a page: nothing but its size, and ``more``."""
    empty = {"blocks": [], "lines": [], "cells": [], "marks": [], "turn": 0}
    return {"page": page, "width": WIDTH, "height": HEIGHT, **empty, **more}


def block(box: Box, text: str = "words", kind: str = "text", number: int = 1, sure: int = 97) -> list[Any]:
    """A block as the server tells it."""
    return [*box, kind, number, sure, text]


class View:
    """The view and what it has sent. ``told`` are the boxes of pages; pages without have none."""

    page: Page

    def __init__(self, told: Mapping[int, dict[str, Any]], language: str) -> None:
        self.asked: list[str] = []
        self.told = told
        t = Translator(language)
        self.data = PageView(
            job="job", document="a.pdf", page=1, pages=1, alt="Page % of a.pdf", words=view_words(t),
            looks=view_looks(t), heat=view_heat(t), version=0, done=True,
        )  # fmt: skip

    def give(self, **changes: Any) -> None:
        """What a run of the app does."""
        self.data = replace(self.data, **changes)
        alone.mount(self.page, asdict(self.data))

    def sent(self, name: str) -> list[Any]:
        """Everything of that name that was sent so far."""
        return alone.sent(self.page, name)

    def set_up(self, zoom: float, turns: int = 0) -> None:
        """Bring the page to that zoom and turn."""
        self.page.evaluate(
            """([zoom, turns]) => {
              const { view } = document.querySelector(".view");
              view.rotate((turns - view.turns + 4) % 4);
              view.setZoom(zoom);
            }""",
            [zoom, turns],
        )

    def serve(self, route: Route) -> None:
        path = route.request.url.removeprefix(alone.ORIGIN)
        self.asked.append(path)
        if path.startswith("/ui/boxes/"):
            number = int(path.split("/")[4].split("?")[0])
            body = json.dumps(self.told.get(number, boxes(number)))
            route.fulfill(body=body, content_type="application/json")
        else:
            route.fulfill(body=_PICTURE, content_type="image/png")


_PICTURE = png_bytes(draw_lines(["a page"], width=WIDTH).crop((0, 0, WIDTH, HEIGHT)))


@contextmanager
def view_alone(
    browser: Browser, told: Mapping[int, dict[str, Any]] | None = None, *, language: str = "en", **context: Any
) -> Iterator[View]:
    """The view in a page of its own, mounted; no error may come up in it. ``context`` goes to the browser's context."""
    view = View(told or {}, language)
    style = asset("page_view.css") + _STYLE
    with alone.component_page(
        browser, script=SCRIPT, style=style, body=_BODY, serve=view.serve, **context
    ) as view.page:
        view.give()
        yield view
