"""Marking a rectangle of a page that limits the next question."""

from __future__ import annotations

from collections.abc import Mapping
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
    """The page to drag a rectangle on; the last rectangle drawn is the region."""
    # Its component can be declared only where a Streamlit server runs, so not when this module is imported elsewhere.
    from streamlit_drawable_canvas import st_canvas

    page_width, page_height = services.page_size(job_id, owner, number)
    width = min(int(st.session_state.get(Key.PICTURE_WIDTH) or DEFAULT_WIDTH), page_width)
    height = max(1, round(width * page_height / page_width))
    drawn = st_canvas(
        fill_color=_FILL,
        stroke_color=_STROKE,
        stroke_width=2,
        background_image=services.page_jpeg(job_id, owner, number, 2 * width),
        height=height,
        width=width,
        drawing_mode="rect",
        key=f"canvas-{job_id}-{number}-{_version()}",
    )
    box = last_rectangle(drawn.json_data, page_width / width, page_height / height, page_width, page_height)
    if box is None:
        if drawn.json_data and drawn.json_data.get("objects"):
            st.html(f'<p class="wb-quiet">{html(t("region.small"))}</p>')
        return
    session.set_region(document_sha256, Region(page=number, box=box))


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
    st.session_state[Key.CANVAS] = _version() + 1
