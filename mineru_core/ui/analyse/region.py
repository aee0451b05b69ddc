"""Marking parts of a page free-hand: each stroke's frame limits the next question. The page view draws rectangles."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import streamlit as st

from mineru_core.document.geometry import Box
from mineru_core.document.task import Region
from mineru_core.ui import services, session
from mineru_core.ui.i18n import Translator
from mineru_core.ui.session import Key
from mineru_core.ui.text import counted, html

CANVAS_WIDTH = 560
SMALLEST = 8
"""Canvas pixels a side must have: less is a dot, not a part of the page."""

_STROKE = "#0b6e63"
_FILL = "rgba(11, 110, 99, 0.16)"
_LOOK = {"fill": _FILL, "stroke": _STROKE, "strokeWidth": 2, "strokeUniform": True}
_ORIGINS = {"left": 0.0, "top": 0.0, "center": 0.5, "right": 1.0, "bottom": 1.0}
_MARKS = frozenset({"rect", "path"})


def freehand_canvas(job_id: str, owner: str, number: int, document_sha256: str, t: Translator) -> None:
    """The page to draw on, with the page's regions on it: what is drawn around is a region."""
    # Its component can be declared only where a Streamlit server runs, so not when this module is imported elsewhere.
    from streamlit_drawable_canvas import st_canvas

    page_width, page_height = services.page_size(job_id, owner, number)
    width = min(CANVAS_WIDTH, page_width)
    height = max(1, round(width * page_height / page_width))
    scale = (page_width / width, page_height / height)
    start = _opened_with(job_id, number, document_sha256)
    key = f"canvas-{job_id}-{number}-{_version()}"

    def take() -> None:
        drawing = st.session_state[key]["drawing"]["raw"]
        boxes = boxes_of(drawing, *scale, page_width, page_height)
        elsewhere = [region for region in session.regions_of(document_sha256) if region.page != number]
        session.set_regions(document_sha256, [*elsewhere, *(Region(page=number, box=box) for box in boxes)])

    st_canvas(
        fill_color=_FILL,
        stroke_color=_STROKE,
        stroke_width=3,
        background_image=services.page_jpeg(job_id, owner, number, 2 * width),
        height=height,
        width=width,
        drawing_mode="freedraw",
        initial_drawing=drawing_of(start, *scale),
        key=key,
        on_change=take,
    )
    # What is drawn arrives a moment after the stroke: until it is counted here, it is not kept.
    marked = sum(region.page == number for region in session.regions_of(document_sha256))
    said = counted(t, "view.freehand_count", marked) if marked else t("view.freehand_hint")
    st.html(f'<p class="wb-quiet">{html(said)}</p>')


def close_canvas() -> None:
    """Forget the canvas: the next time it is opened it shows the regions as they are then."""
    st.session_state.pop(Key.CANVAS_PLACE, None)


def _opened_with(job_id: str, number: int, document_sha256: str) -> list[Box]:
    """The page's regions when the canvas was opened: a canvas is drawn anew when what it starts with changes."""
    if st.session_state.get(Key.CANVAS_PLACE) != (job_id, number):
        st.session_state[Key.CANVAS_PLACE] = (job_id, number)
        st.session_state[Key.CANVAS] = _version() + 1
        st.session_state[Key.CANVAS_START] = [
            region.box for region in session.regions_of(document_sha256) if region.page == number
        ]
    return [Box(*box) for box in st.session_state.get(Key.CANVAS_START, ())]


def drawing_of(boxes: list[Box], sx: float, sy: float) -> dict[str, Any]:
    """A canvas drawing that shows the boxes, given in page pixels; the inverse of ``boxes_of``."""
    objects = []
    for box in boxes:
        at = box.scaled(1 / sx, 1 / sy)
        place = {"left": at.x0, "top": at.y0, "width": at.width, "height": at.height}
        objects.append({"type": "Rect", "originX": "left", "originY": "top", **place, **_LOOK})
    return {"objects": objects}


def boxes_of(drawing: Mapping[str, Any] | None, sx: float, sy: float, width: int, height: int) -> list[Box]:
    """Frames of the strokes and rectangles of a canvas drawing, in page pixels within the page; dots are left out.

    ``sx`` and ``sy`` are page pixels for one canvas pixel. What is drawn may have been dragged, scaled and mirrored.
    """
    boxes = []
    for item in (drawing or {}).get("objects", []):
        if str(item.get("type", "")).lower() not in _MARKS:
            continue
        w = abs(float(item.get("width", 0)) * float(item.get("scaleX", 1)))
        h = abs(float(item.get("height", 0)) * float(item.get("scaleY", 1)))
        if w < SMALLEST or h < SMALLEST:
            continue
        left = float(item.get("left", 0)) - _ORIGINS.get(str(item.get("originX", "left")), 0.0) * w
        top = float(item.get("top", 0)) - _ORIGINS.get(str(item.get("originY", "top")), 0.0) * h
        box = Box(left, top, left + w, top + h).scaled(sx, sy).clipped(width, height)
        if box.width >= 1 and box.height >= 1:
            boxes.append(Box(*(round(v, 1) for v in box)))
    return boxes


def _version() -> int:
    return int(st.session_state.get(Key.CANVAS, 0))
