"""Decks made for one test each, with python-pptx, and ways to spoil the container of an Office file."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable, Sequence
from typing import Any

from pptx import Presentation
from pptx.chart.data import CategoryChartData, XyChartData
from pptx.enum.chart import XL_CHART_TYPE
from pptx.util import Inches

from mineru_core.document.chart import Chart
from mineru_core.document.page import Page
from mineru_core.document.table import Table
from mineru_core.intake.office.slides import PptxFile

BLANK, TITLE_ONLY = 6, 5


def new_deck(width: float = 13.333, height: float = 7.5) -> Any:
    """An empty deck of that size in inches."""
    deck = Presentation()
    deck.slide_width, deck.slide_height = Inches(width), Inches(height)
    return deck


def add_slide(deck: Any, layout: int = BLANK) -> Any:
    return deck.slides.add_slide(deck.slide_layouts[layout])


def saved(document: Any) -> bytes:
    """The bytes of a deck or a Word document."""
    out = io.BytesIO()
    document.save(out)
    return out.getvalue()


def first_page(deck: Any, max_pixels: int = 10_000_000) -> Page:
    return PptxFile(saved(deck), max_pixels).page(1, "deck.pptx")


def only_chart(page: Page) -> Chart:
    (chart,) = page.natives
    assert isinstance(chart, Chart)
    return chart


def only_table(page: Page) -> Table:
    (table,) = page.natives
    assert isinstance(table, Table)
    return table


def chart_deck(kind: XL_CHART_TYPE, data: Any) -> Any:
    """A deck of one slide with one chart."""
    deck = new_deck()
    add_slide(deck).shapes.add_chart(kind, Inches(1), Inches(1), Inches(8), Inches(5), data)
    return deck


def category_data(
    categories: Sequence[object], series: Sequence[tuple[str, Sequence[float | None]]], number_format: str = "General"
) -> CategoryChartData:
    data = CategoryChartData(number_format=number_format)
    data.categories = categories
    for name, values in series:
        data.add_series(name, values)
    return data


def xy_data(series: Sequence[tuple[str, Sequence[tuple[float, float]]]]) -> XyChartData:
    data = XyChartData()
    for name, points in series:
        added = data.add_series(name)
        for x, y in points:
            added.add_data_point(x, y)
    return data


def with_parts(
    data: bytes, change: Callable[[str, bytes], bytes | None], added: dict[str, bytes] | None = None
) -> bytes:
    """The file with each part changed, or left out where that gives None, and with further parts."""
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as old, zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as new:
        for member in old.infolist():
            changed = change(member.filename, old.read(member))
            if changed is not None:
                new.writestr(member.filename, changed)
        for name, content in (added or {}).items():
            new.writestr(name, content)
    return out.getvalue()


def replaced(data: bytes, part: str, old: bytes, new: bytes) -> bytes:
    """The file with some bytes of the parts whose name holds ``part`` replaced; they must be there."""
    seen: list[bool] = []

    def change(name: str, content: bytes) -> bytes:
        if part not in name:
            return content
        seen.append(old in content)
        return content.replace(old, new)

    changed = with_parts(data, change)
    assert any(seen), f"{old!r} is not in {part}"
    return changed
