"""The left half: the page picture with its blocks, the page switcher, and the canvas to mark a region on."""

from __future__ import annotations

import base64

import streamlit as st

from mineru_core.document.analysis import PageAnalysis
from mineru_core.errors import WorkbenchError
from mineru_core.export.result import DocumentResult
from mineru_core.jobs.model import Job, JobState
from mineru_core.ui import services, session
from mineru_core.ui.analyse.region import close_canvas, region_canvas, region_notice
from mineru_core.ui.components.page_view import PageView, block_boxes, marks_of, show_page
from mineru_core.ui.i18n import Translator
from mineru_core.ui.services import PICTURE_WIDTH
from mineru_core.ui.session import Key
from mineru_core.ui.text import html

VIEW = "page_view"


@st.fragment
def picture_pane(job_id: str, owner: str) -> None:
    """The page picture of a job; a fragment, so that turning a page does not draw the answer again."""
    t = session.translator()
    job = services.find_job(job_id, owner)
    if job is None:
        return
    with st.container(key="picture_pane"):
        try:
            found = services.result(job_id, owner) if job.state is JobState.DONE else None
            pages = found.analysis.page_count if found else services.page_count(job_id, owner)
            number = _page_switcher(job_id, pages, found, t)
            _picture(job, owner, number, found, t)
        except WorkbenchError:
            # An encrypted PDF after a restart, or a page that cannot be drawn: the answer stands all the same.
            st.html(f'<p class="wb-quiet">{html(t("picture.missing"))}</p>')


def page_key(job_id: str, *, done: bool = True) -> str:
    """Session key of the page shown for a job. Its own once the answer is there, which opens on the answer's page."""
    return f"{Key.PAGE}-{job_id}-{'done' if done else 'running'}"


def go_to_page(job_id: str, number: int) -> None:
    """Turn to a page; for callbacks."""
    for done in (False, True):
        st.session_state[page_key(job_id, done=done)] = number


def _first_page(found: DocumentResult | None) -> int:
    """The page that the answer is on, so that it opens beside it."""
    if found is None:
        return 1
    answer = found.answer
    places = [r.page for r in found.task.regions] or [m.page for m in answer.matches]
    places = places or [f.page for f in answer.fields if f.page is not None] or [t.page for t in answer.tables]
    return places[0] if places else 1


def _page_switcher(job_id: str, pages: int, found: DocumentResult | None, t: Translator) -> int:
    """Previous, number, next; nothing for a document of one page."""
    if pages < 2:
        return 1
    key = page_key(job_id, done=found is not None)
    st.session_state.setdefault(key, _first_page(found))
    number = min(max(1, int(st.session_state[key])), pages)
    with st.container(key="pages_bar", horizontal=True, vertical_alignment="center", gap="small"):
        for name, icon, to in (("previous", "chevron_left", number - 1), ("next", "chevron_right", number + 1)):
            if name == "next":
                st.selectbox(
                    t("picture.page"),
                    range(1, pages + 1),
                    key=key,
                    format_func=lambda n: t("picture.page_of", page=n, pages=pages),
                    label_visibility="collapsed",
                    width=190,
                )
            st.button(
                t(f"picture.{name}"),
                key=f"page-{name}",
                icon=f":material/{icon}:",
                disabled=not 1 <= to <= pages,
                on_click=go_to_page,
                args=(job_id, to),
            )
    return number


def _picture(job: Job, owner: str, number: int, found: DocumentResult | None, t: Translator) -> None:
    job_id = job.id
    drawing = False
    if found is not None:
        with st.container(key="picture_bar", horizontal=True, vertical_alignment="center", gap="medium"):
            st.toggle(t("picture.overlay"), value=True, key=Key.OVERLAY, disabled=_is_drawing())
            drawing = st.toggle(t("picture.region"), key=Key.DRAWING)
        notice = st.container(key="region_drawing" if drawing else "region_notice")
        if not drawing:
            close_canvas()
        else:
            region_canvas(job_id, owner, number, found.analysis.sha256, t)
        with notice:  # filled after the canvas has told what is drawn, so that it is never one step behind
            region_notice(found.analysis.sha256, drawing, t)
        if drawing:
            return
    analysed = _analysis_of(found, number)
    width, height = (analysed.width, analysed.height) if analysed else services.page_size(job_id, owner, number)
    blocks = block_boxes(analysed, t) if analysed and st.session_state.get(Key.OVERLAY, True) else ()
    view = PageView(
        src=_source(job_id, owner, number),
        alt=t("picture.label", name=job.source, page=number),
        width=width,
        height=height,
        blocks=blocks,
        marks=marks_of(found, analysed, t) if found and analysed else (),
        legend=t("picture.legend"),
        missing=t("picture.missing"),
        busy=not job.state.is_final,
        known_width=int(st.session_state.get(Key.PICTURE_WIDTH, 0)),
    )
    show_page(view, key=VIEW, on_width=_note_width, on_broken=_note_broken)


def _note_width() -> None:
    st.session_state[Key.PICTURE_WIDTH] = int(st.session_state[VIEW].get("width") or 0)


def _note_broken() -> None:
    """The route did not answer: from now on pictures travel inside the page."""
    st.session_state[Key.NO_ROUTE] = True


def _is_drawing() -> bool:
    return bool(st.session_state.get(Key.DRAWING, False))


def _analysis_of(found: DocumentResult | None, number: int) -> PageAnalysis | None:
    if found is None:
        return None
    return next((page for page in found.analysis.pages if page.page == number), None)


def _source(job_id: str, owner: str, number: int) -> str:
    """Address of the page picture; inside the page itself where the server around the app has no route for it."""
    if session.has_page_route():
        return f"ui/pages/{job_id}/{number}?w={PICTURE_WIDTH}"
    jpeg = services.page_jpeg(job_id, owner, number, PICTURE_WIDTH)
    return "data:image/jpeg;base64," + base64.b64encode(jpeg).decode("ascii")
