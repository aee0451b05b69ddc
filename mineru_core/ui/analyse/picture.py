"""The left half: the page view of a job's document, with the regions that its next question is limited to."""

from __future__ import annotations

import base64
from collections.abc import Callable
from functools import partial

import streamlit as st

from mineru_core.api.boxes import no_boxes, page_boxes
from mineru_core.document.analysis import PageAnalysis
from mineru_core.errors import WorkbenchError
from mineru_core.export.result import DocumentResult
from mineru_core.jobs.model import Job, JobState
from mineru_core.ui import services, session
from mineru_core.ui.analyse.region import close_canvas, freehand_canvas
from mineru_core.ui.components.page_view import (
    InlinePage,
    PageView,
    parse_regions,
    region_rows,
    show_page,
    view_heat,
    view_looks,
    view_words,
)
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
            _picture(job, owner, found, t)
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
    places = places or [f.page for f in answer.fields if f.page is not None] or [q.page for q in answer.quotes]
    places = places or [t.page for t in answer.tables]
    return places[0] if places else 1


def _picture(job: Job, owner: str, found: DocumentResult | None, t: Translator) -> None:
    pages = found.analysis.page_count if found else services.page_count(job.id, owner)
    key = page_key(job.id, done=found is not None)
    number = min(max(1, int(st.session_state.get(key, _first_page(found)))), pages)
    marking = False
    place = st.container(key="page_place")
    if found is not None:
        with st.container(key="picture_bar", horizontal=True, horizontal_alignment="right"):
            marking = st.toggle(t("view.freehand"), key=f"freehand-{job.id}", width="content")
    with place:
        if marking and found is not None:
            freehand_canvas(job.id, owner, number, found.analysis.sha256, t)
        else:
            close_canvas()
            _view(job, owner, found, number, pages, t)


def _view(job: Job, owner: str, found: DocumentResult | None, number: int, pages: int, t: Translator) -> None:
    analysed = None if found is None else _analysis_of(found, number)
    view = PageView(
        job=job.id,
        document=job.source,
        page=number,
        pages=pages,
        alt=t("picture.label", name=job.source, page="%"),
        words=view_words(t),
        looks=view_looks(t),
        heat=view_heat(t),
        version=None if found is None else services.service().corrections.state(job.id, owner).version,
        done=job.state.is_final,
        width=0 if analysed is None else analysed.width,
        height=0 if analysed is None else analysed.height,
        turn=0 if analysed is None else analysed.rotation // 90 % 4,
        regions=() if found is None else region_rows(session.regions_of(found.analysis.sha256)),
        draw=session.draw_call(),
        inline=None if session.has_page_route() else _inline(job, owner, found, number),
    )
    show_page(
        view,
        key=VIEW,
        on_page=partial(_turned, job.id),
        on_regions=_keep_regions(found),
        on_broken=_note_broken,
    )


def _turned(job_id: str) -> None:
    page = st.session_state[VIEW].get("page")
    if isinstance(page, int) and page >= 1:
        go_to_page(job_id, page)


def _keep_regions(found: DocumentResult | None) -> Callable[[], None]:
    def keep() -> None:
        if found is None:
            return
        regions = parse_regions(st.session_state[VIEW].get("regions"), found.analysis.page_count)
        if regions is not None:
            session.set_regions(found.analysis.sha256, regions)

    return keep


def _note_broken() -> None:
    """The route did not answer: from now on pages travel inside the message."""
    st.session_state[Key.NO_ROUTE] = True


def _analysis_of(found: DocumentResult, number: int) -> PageAnalysis | None:
    return next((page for page in found.analysis.pages if page.page == number), None)


def _inline(job: Job, owner: str, found: DocumentResult | None, number: int) -> InlinePage:
    """The page itself, where the server around the app has no routes to fetch it by."""
    jpeg = services.page_jpeg(job.id, owner, number, PICTURE_WIDTH)
    analysed = None if found is None else _analysis_of(found, number)
    if found is None or analysed is None:
        boxes = no_boxes(number, *services.page_size(job.id, owner, number))
    else:
        boxes = page_boxes(found, analysed)
    return InlinePage("data:image/jpeg;base64," + base64.b64encode(jpeg).decode("ascii"), boxes)
