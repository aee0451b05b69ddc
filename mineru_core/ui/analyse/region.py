"""Marking a rectangle of a page that limits the next question."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import streamlit as st

from mineru_core.document.geometry import Box
from mineru_core.document.task import Region
from mineru_core.ui import services, session
from mineru_core.ui.i18n import Translator
from mineru_core.ui.session import Key
from mineru_core.ui.text import html

DEFAULT_WIDTH = 560
SMALLEST = 8
"""Canvas pixels a side must have: less is a click, not a rectangle."""

_STROKE = "#0b6e63"
_FILL = "rgba(11, 110, 99, 0.16)"
_LOOK = {"fill": _FILL, "stroke": _STROKE, "strokeWidth": 2, "strokeUniform": True}
_ORIGINS = {"left": 0.0, "top": 0.0, "center": 0.5, "right": 1.0, "bottom": 1.0}


def region_notice(document_sha256: str, drawing: bool, t: Translator) -> None:
    """Which region the next question is limited to, with a button that clears it; else how to draw one."""
    region = session.region_of(document_sha256)
    if region is None:
        if drawing:
            st.html(f'<p class="wb-quiet">{html(t("region.help"))}</p>')
        return
    with st.container(key="region_bar", horizontal=True, vertical_alignment="center", gap="small"):
        st.html(f'<span class="wb-region">{html(t("region.active", page=region.page))}</span>', width="content")
        st.button(
            t("region.clear"),
            key="clear_region",
            icon=":material/close:",
            type="tertiary",
            on_click=_clear,
            args=(document_sha256,),
        )


def region_canvas(job_id: str, owner: str, number: int, document_sha256: str, t: Translator) -> None:
    """The page to drag a rectangle on, with the page's region drawn; the last rectangle drawn is the region."""
    # Its component can be declared only where a Streamlit server runs, so not when this module is imported elsewhere.
    from streamlit_drawable_canvas import st_canvas

    page_width, page_height = services.page_size(job_id, owner, number)
    width = min(int(st.session_state.get(Key.PICTURE_WIDTH) or DEFAULT_WIDTH), page_width)
    height = max(1, round(width * page_height / page_width))
    scale = (page_width / width, page_height / height)
    start = _opened_with(job_id, number, document_sha256)
    key = f"canvas-{job_id}-{number}-{_version()}"

    def take() -> None:
        drawing = st.session_state[key]["drawing"]["raw"]
        _take(drawing, document_sha256, number, lambda one: last_rectangle(one, *scale, page_width, page_height))

    drawn = st_canvas(
        fill_color=_FILL,
        stroke_color=_STROKE,
        stroke_width=2,
        background_image=services.page_jpeg(job_id, owner, number, 2 * width),
        height=height,
        width=width,
        drawing_mode="rect",
        initial_drawing=drawing_of(start, *scale),
        key=key,
        on_change=take,
    )
    objects = (drawn.json_data or {}).get("objects")
    if objects and last_rectangle(drawn.json_data, *scale, page_width, page_height) is None:
        st.html(f'<p class="wb-quiet">{html(t("region.small"))}</p>')


def close_canvas() -> None:
    """Forget the canvas: the next time it is opened it shows the region as it is then."""
    st.session_state.pop(Key.CANVAS_PLACE, None)


def _opened_with(job_id: str, number: int, document_sha256: str) -> Box | None:
    """The page's region when the canvas was opened: a canvas is drawn anew when what it starts with changes."""
    if st.session_state.get(Key.CANVAS_PLACE) != (job_id, number):
        st.session_state[Key.CANVAS_PLACE] = (job_id, number)
        st.session_state[Key.CANVAS] = _version() + 1
        region = session.region_of(document_sha256)
        st.session_state[Key.CANVAS_START] = region.box if region is not None and region.page == number else None
    start = st.session_state.get(Key.CANVAS_START)
    return None if start is None else Box(*start)


def _take(
    drawing: Mapping[str, Any], document_sha256: str, number: int, box_of: Callable[[Mapping[str, Any]], Box | None]
) -> None:
    """The region is what the canvas shows now; where it shows more than one rectangle, it is opened anew with one."""
    box = box_of(drawing)
    if box is not None:
        session.set_region(document_sha256, Region(page=number, box=box))
    elif not drawing.get("objects"):
        before = session.region_of(document_sha256)
        if before is not None and before.page == number:
            session.set_region(document_sha256, None)
    if box is not None and len(drawing.get("objects", [])) > 1:
        close_canvas()


def drawing_of(box: Box | None, sx: float, sy: float) -> dict[str, Any]:
    """A canvas drawing that shows the box, given in page pixels; the inverse of ``last_rectangle``."""
    if box is None:
        return {"objects": []}
    at = box.scaled(1 / sx, 1 / sy)
    place = {"left": at.x0, "top": at.y0, "width": at.width, "height": at.height}
    return {"objects": [{"type": "Rect", "originX": "left", "originY": "top", **place, **_LOOK}]}


def last_rectangle(drawing: Mapping[str, Any] | None, sx: float, sy: float, width: int, height: int) -> Box | None:
    """The last rectangle of a canvas drawing, in page pixels within the page; None where none is large enough.

    ``sx`` and ``sy`` are page pixels for one canvas pixel. Rectangles may be dragged, scaled and mirrored.
    """
    for item in reversed((drawing or {}).get("objects", [])):
        if str(item.get("type", "")).lower() != "rect":
            continue
        w = abs(float(item.get("width", 0)) * float(item.get("scaleX", 1)))
        h = abs(float(item.get("height", 0)) * float(item.get("scaleY", 1)))
        if w < SMALLEST or h < SMALLEST:
            continue
        left = float(item.get("left", 0)) - _ORIGINS.get(str(item.get("originX", "left")), 0.0) * w
        top = float(item.get("top", 0)) - _ORIGINS.get(str(item.get("originY", "top")), 0.0) * h
        box = Box(left, top, left + w, top + h).scaled(sx, sy).clipped(width, height)
        if box.width >= 1 and box.height >= 1:
            return Box(*(round(v, 1) for v in box))
    return None


def _version() -> int:
    return int(st.session_state.get(Key.CANVAS, 0))


def _clear(document_sha256: str) -> None:
    session.set_region(document_sha256, None)
    close_canvas()
