"""The page view: a page at any zoom and turn with what was found on it, regions to ask about, and all pages as small
pictures. What the browser is told, what it sends, and the component.

The picture and the places of what was found are fetched by the browser (``/ui/pages``, ``/ui/boxes``); they travel in
the message only where the server around the app has no such routes. Two DOM events on ``document`` tie the view to
other components without a run of the app: it shows the place of a ``workbench:place`` event, whose ``detail`` is
``{job, page, box}`` or ``{job, page, table, row, col}`` (a table's place among those of its page, from 0), and sends
``workbench:picked`` with ``{job, page, box, table, row, col}`` for what was clicked in the picture (table, row and col
for a cell only). HTML that carries ``data-wb-page`` and ``data-wb-box="x0,y0,x1,y1"``, or tables in an element with
``data-wb-table="page:index"``, are tied to it as they stand.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import streamlit as st

from mineru_core.document.analysis import BlockType
from mineru_core.document.geometry import Box
from mineru_core.document.task import Region
from mineru_core.serving.selection import MAX_REGIONS
from mineru_core.ui.i18n import Translator
from mineru_core.ui.palette import HEAT, LOOKS
from mineru_core.ui.setup import asset, module

WORDS = (
    "tools", "previous_help", "next_help", "out_help", "original_help", "in_help", "fit_help", "turn_help", "turned",
    "layers", "layers_help", "layer_blocks", "layer_order", "layer_lines", "layer_cells", "layer_heat", "legend",
    "sure", "doubtful", "line", "cell", "stage", "pages", "page_named", "missing", "boxes_missing", "region",
    "region_help", "region_hint", "region_one", "region_many", "region_small", "region_clear", "region_delete",
    "region_named", "region_keys", "region_asked",
)  # fmt: skip
"""Strings of the component, without the "view." they begin with in the catalogues."""


_PARTS = ("_geometry", "_shared", "_layers", "_regions", "_strip", "_tools", "", "_mount")

SCRIPT = module("elements", "mounting", *(f"page_view{part}" for part in _PARTS))

_mount = st.components.v2.component(
    "mineru_workbench.page_view",
    html='<div class="view"></div>',
    css=asset("page_view.css"),
    js=SCRIPT,
)


@dataclass(frozen=True, slots=True)
class InlinePage:
    """A page for a browser that cannot fetch it: its picture as a data URL, and what ``page_boxes`` gives."""

    src: str
    boxes: Mapping[str, object]


@dataclass(frozen=True, slots=True)
class PageView:
    """Everything the browser needs to show a page.

    ``document`` is the document's name: another question about the same one keeps zoom and turn. ``version`` is that of
    the corrections, None until the job is done. ``width``, ``height`` (pixels) and ``turn`` (clockwise quarter turns
    that set the page upright) are 0 where they are not known yet. ``regions`` are page, left, top, right and bottom;
    ``draw``, where it is another number than before and not 0, turns the region tool on.
    """

    job: str
    document: str
    page: int
    pages: int
    alt: str
    words: Mapping[str, str]
    looks: Mapping[str, tuple[str, str, str]]
    heat: Sequence[Mapping[str, object]]
    version: int | None = None
    done: bool = False
    width: int = 0
    height: int = 0
    turn: int = 0
    regions: tuple[tuple[float, ...], ...] = ()
    draw: int = 0
    inline: InlinePage | None = None


def show_page(
    view: PageView,
    *,
    key: str,
    on_page: Callable[[], None],
    on_regions: Callable[[], None],
    on_broken: Callable[[], None],
) -> None:
    """Mount the component.

    ``on_page`` runs when the reader has turned to another page (``page`` of the session state's ``key``),
    ``on_regions`` when regions have changed (``regions`` there, see ``parse_regions``), ``on_broken`` when a picture
    could not be loaded.
    """
    _mount(
        key=key,
        data=asdict(view),
        on_page_change=on_page,
        on_regions_change=on_regions,
        on_broken_change=on_broken,
    )


def view_words(t: Translator) -> dict[str, str]:
    """The component's strings in the reader's language."""
    return {name: t(f"view.{name}") for name in WORDS}


def view_looks(t: Translator) -> dict[str, tuple[str, str, str]]:
    """Of each type of block its name, colour and line."""
    return {kind.value: (t(f"block.{kind.value}"), *LOOKS[kind]) for kind in BlockType}


def view_heat(t: Translator) -> list[dict[str, object]]:
    """Steps of confidence, the surest first, each with the least percent, its label and its colour."""
    steps: list[dict[str, object]] = []
    for least, colour in HEAT:
        label = t("view.heat_least", percent=least) if least else t("view.heat_below", percent=HEAT[-2][0])
        steps.append({"least": least, "label": label, "colour": colour})
    return steps


def region_rows(regions: Sequence[Region]) -> tuple[tuple[float, ...], ...]:
    """Regions as the browser takes them."""
    return tuple((region.page, *(round(value, 1) for value in region.box)) for region in regions)


def parse_regions(sent: Any, pages: int) -> tuple[Region, ...] | None:
    """The regions that the browser has sent, in page pixels; None where they are malformed, off the document or too
    many."""
    if not isinstance(sent, list) or len(sent) > MAX_REGIONS:
        return None
    regions: list[Region] = []
    for row in sent:
        if not isinstance(row, list) or len(row) != 5 or not all(_is_number(value) for value in row):
            return None
        page, box = int(row[0]), Box(*(float(value) for value in row[1:]))
        if not 1 <= page <= pages or min(box.x0, box.y0) < 0 or min(box.width, box.height) < 1:
            return None
        regions.append(Region(page=page, box=box))
    return tuple(regions)


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < 1e7
