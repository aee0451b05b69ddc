"""The page picture with a focusable box on each block: what the browser is told, and the component that draws it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass

import streamlit as st

from mineru_core.document.analysis import Block, PageAnalysis
from mineru_core.document.geometry import Box
from mineru_core.export.result import DocumentResult
from mineru_core.ui.i18n import Translator
from mineru_core.ui.palette import LOOKS
from mineru_core.ui.setup import asset

TOOLTIP_CHARS = 180

_mount = st.components.v2.component(
    "mineru_workbench.page_view",
    html='<div class="view"></div>',
    css=asset("page_view.css"),
    js=asset("page_view.js"),
)


@dataclass(frozen=True, slots=True)
class BlockBox:
    """One block on the picture. ``place`` is left, top, width, height in percent of the page."""

    place: tuple[float, float, float, float]
    number: int
    kind: str
    label: str
    sure: str
    text: str
    colour: str
    line: str


@dataclass(frozen=True, slots=True)
class Mark:
    """A highlighted place: a hit, a field's value, or the region that was read."""

    place: tuple[float, float, float, float]
    label: str
    kind: str


@dataclass(frozen=True, slots=True)
class PageView:
    """Everything the browser needs to show one page. ``src`` is relative to the app, or a data URL."""

    src: str
    alt: str
    width: int
    height: int
    blocks: tuple[BlockBox, ...] = ()
    marks: tuple[Mark, ...] = ()
    legend: str = ""
    missing: str = ""
    busy: bool = False
    known_width: int = 0


def show_page(view: PageView, *, key: str, on_width: Callable[[], None], on_broken: Callable[[], None]) -> None:
    """Mount the component.

    ``on_width`` runs when the picture's width on screen has changed (``width`` of the session state's ``key``, CSS
    pixels), ``on_broken`` when the picture at ``src`` could not be loaded.
    """
    _mount(
        key=key,
        data=asdict(view),
        default={"width": 0, "broken": ""},
        on_width_change=on_width,
        on_broken_change=on_broken,
    )


def block_boxes(page: PageAnalysis, t: Translator) -> tuple[BlockBox, ...]:
    """The page's blocks in reading order, ready to be drawn."""
    return tuple(_block_box(block, page, t) for block in page.blocks)


def _block_box(block: Block, page: PageAnalysis, t: Translator) -> BlockBox:
    text = " ".join(block.text.split())
    if block.table is not None:
        text = f"{block.table.n_rows} × {block.table.n_cols}"
    look = LOOKS[block.type]
    return BlockBox(
        place=percent(block.box, page.width, page.height),
        number=block.order + 1,
        kind=block.type.value,
        label=t(f"block.{block.type.value}"),
        sure=f"{block.confidence:.0%}",
        text=text if len(text) <= TOOLTIP_CHARS else text[: TOOLTIP_CHARS - 1] + "…",
        colour=look.colour,
        line=look.line,
    )


def marks_of(found: DocumentResult, page: PageAnalysis, t: Translator) -> tuple[Mark, ...]:
    """Hits, field values and asked regions on this page."""
    places = [(m.box, m.text, "hit") for m in found.answer.matches if m.page == page.page]
    places += [
        (f.box, f"{f.name}: {f.value}", "hit") for f in found.answer.fields if f.page == page.page and f.box is not None
    ]
    asked = t("picture.region_asked")
    places += [(r.box, asked, "region") for r in found.task.regions if r.page == page.page]
    return tuple(Mark(percent(box, page.width, page.height), label, kind) for box, label, kind in places)


def percent(box: Box, width: int, height: int) -> tuple[float, float, float, float]:
    """Left, top, width, height of the part on the page, in percent of the page's size."""
    on_page = box.clipped(width, height)
    return (
        round(100 * on_page.x0 / width, 3),
        round(100 * on_page.y0 / height, 3),
        round(100 * on_page.width / width, 3),
        round(100 * on_page.height / height, 3),
    )
